package main

import (
	"math/rand/v2"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

const (
	driftCalls = 400_000
	// A bucket that starts half full and is this large meets neither of its ends during a run.
	driftCapacity = 1 << 23
)

// drift is how many tokens a call puts into the bucket, on average, when each attempt fails with probability p.
// Below the break-even the bucket stays full and never refuses; above, it runs dry.
func drift(cost int, p float64, seed uint64) float64 {
	b := budget.NewTokenBucket(budget.BucketConfig{Capacity: driftCapacity, TransientCost: cost, ThrottleCost: driftCapacity / 2})
	b.Charge(epoch, budget.Throttle) // half empty; no call below is throttled

	random := rand.New(rand.NewPCG(seed, 1))
	before := b.State(epoch).Available

	for range driftCalls {
		call(3, b, epoch, func() bool { return random.Float64() < p })
	}

	return float64(b.State(epoch).Available-before) / driftCalls
}

// breakEven finds the failure rate at which a bucket with this cost of a retry neither fills nor drains.
func breakEven(cost int, seed uint64) float64 {
	low, high := 0.1, 0.5
	for range 10 {
		if mid := (low + high) / 2; drift(cost, mid, seed) > 0 {
			low = mid
		} else {
			high = mid
		}
	}

	return (low + high) / 2
}
