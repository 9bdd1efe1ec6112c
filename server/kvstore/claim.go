package kvstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// claim holds a record by its token, and writes it only at the revision that it last saw.
type claim struct {
	store *Store
	key   string
	req   idempotency.Request

	mu       sync.Mutex
	record   idempotency.Record
	revision uint64
}

func (c *claim) Record() idempotency.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record
}

func (c *claim) Bind(ctx context.Context) context.Context { return ctx }
func (c *claim) Atomic() bool                             { return false }

func (c *claim) Renew(ctx context.Context) error {
	return c.write(ctx, func(rec *idempotency.Record) { rec.LeaseUntil = c.store.clock().Add(c.req.Lease) })
}

// Advance keeps the result after fn has run: a crash between the two runs fn again.
func (c *claim) Advance(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) error {
	if err := c.Renew(ctx); err != nil { // a lost claim must not run fn
		return err
	}
	result, err := fn(ctx)
	if err != nil {
		return err
	}
	return c.write(ctx, func(rec *idempotency.Record) {
		rec.Steps = maps.Clone(rec.Steps)
		if rec.Steps == nil {
			rec.Steps = map[string][]byte{}
		}
		rec.Steps[name], rec.RecoveryPoint = result, name
		rec.LeaseUntil = c.store.clock().Add(c.req.Lease)
	})
}

func (c *claim) Complete(ctx context.Context, resp idempotency.Response) error {
	return c.write(ctx, func(rec *idempotency.Record) {
		rec.State, rec.Response, rec.Expires = idempotency.Complete, resp, c.store.clock().Add(c.req.Window)
		rec.Payload, rec.Steps = nil, nil
	})
}

func (c *claim) Fail(ctx context.Context, resp idempotency.Response) error {
	return c.Complete(ctx, resp)
}

func (c *claim) Release(ctx context.Context) error {
	if c.Record().RecoveryPoint != "" {
		return c.write(ctx, func(rec *idempotency.Record) { rec.LeaseUntil = c.store.clock() })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for range raceLimit {
		deleted, err := c.store.kv.Delete(ctx, c.key, c.revision)
		if err != nil {
			return fmt.Errorf("kvstore: delete record: %w", err)
		}
		if deleted {
			return nil
		}
		if err := c.refresh(ctx); err != nil {
			return err
		}
	}
	return idempotency.ErrLost
}

// write changes the record under its token. Only this claim writes under it, so a revision that has moved means a write
// of ours whose confirmation got lost, or another claim.
func (c *claim) write(ctx context.Context, change func(*idempotency.Record)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range raceLimit {
		next := c.record
		change(&next)
		revision, swapped, err := c.store.update(ctx, c.key, next, c.revision)
		if err != nil {
			return err
		}
		if swapped {
			c.record, c.revision = next, revision
			return nil
		}
		if err := c.refresh(ctx); err != nil {
			return err
		}
	}
	return idempotency.ErrLost
}

func (c *claim) refresh(ctx context.Context) error {
	now, revision, err := c.store.read(ctx, c.key)
	switch {
	case errors.Is(err, idempotency.ErrNotFound):
		return idempotency.ErrLost
	case err != nil:
		return err
	case now.Token != c.record.Token:
		return idempotency.ErrLost
	}
	c.record, c.revision = now, revision
	return nil
}
