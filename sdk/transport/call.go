package transport

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

// call is one call: what RoundTrip does between the request and its end. Its
// steps run on one goroutine; only the counters behind mu are touched by
// net/http's goroutines too.
type call struct {
	t   *Transport
	cfg *config
	req *http.Request
	ctx context.Context //nolint:containedctx // the call lives for one RoundTrip

	header    http.Header
	key       [1]string // its header's value, too
	previous  *call     // the hop before, when a redirect led here
	timeout   time.Duration
	start     time.Time
	deadline  time.Time
	body      requestBody
	ownHeader bool
	guarded   bool
	safe      bool

	mu       sync.Mutex
	paid     budget.Kind
	attempts int32
	resends  int32

	last    result
	trouble *trouble // nil as long as nothing failed

	first attempt
}

func (c *call) made() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return int(c.attempts)
}

func (c *call) resent() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return int(c.resends)
}

// countResend counts and charges a resend that net/http makes by itself.
func (c *call) countResend() {
	if c.cfg.budget != nil {
		c.cfg.budget.Charge(time.Now(), budget.Transient)
	}

	c.noteResend()
}

// mayResend counts and pays for a resend that net/http is about to make by
// itself, or reports that the attempts or the budget are used up.
func (c *call) mayResend() bool {
	if c.made() >= c.cfg.maxAttempts() {
		return false
	}

	if c.cfg.budget != nil && c.cfg.budget.Withdraw(time.Now(), budget.Transient) != nil {
		return false
	}

	c.noteResend()

	return true
}

func (c *call) noteResend() {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.attempts++
	c.resends++
	c.paid = budget.Transient
}

// name is the operation as errors, logs and events show it.
func (c *call) name() string {
	op := c.cfg.operation

	switch {
	case op != nil && op.ID != "":
		return op.ID
	case op != nil && op.Path != "":
		return c.req.Method + " " + op.Path
	}

	return c.req.Method + " " + c.req.URL.Path
}

// cause is the failure of the last attempt in a few words.
func (c *call) cause() string {
	if c.last.resp != nil {
		return http.StatusText(c.last.resp.StatusCode)
	}

	if c.last.attempt.timedOut() {
		return "attempt timeout"
	}

	return c.class().String() + ": " + c.last.err.Error()
}

// begin makes everything that stays the same over the attempts.
func (c *call) begin() error {
	if opts, ok := c.ctx.Value(callOptions{}).([]Option); ok {
		own := c.t.cfg
		for _, opt := range opts {
			opt.apply(&own)
		}

		if len(own.middleware) != len(c.t.cfg.middleware) {
			own.next = wrap(c.t.base, own.middleware)
		}

		c.cfg = &own
	}

	// The base looks at the context only now and then: what has ended is not sent.
	if c.ctx.Err() != nil {
		return callerError(c.ctx)
	}

	c.start = time.Now()
	c.timeout = c.cfg.timeout()
	c.header = c.req.Header
	c.setDeadline()
	c.body.init(c.req)

	if err := c.body.buffer(c.cfg.bufferLimit); err != nil {
		return err
	}

	if c.previous = previousHop(c.req); c.previous != nil {
		c.continueFrom(c.previous)
	}

	if err := c.makeKey(c.previous); err != nil {
		return err
	}

	if c.cfg.budget != nil {
		c.cfg.budget.Request(c.start)
	}

	return nil
}

// setDeadline sets the one deadline of the call: the policy's or the
// context's, whichever is earlier. The zero time means none.
func (c *call) setDeadline() {
	var operation time.Duration
	if c.cfg.operation != nil {
		operation = c.cfg.operation.Deadline
	}

	if d := limit(c.cfg.deadline, operation, retry.DefaultDeadline); d != forever {
		c.deadline = c.start.Add(d)
	}

	if at, ok := c.ctx.Deadline(); ok && (c.deadline.IsZero() || at.Before(c.deadline)) {
		c.deadline = at
	}
}

func (c *call) left(now time.Time) time.Duration {
	if c.deadline.IsZero() {
		return forever
	}

	return c.deadline.Sub(now)
}

// owned returns the call's header for changing, cloned from the request's the
// first time.
func (c *call) owned() http.Header {
	if !c.ownHeader {
		c.ownHeader = true
		c.header = copied(c.header)
	}

	return c.header
}

// copied is header.Clone without copying the values, which nobody changes in
// place.
func copied(header http.Header) http.Header {
	out := make(http.Header, len(header)+1)
	for name, values := range header {
		out[name] = slices.Clip(values)
	}

	return out
}

// refused is the error of a call that ended before anything was sent.
func (c *call) refused(err error) *Error {
	reason := ReasonNotRetryable
	if c.ctx.Err() != nil {
		reason = ReasonCaller
	}

	return &Error{
		Operation:      c.name(),
		IdempotencyKey: c.key[0],
		Reason:         reason,
		Err:            err,
	}
}

// joined joins errors and leaves a single one as it is.
func joined(errs ...error) error {
	var only error

	n := 0

	for _, err := range errs {
		if err != nil {
			only = err
			n++
		}
	}

	if n <= 1 {
		return only
	}

	return errors.Join(errs...)
}
