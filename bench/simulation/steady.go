package main

import (
	"math/rand/v2"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

// guard is what may stop a retry. It is budget.Budget, or a form that we do not offer.
type guard interface {
	Request(now time.Time)
	Withdraw(now time.Time, kind budget.Kind) error
	Success(paid budget.Kind)
}

// brookers is the bucket of Marc Brooker's "Fixing retries with token buckets and circuit breakers" (2022) as his
// program has it: every call puts a tenth of a retry in, whether it succeeds or not, up to five, and a retry needs
// more than one.
type brookers struct{ tokens float64 }

func newBrookers() guard { return &brookers{tokens: 5} }

func (b *brookers) Request(time.Time) { b.tokens = min(b.tokens+0.1, 5) }

func (b *brookers) Withdraw(time.Time, budget.Kind) error {
	if b.tokens <= 1 {
		return budget.ErrExhausted
	}

	b.tokens--

	return nil
}

func (*brookers) Success(budget.Kind) {}

// strategy is a number of attempts and what holds them back.
type strategy struct {
	name     string
	attempts int
	guard    func() guard // one for each client, nil for none
}

func bucket(transient, throttle int) func() guard {
	return func() guard {
		return budget.NewTokenBucket(budget.BucketConfig{TransientCost: transient, ThrottleCost: throttle})
	}
}

func share(ratio, perSecond float64) func() guard {
	return func() guard { return budget.NewShare(budget.ShareConfig{Ratio: ratio, PerSecond: perSecond}) }
}

// crowd is a number of clients that call at a steady rate, each at random, for a time.
type crowd struct {
	clients int
	rate    float64 // calls of a client each second
	lasts   time.Duration
}

// load is what a server sees.
type load struct {
	calls, attempts, successes int
	// refusedAt is the number of the first call, counted from 0, whose retry was held back; -1 for none.
	refusedAt int
}

// factor is how many attempts a call costs the server.
func (l load) factor() float64 { return float64(l.attempts) / float64(l.calls) }

func (l load) success() float64 { return float64(l.successes) / float64(l.calls) }

// steady lets the crowd call a server that fails each attempt with probability p, whatever its load, and retry at once.
func steady(s strategy, c crowd, p float64) load {
	var (
		random = rand.New(rand.NewPCG(seed, 0))
		total  = load{refusedAt: -1}
	)

	for range c.clients {
		var held guard
		if s.guard != nil {
			held = s.guard()
		}

		gap := func() time.Duration { return time.Duration(random.ExpFloat64() / c.rate * float64(time.Second)) }
		for at := gap(); at < c.lasts; at += gap() {
			total = total.with(call(s.attempts, held, epoch.Add(at), func() bool { return random.Float64() < p }))
		}
	}

	return total
}

// with adds a call.
func (l load) with(attempts int, ok, held bool) load {
	if held && l.refusedAt < 0 {
		l.refusedAt = l.calls
	}

	l.calls++
	l.attempts += attempts

	if ok {
		l.successes++
	}

	return l
}

// call makes one call and its retries, all at the same instant.
func call(limit int, held guard, now time.Time, fails func() bool) (attempts int, ok, refused bool) {
	paid := budget.None

	if held != nil {
		held.Request(now)
	}

	for attempts = 1; fails(); attempts++ {
		if attempts == limit {
			return attempts, false, false
		}

		if held == nil {
			continue
		}

		if held.Withdraw(now, budget.Transient) != nil {
			return attempts, false, true
		}

		paid = budget.Transient
	}

	if held != nil {
		held.Success(paid)
	}

	return attempts, true, false
}
