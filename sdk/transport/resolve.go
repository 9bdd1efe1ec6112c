package transport

import (
	"slices"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// DefaultIdleTimeout bounds the silence in a body handed to the caller.
const DefaultIdleTimeout = 60 * time.Second

// forever is the timeout that never comes.
const forever = time.Duration(1<<63 - 1)

// limit picks the first of two limits that is set; one that is switched off
// counts as forever.
func limit(set, operation, fallback time.Duration) time.Duration {
	for _, d := range [...]time.Duration{set, operation} {
		if d < 0 {
			return forever
		}

		if d > 0 {
			return d
		}
	}

	return fallback
}

// timeout resolves the attempt timeout: defaults < operation < client < call.
func (c *config) timeout() time.Duration {
	if c.operation == nil {
		return limit(c.attemptTimeout, 0, retry.DefaultAttemptTimeout)
	}

	return limit(c.attemptTimeout, c.operation.AttemptTimeout, retry.DefaultAttemptTimeout)
}

func (c *config) maxAttempts() int {
	op := c.operation

	switch {
	case op != nil && op.NoRetry:
		return 1
	case c.attempts > 0:
		return c.attempts
	case op != nil && op.Attempts > 0:
		return op.Attempts
	}

	return retry.DefaultAttempts
}

// policy resolves the rest, which only a failure needs.
func (c *config) policy() retry.Policy {
	policy := retry.DefaultPolicy()
	policy.Attempts = c.maxAttempts()
	policy.AttemptTimeout = c.timeout()
	policy.Backoff = c.backoff

	if c.retryAfterLimit >= 0 {
		policy.RetryAfterLimit = c.retryAfterLimit
	}

	if c.operation != nil && policy.Backoff.Base <= 0 {
		policy.Backoff.Base = c.operation.BackoffBase
	}

	if c.operation != nil && policy.Backoff.Cap <= 0 {
		policy.Backoff.Cap = c.operation.BackoffCap
	}

	return policy
}

func (c *config) rules() retry.Rules {
	if c.operation == nil {
		return retry.Rules{}
	}

	return retry.Rules{
		Statuses:        c.operation.RetryStatuses,
		OverrideHeader:  c.operation.OverrideHeader,
		ReusedCodes:     c.operation.ReusedCodes,
		InProgressCodes: c.operation.InProgressCodes,
	}
}

// buffered reports whether answers are read whole within the attempt.
func (c *config) buffered() bool { return c.operation != nil }

// takesKey reports whether the request takes a key that the server honours.
func (c *config) takesKey(method string) bool {
	if c.operation != nil {
		return c.operation.Key != nil
	}

	return c.key != "" || slices.Contains(c.keyed, method)
}

// idempotent reports whether the request may be repeated without a key.
func (c *config) idempotent(method string) bool {
	if c.operation != nil && c.operation.Idempotency != ByMethod {
		return c.operation.Idempotency == Idempotent
	}

	return idempotentMethod(method)
}
