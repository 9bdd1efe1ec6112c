package idempotency

import (
	"context"
	"time"
)

// Sweeper is what background work needs of a store besides Store.
type Sweeper interface {
	Store
	// Abandoned lists up to limit in-flight records that have a payload and whose lease ended at least grace ago,
	// the oldest lease first.
	Abandoned(ctx context.Context, grace time.Duration, limit int) ([]Record, error)
	// Reap deletes up to limit records that were created at least age ago and are dead: complete and past their window,
	// or abandoned. It returns what it deleted; of complete records only the number. Several processes may reap at once,
	// and each record is deleted by one of them.
	Reap(ctx context.Context, age time.Duration, limit int) (Reaped, error)
}

// Reaped is what one pass of a reaper deleted.
type Reaped struct {
	// Complete counts finished records.
	Complete int
	// Orphans never finished: their outcome is unknown, or stopped at their recovery point.
	Orphans []Record
}

// Abandoned implements Sweeper.
func (m *Memory) Abandoned(_ context.Context, grace time.Duration, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	var out []Record
	for _, rec := range m.queue {
		if m.current(rec) && rec.abandoned(now.Add(-grace)) && len(rec.claim.Payload) > 0 && len(out) < limit {
			out = append(out, rec.view(rec.claim.Scope, now))
		}
	}
	return out, nil
}

// Reap implements Sweeper.
func (m *Memory) Reap(_ context.Context, age time.Duration, limit int) (Reaped, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	var reaped Reaped
	kept := m.queue[:0]
	for _, rec := range m.queue {
		switch {
		case !m.current(rec):
			continue
		case now.Sub(rec.created()) < age || reaped.Complete+len(reaped.Orphans) == limit:
			kept = append(kept, rec)
			continue
		case rec.abandoned(now):
			reaped.Orphans = append(reaped.Orphans, rec.view(rec.claim.Scope, now))
		case !m.live(rec, now):
			reaped.Complete++
		default:
			kept = append(kept, rec)
			continue
		}
		m.drop(rec)
	}
	clear(m.queue[len(kept):])
	m.queue = kept
	return reaped, nil
}
