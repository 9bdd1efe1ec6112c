package transport

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// loop runs the attempts after the first on go-retryablehttp, which counts,
// waits and stops on the caller's context. What it is shown are stand-ins: the
// real requests, answers and errors stay with the call, so that nothing of
// them is lost, changed or closed on the way.
func (c *call) loop() {
	client := retryablehttp.Client{
		HTTPClient: &http.Client{Transport: &engine{call: c, started: false}},
		RetryMax:   c.cfg.maxAttempts(),
		CheckRetry: func(context.Context, *http.Response, error) (bool, error) {
			return c.trouble.again, nil
		},
		Backoff: func(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
			return c.trouble.wait
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}

	standIn := http.Request{
		Method: http.MethodGet,
		URL:    &url.URL{Scheme: "http", Host: "attempt"},
		Header: http.Header{},
	}

	resp, err := client.Do(&retryablehttp.Request{Request: standIn.WithContext(c.ctx)})
	if err != nil {
		c.interrupted()

		return
	}

	_ = resp.Body.Close()
}

// interrupted notes that the caller's context ended during a wait.
func (c *call) interrupted() {
	c.trouble.reason = ReasonCaller
	c.last.resp = nil
}

// engine makes the attempts that go-retryablehttp asks for. The first one has
// been made already. It does not implement CloseIdleConnections, which the
// library calls on every failure.
type engine struct {
	call    *call
	started bool
}

// RoundTrip implements http.RoundTripper.
func (e *engine) RoundTrip(req *http.Request) (*http.Response, error) {
	if e.started {
		e.call.attemptOnce(&attempt{}, time.Now())
	}

	e.started = true

	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       http.NoBody,
		Request:    req,
	}, nil
}
