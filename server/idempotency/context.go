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
	outer detached
	claim Claim

	// Most handlers neither wait for the end of their context nor derive another, so that it is made when it is asked for.
	once   sync.Mutex
	inner  context.Context //nolint:containedctx // it is one
	cancel context.CancelCauseFunc
	ended  bool
	cause  error

	noEffect atomic.Bool
	resource atomic.Pointer[string]
	pulse    pulse

	mu    sync.Mutex
	fresh map[string][]byte // results of phases that this run committed
}

type callKey struct{}

// context makes the handler's context. It ends with end, or at the deadline of the request's own.
func (c *call) context() context.Context {
	c.once.Lock()
	defer c.once.Unlock()
	if c.inner != nil {
		return c.inner
	}
	c.inner, c.cancel = c.outer, func(error) {}
	if !c.claim.Atomic() { // which nobody can take over
		c.inner, c.cancel = context.WithCancelCause(c.outer)
	}
	if deadline, ok := c.outer.Context.Deadline(); ok {
		timed, done := context.WithDeadline(c.inner, deadline)
		cancel := c.cancel
		c.inner, c.cancel = timed, func(cause error) { cancel(cause); done() }
	}
	if c.ended {
		c.cancel(c.cause)
	}
	return c.inner
}

// end ends the handler's context.
func (c *call) end(cause error) {
	c.once.Lock()
	defer c.once.Unlock()
	switch {
	case c.ended:
		return
	case c.cancel != nil:
		c.cancel(cause)
	}
	c.ended, c.cause = true, cause
}

// Deadline is that of the request's own context.
func (c *call) Deadline() (time.Time, bool) { return c.outer.Context.Deadline() }

// Done is closed when the claim is lost and at the deadline, and where either may come, when the handler has returned.
func (c *call) Done() <-chan struct{} { return c.context().Done() }

// Err says whether Done is closed.
func (c *call) Err() error { return c.context().Err() }

// Value finds the call itself, and whatever the request's own context holds.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.context().Value(key)
}

// detached is a context without its end: what context.WithoutCancel makes, as a part of something larger.
type detached struct {
	context.Context //nolint:containedctx // it is one
}

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }

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

	limit time.Duration
	mu    sync.Mutex
	until time.Time       // from the first question on
	timed context.Context //nolint:containedctx // the one with the timer
	stop  context.CancelFunc
}

func (b *bounded) start(ctx context.Context, limit time.Duration) { b.Context, b.limit = ctx, limit }

func (b *bounded) Deadline() (time.Time, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.end(), true
}

func (b *bounded) end() time.Time {
	if b.until.IsZero() {
		b.until = time.Now().Add(b.limit)
	}
	return b.until
}

func (b *bounded) Done() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timed == nil {
		b.timed, b.stop = context.WithDeadline(b.Context, b.end())
	}
	return b.timed.Done()
}

func (b *bounded) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.timed != nil:
		return b.timed.Err()
	case !time.Now().Before(b.end()):
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
