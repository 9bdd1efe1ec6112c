package matrix_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

var errBroken = errors.New("the store is broken")

// faulty breaks a store on demand.
type faulty struct {
	idempotency.Sweeper
	down, deaf atomic.Bool // deaf: claims work, answers cannot be kept
}

func (f *faulty) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	if f.down.Load() {
		return nil, idempotency.Record{}, errBroken
	}
	claim, rec, err := f.Sweeper.Claim(ctx, req)
	if claim == nil {
		return nil, rec, err
	}
	return &faultyClaim{Claim: claim, store: f}, rec, err
}

type faultyClaim struct {
	idempotency.Claim
	store *faulty
}

func (c *faultyClaim) Complete(ctx context.Context, resp idempotency.Response) error {
	return c.unlessDeaf(ctx, func() error { return c.Claim.Complete(ctx, resp) })
}

func (c *faultyClaim) Fail(ctx context.Context, resp idempotency.Response) error {
	return c.unlessDeaf(ctx, func() error { return c.Claim.Fail(ctx, resp) })
}

// unlessDeaf fails as a database does that goes away at the commit: the transaction is gone, a committed claim stays.
func (c *faultyClaim) unlessDeaf(ctx context.Context, write func() error) error {
	if !c.store.deaf.Load() {
		return write()
	}
	if c.Atomic() {
		return errors.Join(errBroken, c.Release(ctx))
	}
	return errBroken
}
