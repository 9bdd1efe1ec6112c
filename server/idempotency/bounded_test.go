package idempotency

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bounded{Context: t.Context(), limit: time.Second}
		child, cancel := context.WithCancel(b)
		defer cancel()
		if b.Err() != nil || child.Err() != nil {
			t.Error("ended at once")
		}
		<-child.Done()
		if !errors.Is(b.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
			t.Errorf("ended with %v, its child with %v", b.Err(), child.Err())
		}

		idle := &bounded{Context: t.Context(), limit: time.Second}
		if until, ok := idle.Deadline(); !ok || time.Until(until) != time.Second {
			t.Errorf("ends at %v, %v", until, ok)
		}
		time.Sleep(2 * time.Second)
		if !errors.Is(idle.Err(), context.DeadlineExceeded) {
			t.Errorf("nobody waited: %v", idle.Err())
		}
		<-idle.Done()

		released := &bounded{Context: t.Context(), limit: time.Hour}
		child, cancel = context.WithCancel(released)
		defer cancel()
		released.release()
		<-child.Done()
		if released.Err() == nil || child.Err() == nil {
			t.Error("released, and still alive")
		}
	})
}
