package transport

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync"
)

// trace watches what net/http does with an attempt. net/http can send a
// request again by itself: over HTTP/1 when a connection that was used before
// breaks before the answer, if the method is safe or the request carries an
// Idempotency-Key, or if nothing was written; over HTTP/2 when the server
// refuses the stream. No such resend may go uncounted.
type trace struct {
	client *httptrace.ClientTrace
	own    httptrace.ClientTrace

	mu      sync.Mutex
	conns   int
	http2   bool
	conn    *countedConn
	before  int64
	wrote   bool
	counted bool
}

// traceKey is the key under which package httptrace looks for a trace. Knowing
// it lets an attempt answer for itself, and only when it is asked: a base that
// does not look costs nothing.
var traceKey = findTraceKey()

type keyFinder struct {
	context.Context //nolint:containedctx // it is a context
	key             *any
}

func (f keyFinder) Value(key any) any {
	*f.key = key

	return nil
}

func findTraceKey() any {
	var key any

	httptrace.ContextClientTrace(keyFinder{Context: context.Background(), key: &key})

	return key
}

// withTrace returns the attempt as the context of its request. Only where
// httptrace hides its key is another context needed.
func withTrace(a *attempt) context.Context {
	if traceKey != nil {
		return a
	}

	return httptrace.WithClientTrace(a, a.clientTrace())
}

// clientTrace returns the attempt's trace, joined with the caller's.
func (a *attempt) clientTrace() *httptrace.ClientTrace {
	if t := a.trace.Load(); t != nil {
		return t.client
	}

	t := &trace{own: httptrace.ClientTrace{
		GotConn:      a.gotConn,
		WroteHeaders: a.wroteHeaders,
		WroteRequest: a.wroteRequest,
	}}
	t.client = &t.own

	if httptrace.ContextClientTrace(a.parent) != nil {
		t.client = httptrace.ContextClientTrace(httptrace.WithClientTrace(a.parent, t.client))
	}

	if !a.trace.CompareAndSwap(nil, t) {
		return a.trace.Load().client
	}

	return t.client
}

func (a *attempt) gotConn(info httptrace.GotConnInfo) {
	t := a.trace.Load()

	t.mu.Lock()
	t.conns++
	resend := t.conns > 1 && t.written() && !t.counted
	t.wrote, t.counted = false, false

	secure, ok := info.Conn.(*tls.Conn)
	t.http2 = ok && secure.ConnectionState().NegotiatedProtocol == "h2"

	if t.conn = counter(info.Conn); t.conn != nil {
		t.before = t.conn.written.Load()
	}

	t.mu.Unlock()

	if resend {
		// Too late to stop: net/http writes at once. Only requests without a
		// body come here, the others were asked for in getBody.
		a.call.countResend()
	}
}

func (a *attempt) wroteHeaders() {
	t := a.trace.Load()

	t.mu.Lock()
	defer t.mu.Unlock()

	// Over HTTP/1 the headers may still be in a buffer.
	t.wrote = t.wrote || t.http2
}

func (a *attempt) wroteRequest(info httptrace.WroteRequestInfo) {
	t := a.trace.Load()

	t.mu.Lock()
	defer t.mu.Unlock()

	t.wrote = t.wrote || info.Err == nil
}

// written reports whether anything was written on the last connection, as far
// as can be known. Streams share a connection in HTTP/2, so there the bytes
// tell nothing.
func (t *trace) written() bool {
	if t.conn != nil && !t.http2 {
		return t.conn.written.Load() != t.before
	}

	return t.wrote
}

// nothingSent reports whether net/http was asked and certainly wrote nothing.
func (t *trace) nothingSent() bool {
	if t == nil {
		return false
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	return t.conns == 0 || t.conn != nil && !t.http2 && !t.written()
}

// resendable reports whether net/http may send the body again, and whether
// that is another sending that counts. replayable is net/http's own view of the
// request: one that is not it sends again only if nothing was written.
func (t *trace) resendable(replayable bool) (allowed, counts bool) {
	if t == nil {
		// Nothing was sent yet: a signer reads the body.
		return true, false
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	switch {
	case t.http2 && t.wrote:
		// Only a stream that the server did not process is sent again.
		t.counted = true

		return true, true
	case t.http2, !replayable, !t.written():
		return true, false
	}

	return false, false
}
