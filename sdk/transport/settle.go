package transport

import (
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

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
