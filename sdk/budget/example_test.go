package budget_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

// An outage uses the bucket up; successes fill it again.
func ExampleTokenBucket() {
	bucket := budget.NewTokenBucket(budget.BucketConfig{Capacity: 30})
	now := time.Now()

	for {
		err := bucket.Withdraw(now, budget.Transient)
		fmt.Println(err, bucket.State(now).Available)

		if errors.Is(err, budget.ErrExhausted) {
			break
		}
	}

	for range 12 {
		bucket.Success(budget.None)
	}

	fmt.Println(bucket.Withdraw(now, budget.Transient))
	// Output:
	// <nil> 16
	// <nil> 2
	// retry held back by the client's own budget: it costs 14, 2 of 30 left, allowed after 12 successful calls 2
	// <nil>
}

// One retry for every five requests of the last ten seconds.
func ExampleShare() {
	share := budget.NewShare(budget.ShareConfig{PerSecond: -1})
	now := time.Now()

	for range 10 {
		share.Request(now)
	}

	fmt.Println(share.State(now).Available)
	// Output: 2
}
