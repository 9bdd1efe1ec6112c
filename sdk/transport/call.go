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
	t    *Transport
	cfg  *config
	req  *http.Request
	ctx  context.Context //nolint:containedctx // the call lives for one RoundTrip
	next http.RoundTripper

	header    http.Header
	ownHeader bool
	key       string
	keySlot   [1]string
	guarded   bool
	origin    string

	timeout  time.Duration
	start    time.Time
	deadline time.Time
	safe     bool
	body     requestBody

	mu       sync.Mutex
	attempts int
	resends  int

	retries   int
	cautious  int
	asked     bool
	refreshed bool
	uncertain bool
	wait      time.Duration
	paid      budget.Kind
	last      result
	answer    *answer
	reason    Reason
	stop      error
	again     bool

	first attempt
}

// result is how an attempt ended.
type result struct {
	attempt *attempt
	resp    *http.Response
	err     error
	peeked  []byte
	verdict retry.Verdict
	after   time.Duration
	asked   bool
}

func (r *result) status() int {
	if r.resp == nil {
		return 0
	}

	return r.resp.StatusCode
}

// answer is what is kept of an answer whose body is gone.
type answer struct {
	status int
	header http.Header
	body   []byte
	after  time.Duration
}

func (c *call) made() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.attempts
}

func (c *call) resent() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.resends
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
	if op := c.cfg.operation; op != nil && op.ID != "" {
		return op.ID
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

	return c.last.verdict.Class.String() + ": " + c.last.err.Error()
}

// begin makes everything that stays the same over the attempts.
func (c *call) begin() error {
	if opts, ok := c.ctx.Value(callOptions{}).([]Option); ok {
		own := c.t.cfg
		for _, opt := range opts {
			opt.apply(&own)
		}

		c.cfg = &own
	}

	c.next = c.t.next
	if len(c.cfg.middleware) != len(c.t.cfg.middleware) {
		c.next = wrap(c.t.base, c.cfg.middleware)
	}

	c.start = time.Now()
	c.timeout = c.cfg.timeout()
	c.header = c.req.Header
	c.setDeadline()
	c.body.init(c.req)

	if err := c.body.buffer(c.cfg.bufferLimit); err != nil {
		return err
	}

	previous := previousHop(c.req)
	if previous != nil {
		c.continueFrom(previous)
	} else {
		c.origin = c.req.URL.Host
	}

	if err := c.makeKey(previous); err != nil {
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

// settle says what the attempt's end means and whether another follows. If so
// it has been paid for, logged, and the answer is drained.
func (c *call) settle(a *attempt) bool {
	c.again = false

	if c.last.resp != nil && c.last.resp.StatusCode < http.StatusBadRequest {
		c.event(EventAttempt)

		return false
	}

	// Reading the clock is not free, so a success does without.
	now := time.Now()
	c.judge(a, now)
	c.event(EventAttempt)

	if !c.last.verdict.Class.Rejected() {
		c.uncertain = true
	}

	if c.last.verdict.Class == retry.Unauthorized {
		c.refresh()
	}

	policy := c.cfg.policy()

	decision := policy.Decide(c.last.verdict, retry.Progress{
		Attempts:   c.made(),
		Retries:    c.retries,
		Cautious:   c.cautious,
		Safe:       c.safe,
		Replayable: c.body.replayable(),
		Refreshed:  c.last.verdict.Class == retry.Unauthorized && c.refreshed,
		Previous:   c.wait,
		Left:       c.left(now),
	}, c.last.after, c.last.asked, c.cfg.random())
	if !decision.Retry {
		c.reason = decision.Reason

		return false
	}

	kind := budget.Transient
	if c.last.verdict.Class.Throttle() {
		kind = budget.Throttle
	}

	if c.cfg.budget != nil {
		if err := c.cfg.budget.Withdraw(now, kind); err != nil {
			c.reason, c.stop = ReasonBudget, err

			return false
		}
	}

	c.prepare(decision.Wait, kind)

	return true
}

// prepare notes that another attempt follows after wait and tidies up behind
// the last one.
func (c *call) prepare(wait time.Duration, kind budget.Kind) {
	c.again, c.wait, c.paid = true, wait, kind
	c.retries++

	if c.last.verdict.Class == retry.Cautious {
		c.cautious++
	}

	c.logRetry()
	c.event(EventRetry)

	if c.last.resp != nil {
		c.answer = c.last.drain(c.cfg.buffered())
	}

	c.last.attempt.end()
}

// judge classifies the attempt's end.
func (c *call) judge(a *attempt, now time.Time) {
	r := &c.last

	switch {
	case r.resp != nil:
		r.verdict = retry.ClassifyResponse(r.resp.StatusCode, r.resp.Header, r.peeked, c.cfg.rules(), now)
		r.after, r.asked = retry.After(r.resp.Header, now)
	case c.ctx.Err() != nil:
		r.verdict = retry.Verdict{Class: retry.Canceled, Override: retry.Unsaid}
	case a.timedOut() && a.sent() != retry.SentNothing:
		r.verdict = retry.Verdict{Class: retry.Unknown, Override: retry.Unsaid}
	case a.timedOut():
		r.verdict = retry.Verdict{Class: retry.NeverSent, Override: retry.Unsaid}
	default:
		r.verdict = retry.Verdict{Class: retry.ClassifyError(r.err, a.sent()), Override: retry.Unsaid}
	}
}

// refresh asks for fresh credentials, once in a call.
func (c *call) refresh() {
	c.refreshed = false

	if c.cfg.refresh == nil || c.asked {
		return
	}

	c.asked = true

	req := c.req.Clone(c.ctx)
	req.Header = c.owned()

	ok, err := c.cfg.refresh(c.ctx, req, c.last.resp)
	if err != nil {
		c.stop = err
	}

	c.header, c.refreshed = req.Header, ok && err == nil
}

// refused is the error of a call that ended before anything was sent.
func (c *call) refused(err error) *Error {
	return &Error{
		Operation:      c.name(),
		IdempotencyKey: c.key,
		Reason:         ReasonNotRetryable,
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
