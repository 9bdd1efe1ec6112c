package kvstore

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// DefaultMaxValue is the size in bytes above which an answer is not kept. It is below the limits of the usual engines:
// 1 MiB in NATS, 400 KB in DynamoDB.
const DefaultMaxValue = 256 << 10

// Options of a store.
type Options struct {
	// MaxValue bounds an encoded record in bytes. An answer that does not fit is not kept: a repeat is told so, and has
	// no second effect. Defaults to DefaultMaxValue.
	MaxValue int
	// Clock judges leases and windows. Defaults to time.Now.
	Clock func() time.Time
}

// Store implements idempotency.Store and idempotency.Sweeper.
type Store struct {
	kv    KV
	max   int
	clock func() time.Time
}

// New makes a store.
func New(kv KV, opts Options) *Store {
	s := &Store{kv: kv, max: opts.MaxValue, clock: opts.Clock}
	if s.max == 0 {
		s.max = DefaultMaxValue
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	return s
}

// raceLimit bounds how often a claim starts over because the record moved.
const raceLimit = 10

// Claim implements idempotency.Store.
func (s *Store) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	key := keyOf(req.Scope)
	for try := range raceLimit {
		now := s.clock()
		fresh := idempotency.Record{
			Scope: req.Scope, Fingerprint: req.Fingerprint, State: idempotency.InFlight, Token: idempotency.NewToken(),
			Created: now, LockedAt: now, LeaseUntil: now.Add(req.Lease), Payload: req.Payload,
		}
		revision, created, err := s.create(ctx, key, fresh)
		if err != nil {
			return nil, idempotency.Record{}, err
		}
		if created {
			return s.claimed(key, req, fresh, revision)
		}
		standing, revision, err := s.read(ctx, key)
		switch {
		case errors.Is(err, idempotency.ErrNotFound):
			if err := pause(ctx, time.Duration(try)*time.Millisecond); err != nil {
				return nil, idempotency.Record{}, err
			}
			continue
		case err != nil:
			return nil, idempotency.Record{}, err
		case live(standing, now):
			if !standing.Abandoned || !req.Resumable || standing.Fingerprint != req.Fingerprint {
				return nil, standing, nil
			}
			fresh.Created, fresh.Payload = standing.Created, standing.Payload
			fresh.Steps, fresh.RecoveryPoint = standing.Steps, standing.RecoveryPoint
		}
		revision, swapped, err := s.update(ctx, key, fresh, revision)
		if err != nil {
			return nil, idempotency.Record{}, err
		}
		if swapped {
			return s.claimed(key, req, fresh, revision)
		}
	}
	return nil, idempotency.Record{}, errors.New("kvstore: claim: the record keeps coming and going")
}

func (s *Store) claimed(key string, req idempotency.Request, rec idempotency.Record, revision uint64) (idempotency.Claim, idempotency.Record, error) {
	return &claim{store: s, key: key, req: req, record: rec, revision: revision}, rec, nil
}

// Lookup implements idempotency.Store.
func (s *Store) Lookup(ctx context.Context, scope idempotency.Scope) (idempotency.Record, error) {
	rec, _, err := s.read(ctx, keyOf(scope))
	if err == nil && !live(rec, s.clock()) {
		return idempotency.Record{}, idempotency.ErrNotFound
	}
	return rec, err
}

func keyOf(scope idempotency.Scope) string {
	digest := scope.Digest()
	return hex.EncodeToString(digest[:])
}

func live(rec idempotency.Record, now time.Time) bool {
	return rec.State == idempotency.InFlight || now.Before(rec.Expires)
}

func (s *Store) read(ctx context.Context, key string) (idempotency.Record, uint64, error) {
	value, revision, found, err := s.kv.Get(ctx, key)
	switch {
	case err != nil:
		return idempotency.Record{}, 0, fmt.Errorf("kvstore: read record: %w", err)
	case !found:
		return idempotency.Record{}, 0, idempotency.ErrNotFound
	}
	rec, err := decode(value)
	if err != nil {
		return idempotency.Record{}, 0, fmt.Errorf("kvstore: read record: %w", err)
	}
	rec.Abandoned = rec.State == idempotency.InFlight && !s.clock().Before(rec.LeaseUntil)
	return rec, revision, nil
}

// create and update ask again after an error whether the write was made: a claim that nobody knows of would hold its
// key until the lease ends.
func (s *Store) create(ctx context.Context, key string, rec idempotency.Record) (uint64, bool, error) {
	value, err := s.encode(&rec)
	if err != nil {
		return 0, false, err
	}
	revision, created, err := s.kv.Create(ctx, key, value)
	if err != nil {
		return s.written(ctx, key, rec, err)
	}
	return revision, created, nil
}

func (s *Store) update(ctx context.Context, key string, rec idempotency.Record, revision uint64) (uint64, bool, error) {
	value, err := s.encode(&rec)
	if err != nil {
		return 0, false, err
	}
	next, swapped, err := s.kv.Update(ctx, key, value, revision)
	if err != nil {
		return s.written(ctx, key, rec, err)
	}
	return next, swapped, nil
}

func (s *Store) written(ctx context.Context, key string, rec idempotency.Record, cause error) (uint64, bool, error) {
	now, revision, err := s.read(ctx, key)
	if err == nil && now.Token == rec.Token && now.State == rec.State && now.RecoveryPoint == rec.RecoveryPoint && now.LeaseUntil.Equal(rec.LeaseUntil) {
		return revision, true, nil
	}
	return 0, false, fmt.Errorf("kvstore: write record: %w", cause)
}

// encode drops an answer that does not fit.
func (s *Store) encode(rec *idempotency.Record) ([]byte, error) {
	value, err := json.Marshal(formOf(*rec))
	if err != nil {
		return nil, fmt.Errorf("kvstore: encode record: %w", err)
	}
	if len(value) > s.max && len(rec.Response.Body) > 0 {
		rec.Response.Body, rec.Response.Dropped = nil, true
		if value, err = json.Marshal(formOf(*rec)); err != nil {
			return nil, fmt.Errorf("kvstore: encode record: %w", err)
		}
	}
	if len(value) > s.max {
		return nil, fmt.Errorf("kvstore: a record of %d bytes is over the bound of %d", len(value), s.max)
	}
	return value, nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
