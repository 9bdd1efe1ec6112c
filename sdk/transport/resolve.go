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

// unlimited is what a switched-off limit counts as in arithmetic.
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

// policy resolves defaults < operation < client < call.
func (c *config) policy() retry.Policy {
	op := c.operation
	if op == nil {
		op = &Operation{}
	}

	policy := retry.Policy{
		Attempts:        retry.DefaultAttempts,
		Cautious:        retry.DefaultCautious,
		AttemptTimeout:  limit(c.attemptTimeout, op.AttemptTimeout, retry.DefaultAttemptTimeout),
		RetryAfterLimit: retry.DefaultRetryAfterLimit,
		Backoff:         c.backoff,
	}

	switch {
	case op.NoRetry:
		policy.Attempts = 1
	case c.attempts > 0:
		policy.Attempts = c.attempts
	case op.Attempts > 0:
		policy.Attempts = op.Attempts
	}

	if c.retryAfterLimit >= 0 {
		policy.RetryAfterLimit = c.retryAfterLimit
	}

	if policy.Backoff.Base <= 0 {
		policy.Backoff.Base = op.BackoffBase
	}

	if policy.Backoff.Cap <= 0 {
		policy.Backoff.Cap = op.BackoffCap
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

func (c *config) streams() bool { return c.operation == nil || c.operation.Stream }

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
