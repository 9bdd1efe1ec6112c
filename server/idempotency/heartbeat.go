package idempotency

import (
	"context"
	"errors"
	"sync"
	"time"
)

// heart renews the leases of all requests that run under one guard, each at about a third of the lease after its claim or
// its last renewal, and never later than at half. One timer serves them all, and only while there are any: a timer for each request
// would cost more than the rest of the middleware.
type heart struct {
	lease time.Duration
	emit  func(ctx context.Context, scope Scope, e Event)

	mu      sync.Mutex
	calls   map[*call]struct{}
	ticking bool
}

// pulse is a call's share of it.
type pulse struct {
	scope Scope

	mu   sync.Mutex // held while a renewal is under way
	last time.Time  // zero before the first look
	over bool
}

func (h *heart) interval() time.Duration { return max(h.lease/6, time.Millisecond) }

// start renews the call's lease from now on. When the claim is lost the handler's context is cancelled with ErrLost as
// its cause.
func (h *heart) start(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls[c] = struct{}{}
	if !h.ticking {
		h.ticking = true
		time.AfterFunc(h.interval(), h.tick)
	}
}

// stop returns when no renewal is under way and none will follow.
func (h *heart) stop(c *call) {
	h.mu.Lock()
	delete(h.calls, c)
	h.mu.Unlock()
	c.pulse.mu.Lock()
	defer c.pulse.mu.Unlock()
	c.pulse.over = true
}

func (h *heart) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.calls) == 0 {
		h.ticking = false
		return
	}
	for c := range h.calls {
		go h.beat(c) // a store that is slow for one must not keep the others waiting
	}
	time.AfterFunc(h.interval(), h.tick)
}

func (h *heart) beat(c *call) {
	p := &c.pulse
	if !p.mu.TryLock() {
		return // the last one is still under way
	}
	defer p.mu.Unlock()
	if p.last.IsZero() {
		p.last = time.Now().Add(-h.interval()) // it was claimed since the last look: the clock need not be read for each request
	}
	if p.over || time.Since(p.last) < h.lease/3 {
		return
	}
	ctx, done := context.WithTimeout(c.outer, h.lease/2)
	defer done()
	err := c.claim.Renew(ctx)
	switch {
	case errors.Is(err, ErrLost):
		p.over = true
		c.end(ErrLost)
	case err != nil:
		h.emit(ctx, p.scope, Event{Kind: EventStoreError, Err: err}) // at the next tick again: the lease may outlast the trouble
	default:
		p.last = time.Now()
	}
}
