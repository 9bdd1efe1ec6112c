package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Defaults of Reaper.
const (
	DefaultReaperEvery = 10 * time.Minute
	DefaultReaperAge   = 72 * time.Hour
)

// Reaper deletes what is dead: answers past their window, and records that were never finished, of which it keeps a
// trace in its report and through the hook. It may run on every replica at once.
type Reaper struct {
	// Store holds the records. Required.
	Store Sweeper
	// Age is how old a record must be. Unlike Options.ReplayWindow it counts from the first claim, and it is the longer of
	// the two: between them an unfinished record still stops a repeat. Defaults to 72 h.
	Age time.Duration
	// RetryChain is the same as Options.RetryChain: an Age that is shorter is refused.
	RetryChain time.Duration
	// Every is the pause between two passes. Defaults to 10 min.
	Every time.Duration
	// Hook receives reaped and orphaned events. Nil: none.
	Hook Hook
}

// Validate reports what cannot be run.
func (c Reaper) Validate() error {
	age := c.Age
	orDefault(&age, DefaultReaperAge)
	switch {
	case c.Store == nil:
		return errors.New("idempotency: Reaper.Store is required")
	case age < c.RetryChain:
		return fmt.Errorf("idempotency: Reaper.Age %v is shorter than RetryChain %v: the last retry would run the handler again", age, c.RetryChain)
	}
	return nil
}

// Run works until ctx ends and returns what it did. It panics when Validate reports an error.
func (c Reaper) Run(ctx context.Context) Report {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	var total Report
	repeat(ctx, c.Every, DefaultReaperEvery, func() { c.pass(ctx, &total) })
	return total
}

// Once makes one pass. It panics when Validate reports an error.
func (c Reaper) Once(ctx context.Context) Report {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	var r Report
	c.pass(ctx, &r)
	return r
}

// pass deletes in portions, so that no statement runs long.
func (c Reaper) pass(ctx context.Context, r *Report) {
	r.Passes++
	age := c.Age
	orDefault(&age, DefaultReaperAge)
	for ctx.Err() == nil {
		reaped, err := c.Store.Reap(ctx, age, sweepLimit)
		if err != nil {
			failed(r, err)
			report(ctx, c.Hook, Scope{}, Event{Kind: EventStoreError, Err: err})
			return
		}
		r.Reaped += reaped.Complete
		if reaped.Complete > 0 {
			report(ctx, c.Hook, Scope{}, Event{Kind: EventReaped, Count: reaped.Complete})
		}
		for _, rec := range reaped.Orphans {
			r.Orphans = append(r.Orphans, Orphan{
				Caller: rec.Scope.Caller, Operation: rec.Scope.Operation, KeyDigest: keyDigest(rec.Scope),
				RecoveryPoint: rec.RecoveryPoint, Created: rec.Created,
			})
			report(ctx, c.Hook, rec.Scope, Event{Kind: EventOrphaned})
		}
		if reaped.Complete+len(reaped.Orphans) < sweepLimit {
			return
		}
	}
}
