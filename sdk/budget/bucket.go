package budget

import (
	"sync/atomic"
	"time"
)

// Defaults of a TokenBucket: AWS retry behaviour 2.1, as in
// aws-sdk-go-v2 v1.48.0 (aws/retry/standard.go, aws/ratelimit).
const (
	DefaultCapacity      = 500
	DefaultTransientCost = 14
	DefaultThrottleCost  = 5
	DefaultReward        = 1
)

// BucketConfig sets a [TokenBucket] up. A zero field takes its default, a
// negative one means zero.
type BucketConfig struct {
	// Capacity is the size of the bucket and how full it starts. Default 500.
	Capacity int
	// TransientCost and ThrottleCost are the prices of a retry. Default 14
	// and 5.
	TransientCost, ThrottleCost int
	// Reward is put back by a call whose first attempt succeeded. Default 1.
	Reward int
}

// TokenBucket is an integer bucket of retry tokens that only successes refill;
// time does not. A first-attempt success puts the reward back, a success after
// a retry puts back what the last retry cost, and a failed call puts back
// nothing. With the default prices it never binds while fewer than 21.5 % of
// attempts fail and brakes hard above that.
//
// It is safe for concurrent use, and free of writes while it is full.
type TokenBucket struct {
	capacity, transient, throttle, reward int64

	tokens  atomic.Int64
	refused atomic.Uint64
}

// NewTokenBucket returns a full bucket.
func NewTokenBucket(cfg BucketConfig) *TokenBucket {
	b := &TokenBucket{
		capacity:  pick(cfg.Capacity, DefaultCapacity),
		transient: pick(cfg.TransientCost, DefaultTransientCost),
		throttle:  pick(cfg.ThrottleCost, DefaultThrottleCost),
		reward:    pick(cfg.Reward, DefaultReward),
	}
	b.tokens.Store(b.capacity)

	return b
}

func pick(value, fallback int) int64 {
	if value == 0 {
		value = fallback
	}

	return int64(max(value, 0))
}

// Request implements [Budget]; a TokenBucket does not count first attempts.
func (b *TokenBucket) Request(time.Time) {}

// Withdraw implements [Budget]. It takes all of the price or nothing.
func (b *TokenBucket) Withdraw(_ time.Time, kind Kind) error {
	cost := b.cost(kind)

	for {
		have := b.tokens.Load()
		if have < cost {
			b.refused.Add(1)

			return b.exhausted(cost, have)
		}

		if b.tokens.CompareAndSwap(have, have-cost) {
			return nil
		}
	}
}

// Charge implements [Budget].
func (b *TokenBucket) Charge(_ time.Time, kind Kind) {
	b.add(-b.cost(kind))
}

// Success implements [Budget].
func (b *TokenBucket) Success(paid Kind) {
	if paid == None {
		b.add(b.reward)

		return
	}

	b.add(b.cost(paid))
}

// State implements [Budget].
func (b *TokenBucket) State(time.Time) State {
	return State{
		Available: int(b.tokens.Load()),
		Capacity:  int(b.capacity),
		Refused:   b.refused.Load(),
	}
}

func (b *TokenBucket) cost(kind Kind) int64 {
	switch kind {
	case Transient:
		return b.transient
	case Throttle:
		return b.throttle
	case None:
	}

	return 0
}

// add moves the level by delta within 0 and the capacity.
func (b *TokenBucket) add(delta int64) {
	for {
		have := b.tokens.Load()

		want := min(max(have+delta, 0), b.capacity)
		if want == have || b.tokens.CompareAndSwap(have, want) {
			return
		}
	}
}

func (b *TokenBucket) exhausted(cost, have int64) error {
	err := &ExhaustedError{
		Cost:  int(cost),
		State: State{Available: int(have), Capacity: int(b.capacity), Refused: b.refused.Load()},
	}

	if b.reward > 0 && cost <= b.capacity {
		err.Successes = int((cost - have + b.reward - 1) / b.reward)
	}

	return err
}
