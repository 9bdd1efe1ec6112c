package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// The contention model is the one of Marc Brooker, "Exponential Backoff and Jitter" (2015): clients that each want to
// update one row once, under optimistic concurrency control, over a network whose delay is normal with a mean of 10 ms
// and a standard deviation of 2 ms. A client reads the version, writes, and when another was faster waits and starts
// again. What counts is how many writes were sent until all clients are through.
const (
	networkMean = 10 * time.Millisecond
	networkSD   = 2 * time.Millisecond
	rowBase     = 5 * time.Millisecond
	rowCap      = 2 * time.Second
)

// wait says how long a client waits before its try number i, 0 for the first retry, after it waited previous before.
type wait func(i int, previous time.Duration, random float64) time.Duration

// form is a way to wait. Those that sdk/retry offers are its own code, the others are written out here.
type form struct {
	name    string
	offered bool
	wait    wait
}

func forms() []form {
	// The bound of the first retry is twice the base in the article's program and the base itself in ours.
	full := retry.Backoff{Base: 2 * rowBase, Cap: rowCap}
	decorrelated := retry.Backoff{Base: rowBase, Cap: rowCap, Decorrelated: true}

	bound := func(i int) float64 { return min(math.Ldexp(float64(2*rowBase), i), float64(rowCap)) }

	return []form{
		{"none", false, func(int, time.Duration, float64) time.Duration { return 0 }},
		{"exponential, no jitter", false, func(i int, _ time.Duration, _ float64) time.Duration {
			return time.Duration(bound(i))
		}},
		{"equal jitter", false, func(i int, _ time.Duration, random float64) time.Duration {
			return time.Duration(bound(i) * (1 + random) / 2)
		}},
		{"full jitter", true, func(i int, _ time.Duration, random float64) time.Duration {
			return full.Delay(i, false, 0, random)
		}},
		{"decorrelated jitter", true, func(i int, previous time.Duration, random float64) time.Duration {
			return decorrelated.Delay(i, false, previous, random)
		}},
	}
}

// contended is what a run of the model took, on average.
type contended struct {
	calls float64
	took  time.Duration
}

// contend runs the model with the number of clients, reps times.
func contend(f form, clients, reps int, seed uint64) contended {
	var (
		sum    contended
		random = rand.New(rand.NewPCG(seed, uint64(clients)))
	)

	for range reps {
		calls, took := contendOnce(f, clients, random)
		sum.calls += float64(calls)
		sum.took += took
	}

	return contended{calls: sum.calls / float64(reps), took: sum.took / time.Duration(reps)}
}

func contendOnce(f form, clients int, random *rand.Rand) (calls int, took time.Duration) {
	var (
		w       world
		version int
	)

	delay := func() time.Duration {
		return time.Duration(math.Abs(random.NormFloat64()*float64(networkSD) + float64(networkMean)))
	}

	for range clients {
		var (
			retries  int
			previous time.Duration
			read     func()
		)

		read = func() {
			seen := version

			w.after(delay()+delay(), func() { // the answer to the read, then the write
				calls++

				if seen == version {
					version++
					w.after(delay(), func() {})

					return
				}

				// The refusal travels back, the client waits, and reads again.
				previous = f.wait(retries, previous, random.Float64())
				retries++

				w.after(delay()+previous+delay(), read)
			})
		}

		w.after(delay(), read)
	}

	w.run(0)

	return calls, w.now
}
