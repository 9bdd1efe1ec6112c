package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// attempt is one attempt of a call and its context: what the base sends runs
// under it, so that the attempt's own timeout covers everything, and reading
// the answer's body as well.
type attempt struct {
	timed

	call   *call
	trace  atomic.Pointer[trace]
	stream responseBody
	// replayable says that net/http would send the request again by itself.
	replayable bool
}

// init makes the attempt ready to be tried.
func (a *attempt) init(c *call, now time.Time) {
	a.call = c
	timeout := min(c.timeout, c.left(now))

	if timeout == forever {
		a.start(c.ctx, time.Time{}, forever)

		return
	}

	a.start(c.ctx, now.Add(timeout), timeout)
}

// Value implements context.Context.
func (a *attempt) Value(key any) any {
	if key == traceKey && traceKey != nil {
		return a.clientTrace()
	}

	if key == (callKey{}) {
		return a.call
	}

	return a.parent.Value(key)
}

// try makes the attempt and leaves its result in the call.
func (c *call) try(a *attempt) {
	c.mu.Lock()
	c.attempts++
	number := int(c.attempts)
	c.mu.Unlock()

	c.last = result{attempt: a}

	req, err := c.request(a, number)
	if err != nil {
		c.last.err = err

		return
	}

	resp, err := c.cfg.next.RoundTrip(req)
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close()
		}

		c.last.err = err

		return
	}

	if resp.Body == nil {
		resp.Body = http.NoBody
	}

	// The outcome is found through the request's context.
	resp.Request = req
	c.last.resp = resp
	c.receive(a)
}

// receive reads of the answer what has to be read within the attempt.
func (c *call) receive(a *attempt) {
	resp := c.last.resp
	failed := resp.StatusCode >= http.StatusBadRequest

	switch {
	case !c.handsOver(resp):
		body, err := readAll(resp)
		_ = resp.Body.Close()

		if err != nil && !failed {
			c.last.resp, c.last.err = nil, err

			return
		}

		if failed {
			c.failing().peeked = body
		}

		resp.Body = newMemory(body)
		a.end()
	case resp.StatusCode == http.StatusConflict || resp.StatusCode == http.StatusUnprocessableEntity:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		c.failing().peeked = body
		resp.Body = &rewound{Reader: io.MultiReader(bytes.NewReader(body), resp.Body), Closer: resp.Body}
	}

	// The headers are in: what is not read here has all the time it needs.
	if c.handsOver(resp) && !a.stream.begin(a) {
		_ = resp.Body.Close()
		c.last.resp, c.last.err = nil, context.DeadlineExceeded
	}
}

// handsOver reports whether the answer's body is left to the caller.
func (c *call) handsOver(resp *http.Response) bool {
	op := c.cfg.operation

	return op == nil || op.Stream && resp.StatusCode < http.StatusBadRequest
}

// memory is a body that was read within the attempt.
type memory struct {
	bytes.Reader

	whole []byte
}

func newMemory(whole []byte) *memory {
	m := &memory{whole: whole}
	m.Reset(whole)

	return m
}

// Close implements io.Closer.
func (*memory) Close() error { return nil }

// ReadBody reads the body of an answer and closes it. A body that was read
// within its attempt is not copied; the caller must not change it then.
func ReadBody(resp *http.Response) ([]byte, error) {
	if m, ok := resp.Body.(*memory); ok {
		return m.whole, nil
	}

	body, err := io.ReadAll(resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}

	return body, err
}

// rewound puts back what was read of a body.
type rewound struct {
	io.Reader
	io.Closer
}

// readAll reads a body whose length is often known.
func readAll(resp *http.Response) ([]byte, error) {
	const trusted = 1 << 20

	if resp.Body == http.NoBody {
		return nil, nil
	}

	if resp.ContentLength < 0 || resp.ContentLength > trusted {
		return io.ReadAll(resp.Body)
	}

	// One byte more, so that the end is seen without growing.
	body := make([]byte, 0, resp.ContentLength+1)

	for len(body) < cap(body) {
		n, err := resp.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]

		switch {
		case errors.Is(err, io.EOF) && int64(len(body)) < resp.ContentLength && resp.Request.Method != http.MethodHead:
			return body, io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return body, err
		}
	}

	// More than was announced: net/http does not let that happen.
	rest, err := io.ReadAll(resp.Body)

	return append(body, rest...), err
}

// request makes the request of one attempt.
func (c *call) request(a *attempt, number int) (*http.Request, error) {
	req := c.req.WithContext(withTrace(a))
	req.Header = c.attemptHeader(a, number)

	if err := c.body.attach(req, a); err != nil {
		return nil, err
	}

	return req, nil
}

// attemptHeader returns the header of one attempt: the call's own, cloned when
// something in it differs from attempt to attempt.
func (c *call) attemptHeader(a *attempt, number int) http.Header {
	if c.cfg.attemptHeader == "" && c.cfg.timeLeftHeader == "" &&
		c.cfg.refresh == nil && len(c.cfg.middleware) == 0 {
		return c.header
	}

	header := c.header.Clone()
	if header == nil {
		header = make(http.Header)
	}

	if c.cfg.attemptHeader != "" {
		header.Set(c.cfg.attemptHeader, strconv.Itoa(number))
	}

	if left, ok := a.Deadline(); ok && c.cfg.timeLeftHeader != "" {
		header.Set(c.cfg.timeLeftHeader, strconv.FormatInt(max(time.Until(left).Milliseconds(), 1), 10))
	}

	return header
}

// sent says how far the request got.
func (a *attempt) sent() retry.Sent {
	if a.trace.Load().nothingSent() {
		return retry.SentNothing
	}

	return retry.SentMaybe
}

// handOver leaves the answer's body to the caller: from now on the silence
// between reads is bounded instead of the attempt.
func (a *attempt) handOver(resp *http.Response) {
	if resp.Body == http.NoBody || resp.StatusCode == http.StatusSwitchingProtocols {
		a.detach(resp.Body == http.NoBody)

		return
	}

	if !a.call.handsOver(resp) {
		return
	}

	a.stream.handOver(resp)
}

var _ context.Context = (*attempt)(nil)
