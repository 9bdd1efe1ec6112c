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
// Idempotency-Key; over HTTP/2 when the server refuses the stream. No such
// resend may go uncounted.
type trace struct {
	mu      sync.Mutex
	client  *httptrace.ClientTrace
	conns   int
	http2   bool
	written bool
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
	a.trace.mu.Lock()
	defer a.trace.mu.Unlock()

	if a.trace.client != nil {
		return a.trace.client
	}

	own := &httptrace.ClientTrace{
		GotConn:      a.gotConn,
		WroteHeaders: a.wroteHeaders,
		WroteRequest: a.wroteRequest,
	}

	if httptrace.ContextClientTrace(a.parent) != nil {
		own = httptrace.ContextClientTrace(httptrace.WithClientTrace(a.parent, own))
	}

	a.trace.client = own

	return own
}

func (a *attempt) gotConn(info httptrace.GotConnInfo) {
	t := &a.trace

	t.mu.Lock()
	t.conns++
	resend := t.conns > 1 && t.written && !t.counted
	t.written, t.counted = false, false

	if secure, ok := info.Conn.(*tls.Conn); ok {
		t.http2 = secure.ConnectionState().NegotiatedProtocol == "h2"
	}

	t.mu.Unlock()

	if resend {
		a.call.countResend()
	}
}

func (a *attempt) wroteHeaders() {
	t := &a.trace

	t.mu.Lock()
	defer t.mu.Unlock()

	// Over HTTP/1 the headers may still be in a buffer.
	t.written = t.written || t.http2
}

func (a *attempt) wroteRequest(info httptrace.WroteRequestInfo) {
	t := &a.trace

	t.mu.Lock()
	defer t.mu.Unlock()

	t.written = t.written || info.Err == nil
}

// nothingSent reports whether net/http was asked and never had a connection.
func (t *trace) nothingSent() bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.client != nil && t.conns == 0
}

// resendable reports whether net/http may send the body again, and whether
// that is another sending that counts.
func (t *trace) resendable() (allowed, counts bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	switch {
	case !t.written:
		// Nothing reached the server on the last connection.
		return true, false
	case t.http2:
		// Only a stream that the server did not process is sent again.
		t.counted = true

		return true, true
	}

	return false, false
}
