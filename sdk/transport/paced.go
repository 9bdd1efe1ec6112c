package transport

import (
	"context"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// attemptOnce makes one attempt, at the client's pace, and reports whether
// another follows.
func (c *call) attemptOnce(a *attempt, now time.Time) bool {
	if c.cfg.pace != nil {
		if err := c.paced(now); err != nil {
			c.last = result{attempt: a, err: err}
			c.failing().again = false
			a.init(c, now)

			return false
		}

		now = time.Now()
	}

	a.init(c, now)
	c.try(a)
	again := c.settle(a)

	if c.cfg.pace != nil {
		class := c.class()
		c.cfg.pace.Ended(time.Now(), class == retry.Throttled || class == retry.Overloaded)
	}

	return again
}

// paced waits until the client may send.
func (c *call) paced(now time.Time) error {
	wait, giveBack := c.cfg.pace.Reserve(now)
	if wait <= 0 {
		return nil
	}

	if left := c.left(now); wait >= left {
		giveBack()

		c.failing().reason = ReasonDeadline

		return fmt.Errorf("transport: the client's own pace allows the next attempt in %s, %s are left: %w",
			wait.Round(time.Millisecond), left.Round(time.Millisecond), context.DeadlineExceeded)
	}

	timer := time.NewTimer(wait)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-c.ctx.Done():
		giveBack()

		c.failing().reason = ReasonCaller

		return context.Cause(c.ctx)
	}
}
