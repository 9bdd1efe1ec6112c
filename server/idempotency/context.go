package idempotency

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// call is a claimed request while its handler runs. It is the handler's context as well: what the client's connection
// carried, without its end.
type call struct {
	context.Context //nolint:containedctx // it is one

	claim    Claim
	noEffect atomic.Bool
	resource atomic.Pointer[string]
	pulse    pulse

	mu    sync.Mutex
	fresh map[string][]byte // results of phases that this run committed
}

type callKey struct{}

// Value finds the call itself, and whatever the request's own context holds.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// ScopeFrom returns the scope of the keyed request that ctx belongs to. False: the request has no key.
func ScopeFrom(ctx context.Context) (Scope, bool) {
	c := callFrom(ctx)
	if c == nil {
		return Scope{}, false
	}
	return c.claim.Record().Scope, true
}

// NoEffect declares that the request was refused before it changed anything: a validation error, a stock check. Its
// answer is given but not kept, writes made through the claim's transaction are undone, and the key is free for a
// corrected request. Calling it on a request without a key does nothing.
func NoEffect(ctx context.Context) {
	if c := callFrom(ctx); c != nil {
		c.noEffect.Store(true)
	}
}

// SetResource names what the request made, so that the record can point to it when the answer itself is not kept.
func SetResource(ctx context.Context, id string) {
	if c := callFrom(ctx); c != nil {
		c.resource.Store(&id)
	}
}

func (c *call) resourceID() string {
	if id := c.resource.Load(); id != nil {
		return *id
	}
	return ""
}

// bounded is a context that ends by itself after a time, and starts a timer for it only when somebody waits for its
// end. Most claims are settled without that.
type bounded struct {
	context.Context //nolint:containedctx // it is one

	until time.Time
	mu    sync.Mutex
	timed context.Context //nolint:containedctx // the one with the timer
	stop  context.CancelFunc
}

func (b *bounded) Deadline() (time.Time, bool) { return b.until, true }

func (b *bounded) Done() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timed == nil {
		b.timed, b.stop = context.WithDeadline(b.Context, b.until)
	}
	return b.timed.Done()
}

func (b *bounded) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.timed != nil:
		return b.timed.Err()
	case !time.Now().Before(b.until):
		return context.DeadlineExceeded
	}
	return nil
}

// release stops the timer, if there is one.
func (b *bounded) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		b.stop()
	}
}
