package retry

import "time"

// Defaults of [Backoff]: AWS retry behaviour 2.1.
const (
	DefaultBase         = 50 * time.Millisecond
	DefaultThrottleBase = time.Second
	DefaultCap          = 20 * time.Second
)

// Backoff says how long to wait before a retry when the server does not say.
// The wait before retry i (0 for the first) is random in
// [0, min(Cap, Base*2^i)): full jitter, which spreads clients best for the
// work they cause (Brooker, "Exponential Backoff and Jitter", 2015). A zero
// field takes its default.
type Backoff struct {
	// Base is the first upper bound after a transient failure. Default 50 ms.
	Base time.Duration
	// ThrottleBase is the first upper bound when the server turned the call
	// away. Default 1 s, and at least Base.
	ThrottleBase time.Duration
	// Cap bounds the upper bound, before the jitter. Default 20 s.
	Cap time.Duration
	// Min is the shortest wait. Default 0.
	Min time.Duration
	// Decorrelated draws from [Base, 3*max(Base, previous wait)) instead, up
	// to Cap.
	Decorrelated bool
}

// Delay returns the wait before retry number i, 0 for the first. throttle
// chooses the base, previous is the wait before the last retry (only used when
// Decorrelated), random is in [0, 1].
func (b Backoff) Delay(i int, throttle bool, previous time.Duration, random float64) time.Duration {
	base := b.base(throttle)
	limit := pick(b.Cap, DefaultCap)
	random = min(max(random, 0), 1)

	if b.Decorrelated {
		floor := min(base, limit)
		upper := max(floor, 3*min(max(previous, floor), limit/3))

		return max(floor+fraction(upper-floor, random), b.Min)
	}

	upper := limit
	// From 62 doublings on the product cannot be held; it is above any cap
	// long before.
	if i < 62 && base <= limit>>max(i, 0) {
		upper = base << max(i, 0)
	}

	return min(max(fraction(upper, random), b.Min), max(limit, b.Min))
}

// fraction is random*d without leaving what a Duration can hold.
func fraction(d time.Duration, random float64) time.Duration {
	if random >= 1 {
		return d
	}

	return min(time.Duration(random*float64(d)), d)
}

func (b Backoff) base(throttle bool) time.Duration {
	base := pick(b.Base, DefaultBase)
	if !throttle {
		return base
	}

	return max(pick(b.ThrottleBase, DefaultThrottleBase), base)
}

func pick(value, fallback time.Duration) time.Duration {
	if value <= 0 {
		return fallback
	}

	return value
}
