package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// Phase runs fn once for the request in ctx, however often the request is taken up again: its result is kept in the
// same step that moves the recovery point, and later runs return the kept result. In a store with transactions fn runs
// inside one and finds it in its context. Names are unique within a handler and stay the same from release to release.
//
// fn must do nothing that outlives a failure of its transaction: what calls out belongs into Call. It may run more than
// once before its first success.
func Phase[T any](ctx context.Context, name string, fn func(ctx context.Context) (T, error)) (T, error) {
	var out T
	c := callFrom(ctx)
	if c == nil {
		return out, fmt.Errorf("phase %q: %w", name, ErrNoPhases)
	}
	if kept, ok := c.step(name); ok {
		return out, decodeStep(name, kept, &out)
	}
	var text []byte
	err := c.claim.Advance(ctx, name, func(ctx context.Context) ([]byte, error) {
		var err error
		if out, err = fn(ctx); err != nil {
			return nil, err
		}
		text, err = json.Marshal(out)
		return text, err
	})
	if err != nil {
		var zero T
		return zero, fmt.Errorf("phase %q: %w", name, err)
	}
	c.remember(name, text)
	return out, nil
}

// Call runs fn, which talks to a foreign system, around two recovery points: the intent is kept before, the result
// after. A worker that takes over between the two cannot know whether the foreign system heard the first; it calls
// again with the same foreign key, which that system must collapse as we do.
func Call[T any](ctx context.Context, name string, fn func(ctx context.Context, foreignKey string) (T, error)) (T, error) {
	var zero T
	c := callFrom(ctx)
	if c == nil {
		return zero, fmt.Errorf("call %q: %w", name, ErrNoPhases)
	}
	if kept, ok := c.step(name); ok {
		var out T
		return out, decodeStep(name, kept, &out)
	}
	if _, err := Phase(ctx, name+intentSuffix, func(context.Context) (struct{}, error) { return struct{}{}, nil }); err != nil {
		return zero, err
	}
	out, err := fn(ctx, ForeignKey(c.claim.Record(), name))
	if err != nil {
		return zero, fmt.Errorf("call %q: %w", name, err)
	}
	return Phase(ctx, name, func(context.Context) (T, error) { return out, nil })
}

const intentSuffix = ".intent"

// ForeignKey derives the key for a foreign call: the same for every run of one request, another for each step and for
// each new use of a client's key after its window. It has the form of a UUID, which fits the limits of the vendors'
// own keys, and tells nothing of the client's key.
func ForeignKey(rec Record, step string) string {
	scope := rec.Scope.Digest()
	text := hex.EncodeToString(scope[:]) + " " + strconv.FormatInt(rec.Created.UnixMicro(), 10) + " " + step
	d := sha256.Sum256([]byte(text))
	d[6] = d[6]&0x0f | 0x80 // version 8: RFC 9562 section 5.8
	d[8] = d[8]&0x3f | 0x80
	h := hex.EncodeToString(d[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func decodeStep(name string, kept []byte, out any) error {
	if err := json.Unmarshal(kept, out); err != nil {
		return fmt.Errorf("phase %q: kept result: %w", name, err)
	}
	return nil
}

// step returns the kept result of a phase that an earlier run, or this one, has committed.
func (c *call) step(name string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.fresh[name]; ok {
		return kept, true
	}
	kept, ok := c.claim.Record().Steps[name]
	return kept, ok
}

func (c *call) remember(name string, result []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh == nil {
		c.fresh = map[string][]byte{}
	}
	c.fresh[name] = result
}
