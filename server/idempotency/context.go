package idempotency

import (
	"context"
	"sync"
	"sync/atomic"
)

// call is what the handler can reach of its own claim.
type call struct {
	claim    Claim
	noEffect atomic.Bool
	resource atomic.Pointer[string]

	mu    sync.Mutex
	fresh map[string][]byte // results of phases that this run committed
}

type callKey struct{}

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
