package kvstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// Abandoned implements idempotency.Sweeper. It reads every record: a key-value store has no index.
func (s *Store) Abandoned(ctx context.Context, grace time.Duration, limit int) ([]idempotency.Record, error) {
	now := s.clock()
	var out []idempotency.Record
	err := s.each(ctx, func(_ string, rec idempotency.Record, _ uint64) (bool, error) {
		if rec.State == idempotency.InFlight && len(rec.Payload) > 0 && !now.Add(-grace).Before(rec.LeaseUntil) {
			out = append(out, rec)
		}
		return true, nil
	})
	slices.SortFunc(out, func(a, b idempotency.Record) int { return a.LeaseUntil.Compare(b.LeaseUntil) })
	return out[:min(limit, len(out))], err
}

// Reap implements idempotency.Sweeper. A record that moved since it was read is left for the next pass.
func (s *Store) Reap(ctx context.Context, age time.Duration, limit int) (idempotency.Reaped, error) {
	now := s.clock()
	var reaped idempotency.Reaped
	err := s.each(ctx, func(key string, rec idempotency.Record, revision uint64) (bool, error) {
		if now.Sub(rec.Created) < age || (live(rec, now) && !rec.Abandoned) {
			return true, nil
		}
		deleted, err := s.kv.Delete(ctx, key, revision)
		switch {
		case err != nil:
			return false, fmt.Errorf("kvstore: delete record: %w", err)
		case !deleted:
			return true, nil
		case rec.State == idempotency.Complete:
			reaped.Complete++
		default:
			reaped.Orphans = append(reaped.Orphans, rec)
		}
		return reaped.Complete+len(reaped.Orphans) < limit, nil
	})
	return reaped, err
}

func (s *Store) each(ctx context.Context, visit func(key string, rec idempotency.Record, revision uint64) (bool, error)) error {
	for key, err := range s.kv.Keys(ctx) {
		if err != nil {
			return fmt.Errorf("kvstore: list records: %w", err)
		}
		rec, revision, err := s.read(ctx, key)
		switch {
		case errors.Is(err, idempotency.ErrNotFound):
			continue
		case err != nil:
			return err
		}
		if more, err := visit(key, rec, revision); err != nil || !more {
			return err
		}
	}
	return nil
}
