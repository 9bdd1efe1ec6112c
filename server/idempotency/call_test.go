package idempotency

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type claimOf struct {
	Claim
	atomic bool
}

func (c claimOf) Atomic() bool { return c.atomic }

// The handler's context is made late, and ends as if it had been there from the start.
func TestCallIsAContext(t *testing.T) {
	type valueKey struct{}
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		atomic   bool
		deadline time.Duration
		end      error
		asked    bool // before it ends
		err      error
		cause    error
	}{
		"lost":                        {end: lost, asked: true, err: context.Canceled, cause: lost},
		"lost before anybody asked":   {end: lost, err: context.Canceled, cause: lost},
		"returned":                    {end: context.Canceled, asked: true, err: context.Canceled, cause: context.Canceled},
		"at its deadline":             {deadline: time.Second, asked: true, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
		"atomic, which none can lose": {atomic: true, end: lost, asked: true},
		"atomic, at its deadline":     {atomic: true, deadline: time.Second, asked: true, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, hangUp := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "kept"))
				if c.deadline > 0 {
					var done context.CancelFunc
					client, done = context.WithTimeout(client, c.deadline)
					defer done()
				}
				x := &call{outer: detached{client}, claim: claimOf{atomic: c.atomic}}
				if x.Value(valueKey{}) != "kept" || callFrom(x) != x {
					t.Error("a value is gone")
				}
				if !c.asked {
					x = &call{outer: detached{client}, claim: claimOf{atomic: c.atomic}}
				}
				var child context.Context = x
				if c.asked {
					var done context.CancelFunc
					child, done = context.WithCancel(x)
					defer done()
				}
				if c.deadline == 0 {
					hangUp()
					synctest.Wait()
					if c.asked && child.Err() != nil {
						t.Error("the client's hanging up ended it")
					}
				}
				defer hangUp()
				if c.end != nil {
					x.end(c.end)
					x.end(errors.New("a second end"))
				}
				time.Sleep(c.deadline)
				synctest.Wait()
				if !errors.Is(x.Err(), c.err) || !errors.Is(child.Err(), c.err) || !errors.Is(context.Cause(x), c.cause) {
					t.Errorf("ended with %v, its child with %v, cause %v", x.Err(), child.Err(), context.Cause(x))
				}
				x.end(nil)
			})
		})
	}
}
