package retrytest

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Transport is an http.RoundTripper that answers by script, without a
// network. Give it to an SDK as its base. It is safe for concurrent use.
type Transport struct {
	script
}

// NewTransport returns a Transport that plays steps.
func NewTransport(steps ...Step) *Transport {
	return &Transport{script: script{steps: steps}}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte

	if req.Body != nil {
		var err error

		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()

		if err != nil {
			return nil, err
		}
	}

	step := t.next(Request{
		Method: req.Method,
		Path:   req.URL.RequestURI(),
		Host:   req.URL.Host,
		Header: req.Header.Clone(),
		Body:   string(body),
		At:     time.Now(),
	})

	if err := wait(req, step); err != nil {
		return nil, err
	}

	switch step.fault {
	case faultRefuse:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case faultReset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case faultDrop:
		return nil, io.EOF
	case faultNone, faultCut, faultStall:
	}

	return answer(req, step), nil
}

// wait lets the step's delay pass, or the request's context end.
func wait(req *http.Request, step Step) error {
	if step.delay == 0 && step.fault != faultStall {
		return req.Context().Err()
	}

	var due <-chan time.Time

	if step.fault != faultStall {
		timer := time.NewTimer(step.delay)
		defer timer.Stop()

		due = timer.C
	}

	select {
	case <-due:
		return nil
	case <-req.Context().Done():
		return req.Context().Err()
	}
}

func answer(req *http.Request, step Step) *http.Response {
	resp := &http.Response{
		Status:        http.StatusText(step.status),
		StatusCode:    step.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        step.header.Clone(),
		Body:          io.NopCloser(strings.NewReader(step.body)),
		ContentLength: int64(len(step.body)),
		Request:       req,
	}

	if resp.Header == nil {
		resp.Header = make(http.Header)
	}

	if step.fault == faultCut {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(step.body[:len(step.body)/2]), cut{}))
	}

	return resp
}

type cut struct{}

// Read implements io.Reader.
func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// FakeTime runs f with a clock that jumps ahead whenever everything waits, so
// that waits of minutes take no time and are exact. It is testing/synctest;
// inside, use a [Transport], not a [Server]: the network does not wait on a
// fake clock.
func FakeTime(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
