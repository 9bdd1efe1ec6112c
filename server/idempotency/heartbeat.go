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
	claim  Claim
	every  time.Duration
	ctx    context.Context //nolint:containedctx // the handler's own, for as long as the handler runs
	cancel context.CancelCauseFunc
	report func(error)

	mu      sync.Mutex
	stopped bool
	timer   *time.Timer
}

func startHeartbeat(ctx context.Context, cancel context.CancelCauseFunc, claim Claim, lease time.Duration, report func(error)) *heartbeat {
	h := &heartbeat{claim: claim, every: max(lease/3, time.Millisecond), ctx: context.WithoutCancel(ctx), cancel: cancel, report: report}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(h.every, h.beat)
	return h
}

func (h *heartbeat) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	ctx, done := context.WithTimeout(h.ctx, 2*h.every)
	defer done()
	err := h.claim.Renew(ctx)
	if errors.Is(err, ErrLost) {
		h.stopped = true
		h.cancel(ErrLost)
		return
	}
	if err != nil {
		h.report(err) // the lease may outlast the store's trouble: go on
	}
	h.timer.Reset(h.every)
}

// stop returns when no renewal is under way and none will follow.
func (h *heartbeat) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	h.timer.Stop()
}
