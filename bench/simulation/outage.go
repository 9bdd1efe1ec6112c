package main

import (
	"math/rand/v2"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

// scenario is a server and the clients that it has, and when it stops answering. Times are virtual.
type scenario struct {
	capacity       float64 // attempts that the server works off in a second
	queue          int     // attempts that wait for it; the next one is refused with a 503
	clients        int
	rate           float64 // calls of a client in a second
	attemptTimeout time.Duration
	from, until    time.Duration // the outage
	lasts          time.Duration
	seed           uint64
}

// overload is the case of the charts: a server at 80 % of its capacity hangs for ten seconds. It works on what has been
// given up as well, for it cannot tell; that is what keeps such an overload going after its cause is gone.
func overload() scenario {
	return scenario{
		capacity: 300, queue: 600, clients: 20, rate: 12, attemptTimeout: time.Second,
		from: 20 * time.Second, until: 30 * time.Second, lasts: 2 * time.Minute, seed: 20211,
	}
}

// plan is how the clients of a run retry.
type plan struct {
	name string
	// decide is the policy's word on another attempt; nil means that there are none.
	decide func(p retry.Progress, random float64) retry.Decision
	budget func() budget.Budget // one for each client, nil for none
}

// naive retries n times after a fixed pause.
func naive(n int, pause time.Duration) func(retry.Progress, float64) retry.Decision {
	return func(p retry.Progress, _ float64) retry.Decision {
		return retry.Decision{Retry: p.Attempts <= n, Wait: pause}
	}
}

// defaults is what sdk/transport does with an attempt that timed out or met a 503: three attempts, full jitter, and no
// wait that does not fit the deadline.
func defaults(p retry.Progress, random float64) retry.Decision {
	return retry.DefaultPolicy().Decide(retry.Verdict{Class: retry.Unknown}, p, 0, false, random)
}

func plans() []plan {
	return []plan{
		{"no retries", nil, nil},
		{"three naive retries", naive(3, 0), nil},
		{"full jitter only", defaults, nil},
		{"full jitter and bucket", defaults, func() budget.Budget { return budget.NewTokenBucket(budget.BucketConfig{}) }},
		{"full jitter and share of 10 %", defaults, func() budget.Budget {
			return budget.NewShare(budget.ShareConfig{Ratio: 0.1, PerSecond: 0.5})
		}},
		{"full jitter and share, defaults", defaults, func() budget.Budget { return budget.NewShare(budget.ShareConfig{}) }},
	}
}

// second is what happened in one second of a run.
type second struct{ calls, attempts, goodput int }

// play runs a scenario and returns its seconds.
func play(s scenario, p plan) []second {
	r := &playing{
		scenario: s, plan: p,
		seconds: make([]second, int(s.lasts/time.Second)),
		arrive:  rand.New(rand.NewPCG(s.seed, 2)), // the same calls whatever the plan
		jitter:  rand.New(rand.NewPCG(s.seed, 3)),
	}

	for range s.clients {
		c := &client{run: r}
		if p.budget != nil {
			c.budget = p.budget()
		}

		c.next()
	}

	// The server starts again by itself after the outage.
	r.after(s.until, r.serve)
	r.run(s.lasts)

	return r.seconds
}

// playing is one run of a scenario.
type playing struct {
	world
	scenario
	plan

	seconds        []second
	arrive, jitter *rand.Rand

	waiting []*attempt
	busy    bool
}

func (r *playing) count(add func(s *second)) {
	if i := int(r.now / time.Second); i < len(r.seconds) {
		add(&r.seconds[i])
	}
}

func (r *playing) down() bool { return r.now >= r.from && r.now < r.until }

// accept is the server's door.
func (r *playing) accept(a *attempt) {
	r.count(func(s *second) { s.attempts++ })

	if len(r.waiting) >= r.queue {
		a.end(false)

		return
	}

	r.waiting = append(r.waiting, a)
	r.serve()
}

// serve works on the first in the queue, whether or not somebody still waits for its answer.
func (r *playing) serve() {
	if r.busy || r.down() || len(r.waiting) == 0 {
		return
	}

	a := r.waiting[0]
	r.waiting = r.waiting[1:]
	r.busy = true

	r.after(time.Duration(float64(time.Second)/r.capacity), func() {
		r.busy = false

		a.end(true)
		r.serve()
	})
}

// client makes calls at random, whatever becomes of those before.
type client struct {
	run    *playing
	budget budget.Budget
}

func (c *client) next() {
	c.run.after(time.Duration(c.run.arrive.ExpFloat64()/c.run.rate*float64(time.Second)), func() {
		c.run.count(func(s *second) { s.calls++ })

		if c.budget != nil {
			c.budget.Request(c.run.clock())
		}

		(&oneCall{client: c, start: c.run.now}).try()
		c.next()
	})
}

// oneCall is a call with its attempts.
type oneCall struct {
	client            *client
	start             time.Duration
	attempts, retries int
	previous          time.Duration
	paid              budget.Kind
}

// attempt is one attempt of a call. Its end is the first of answer, refusal and timeout.
type attempt struct {
	call  *oneCall
	ended bool
}

func (o *oneCall) try() {
	o.attempts++

	a := &attempt{call: o}
	o.client.run.after(o.client.run.attemptTimeout, func() { a.end(false) })
	o.client.run.accept(a)
}

func (a *attempt) end(ok bool) {
	if a.ended {
		return
	}

	a.ended = true

	if ok {
		a.call.succeed()
	} else {
		a.call.fail()
	}
}

func (o *oneCall) succeed() {
	r := o.client.run
	r.count(func(s *second) { s.goodput++ })

	if o.client.budget != nil {
		o.client.budget.Success(o.paid)
	}
}

func (o *oneCall) fail() {
	r := o.client.run
	if r.decide == nil {
		return
	}

	decision := r.decide(retry.Progress{
		Attempts: o.attempts, Retries: o.retries, Safe: true, Replayable: true,
		Previous: o.previous, Left: o.start + retry.DefaultDeadline - r.now,
	}, r.jitter.Float64())
	if !decision.Retry {
		return
	}

	if o.client.budget != nil {
		if o.client.budget.Withdraw(r.clock(), budget.Transient) != nil {
			return
		}

		o.paid = budget.Transient
	}

	o.retries++
	o.previous = decision.Wait

	r.after(decision.Wait, o.try)
}

// recovery is how long after the outage the clients get again what they ask for: 95 % of their calls, for five seconds
// on end. ok is false when that does not happen within the run.
func recovery(s scenario, seconds []second) (after time.Duration, ok bool) {
	const steady = 5

	good := 0

	for i := int(s.until / time.Second); i < len(seconds); i++ {
		if float64(seconds[i].goodput) < 0.95*float64(seconds[i].calls) {
			good = 0

			continue
		}

		if good++; good == steady {
			return time.Duration(i+1-steady)*time.Second - s.until, true
		}
	}

	return 0, false
}

// sum adds up the seconds in a span of a run.
func sum(seconds []second, from, until time.Duration) second {
	var total second
	for _, s := range seconds[from/time.Second : until/time.Second] {
		total.calls += s.calls
		total.attempts += s.attempts
		total.goodput += s.goodput
	}

	return total
}
