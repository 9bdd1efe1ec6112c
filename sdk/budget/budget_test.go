package budget_test

import (
	"errors"
	"sync"
	"testing"
	"testing/quick"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

var start = time.Unix(1000, 0)

func TestBucketStaysWithinItsBounds(t *testing.T) {
	t.Parallel()

	property := func(ops []uint8) bool {
		b := budget.NewTokenBucket(budget.BucketConfig{Capacity: 50})

		for _, op := range ops {
			kind := budget.Kind(op % 3)

			switch op % 4 {
			case 0:
				b.Success(kind)
			case 1:
				b.Charge(start, kind)
			default:
				before := b.State(start).Available
				if err := b.Withdraw(start, kind); err != nil && b.State(start).Available != before {
					return false
				}
			}

			if left := b.State(start).Available; left < 0 || left > 50 {
				return false
			}
		}

		return true
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestBucketUnderConcurrency(t *testing.T) {
	t.Parallel()

	b := budget.NewTokenBucket(budget.BucketConfig{Capacity: 1000, TransientCost: 1, Reward: -1})

	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		granted int
	)

	for range 16 {
		wg.Go(func() {
			for range 100 {
				if b.Withdraw(start, budget.Transient) == nil {
					mu.Lock()
					granted++
					mu.Unlock()
				}
			}
		})
	}

	wg.Wait()

	if granted != 1000 || b.State(start).Refused != 600 {
		t.Errorf("granted %d, refused %d", granted, b.State(start).Refused)
	}
}

func TestExhaustedErrorSaysWhatItTakes(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		budget budget.Budget
		text   string
	}{
		{
			budget.NewTokenBucket(budget.BucketConfig{Capacity: 10}),
			"retry held back by the client's own budget: it costs 14, 10 of 10 left",
		},
		{
			budget.NewTokenBucket(budget.BucketConfig{Capacity: 20, Reward: 2}),
			"retry held back by the client's own budget: it costs 14, 6 of 20 left, allowed after 4 successful calls",
		},
		{
			budget.NewShare(budget.ShareConfig{PerSecond: 0.1}),
			"retry held back by the client's own budget: it costs 1, 0 of 1 left, allowed in 10s",
		},
		{
			budget.NewShare(budget.ShareConfig{PerSecond: -1}),
			"retry held back by the client's own budget: it costs 1, 0 of 0 left",
		},
	} {
		err := tc.budget.Withdraw(start, budget.Transient)
		if err == nil {
			err = tc.budget.Withdraw(start, budget.Transient)
		}

		if !errors.Is(err, budget.ErrExhausted) || err.Error() != tc.text {
			t.Errorf("got  %v\nwant %s", err, tc.text)
		}
	}
}

func TestShareForgetsOldTraffic(t *testing.T) {
	t.Parallel()

	share := budget.NewShare(budget.ShareConfig{PerSecond: -1})
	for range 100 {
		share.Request(start)
	}

	if got := share.State(start.Add(9 * time.Second)).Available; got != 20 {
		t.Errorf("within the window: %d", got)
	}

	if got := share.State(start.Add(11 * time.Second)).Available; got != 0 {
		t.Errorf("after the window: %d", got)
	}

	if got := share.State(start.Add(time.Hour)).Available; got != 0 {
		t.Errorf("long after: %d", got)
	}
}

func TestShareFloorRefills(t *testing.T) {
	t.Parallel()

	share := budget.NewShare(budget.ShareConfig{Ratio: -1, Window: time.Second, PerSecond: 2})
	granted := 0

	for i := range 40 {
		if share.Withdraw(start.Add(time.Duration(i)*250*time.Millisecond), budget.Throttle) == nil {
			granted++
		}
	}

	// Two at once and then two a second, over ten seconds.
	if granted < 20 || granted > 22 {
		t.Errorf("granted %d", granted)
	}
}

func TestChargeNeverRefuses(t *testing.T) {
	t.Parallel()

	bucket := budget.NewTokenBucket(budget.BucketConfig{Capacity: 20})
	bucket.Charge(start, budget.Transient)
	bucket.Charge(start, budget.Transient)

	if got := bucket.State(start); got.Available != 0 || got.Refused != 0 {
		t.Errorf("%+v", got)
	}

	share := budget.NewShare(budget.ShareConfig{Ratio: -1, Window: time.Second, PerSecond: 1})
	share.Charge(start, budget.Transient)
	share.Charge(start, budget.Transient)

	if got := share.State(start); got.Available != 0 || got.Refused != 0 {
		t.Errorf("%+v", got)
	}
}
