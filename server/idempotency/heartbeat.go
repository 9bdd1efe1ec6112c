package idempotency

import (
	"context"
	"errors"
	"sync"
	"time"
)

// heartbeat renews a lease at a third of its length for as long as the handler runs. When the claim is lost the
// handler's context is cancelled with ErrLost as its cause.
type heartbeat struct {
	guard  *guard
	ctx    context.Context //nolint:containedctx // for as long as the handler runs
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	stopped bool
	timer   *time.Timer
}

func (c *call) startBeating(ctx context.Context, g *guard, cancel context.CancelCauseFunc) {
	c.beat.mu.Lock()
	defer c.beat.mu.Unlock()
	c.beat.guard, c.beat.ctx, c.beat.cancel = g, ctx, cancel
	c.beat.timer = time.AfterFunc(g.beatEvery(), c.renew)
}

func (g *guard) beatEvery() time.Duration { return max(g.Lease/3, time.Millisecond) }

func (c *call) renew() {
	h := &c.beat
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	ctx, done := context.WithTimeout(h.ctx, 2*h.guard.beatEvery())
	defer done()
	err := c.claim.Renew(ctx)
	if errors.Is(err, ErrLost) {
		h.stopped = true
		h.cancel(ErrLost)
		return
	}
	if err != nil { // the lease may outlast the store's trouble: go on
		h.guard.emit(ctx, c.claim.Record().Scope, Event{Kind: EventStoreError, Err: err})
	}
	h.timer.Reset(h.guard.beatEvery())
}

// stopBeating returns when no renewal is under way and none will follow.
func (c *call) stopBeating() {
	c.beat.mu.Lock()
	defer c.beat.mu.Unlock()
	c.beat.stopped = true
	if c.beat.timer != nil {
		c.beat.timer.Stop()
	}
}
