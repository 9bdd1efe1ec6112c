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

// result is how an attempt ended.
type result struct {
	attempt *attempt
	resp    *http.Response
	err     error
}

func (r *result) status() int {
	if r.resp == nil {
		return 0
	}

	return r.resp.StatusCode
}

// trouble is what a call needs once something failed. A call without failures,
// the common one, does not pay for it.
type trouble struct {
	// Of the last attempt.
	verdict retry.Verdict
	peeked  []byte
	after   time.Duration
	asked   bool

	// Of the call so far.
	retries   int
	cautious  int
	wait      time.Duration
	answer    *answer
	refreshed bool
	mayRetry  bool
	uncertain bool

	// Its outlook.
	again  bool
	reason Reason
	stop   error
}

// failing returns the call's trouble.
func (c *call) failing() *trouble {
	if c.trouble == nil {
		c.trouble = &trouble{}
	}

	return c.trouble
}

// reason and class are safe to ask for in a call without trouble.
func (c *call) reason() Reason {
	if c.trouble == nil {
		return ReasonNone
	}

	return c.trouble.reason
}

func (c *call) class() retry.Class {
	if c.trouble == nil {
		return retry.Success
	}

	return c.trouble.verdict.Class
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

// settle says what the attempt's end means and whether another follows. If so
// it has been paid for, logged, and the answer is drained.
func (c *call) settle(a *attempt) bool {
	if c.last.resp != nil && c.last.resp.StatusCode < http.StatusBadRequest {
		if c.trouble != nil {
			c.trouble.verdict, c.trouble.again = retry.Verdict{}, false
		}

		c.event(EventAttempt)

		return false
	}

	// Reading the clock is not free, so a success does without.
	now := time.Now()
	tr := c.failing()
	tr.again = false

	c.judge(a, now)
	c.event(EventAttempt)

	class := tr.verdict.Class
	tr.uncertain = tr.uncertain || !class.Rejected()

	if class == retry.Unauthorized {
		c.refresh()
	}

	policy := c.cfg.policy()

	decision := policy.Decide(tr.verdict, retry.Progress{
		Attempts:   c.made(),
		Retries:    tr.retries,
		Cautious:   tr.cautious,
		Safe:       c.safe,
		Replayable: c.body.replayable(),
		Refreshed:  class == retry.Unauthorized && tr.mayRetry,
		Previous:   tr.wait,
		Left:       c.left(now),
	}, tr.after, tr.asked, c.cfg.random())
	if !decision.Retry {
		tr.reason = decision.Reason

		return false
	}

	kind := budget.Transient
	if class.Throttle() {
		kind = budget.Throttle
	}

	if c.cfg.budget != nil {
		if err := c.cfg.budget.Withdraw(now, kind); err != nil {
			tr.reason, tr.stop = ReasonBudget, err

			return false
		}
	}

	c.prepare(decision.Wait, kind)

	return true
}

// prepare notes that another attempt follows after wait and tidies up behind
// the last one.
func (c *call) prepare(wait time.Duration, kind budget.Kind) {
	tr := c.trouble
	tr.again, tr.wait, c.paid = true, wait, kind
	tr.retries++

	if tr.verdict.Class == retry.Cautious {
		tr.cautious++
	}

	c.logRetry()
	c.event(EventRetry)

	if c.last.resp != nil {
		tr.answer = c.drain()
	}

	c.last.attempt.end()
}

// judge classifies the attempt's end.
func (c *call) judge(a *attempt, now time.Time) {
	tr, resp := c.trouble, c.last.resp
	tr.after, tr.asked = 0, false

	switch {
	case resp != nil:
		tr.verdict = retry.ClassifyResponse(resp.StatusCode, resp.Header, tr.peeked, c.cfg.rules(), now)
		tr.after, tr.asked = retry.After(resp.Header, now)
	case c.ctx.Err() != nil:
		tr.verdict = retry.Verdict{Class: retry.Canceled}
	case a.timedOut() && a.sent() != retry.SentNothing:
		tr.verdict = retry.Verdict{Class: retry.Unknown}
	case a.timedOut():
		tr.verdict = retry.Verdict{Class: retry.NeverSent}
	default:
		tr.verdict = retry.Verdict{Class: retry.ClassifyError(c.last.err, a.sent())}
	}
}

// refresh asks for fresh credentials, once in a call.
func (c *call) refresh() {
	tr := c.trouble
	tr.mayRetry = false

	if c.cfg.refresh == nil || tr.refreshed {
		return
	}

	tr.refreshed = true

	req := c.req.Clone(c.ctx)
	req.Header = c.owned()

	ok, err := c.cfg.refresh(c.ctx, req, c.last.resp)
	if err != nil {
		tr.stop = err
	}

	c.header, tr.mayRetry = req.Header, ok && err == nil
}

// refused is the error of a call that ended before anything was sent.
func (c *call) refused(err error) *Error {
	return &Error{
		Operation:      c.name(),
		IdempotencyKey: c.key[0],
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
