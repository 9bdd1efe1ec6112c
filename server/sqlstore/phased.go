package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// claimStatement makes the record, renews one whose window is over, or takes over an abandoned one of the same
// fingerprint together with its steps. No row comes back when another claim or a live answer stands.
const claimStatement = `INSERT INTO retrysafe_records AS r (scope, caller, operation, key, fingerprint, state, token, created, locked_at, lease_until, payload)
SELECT $2, $3, $4, $5, $6, 'in_flight', $7, n.at AS created, n.at AS locked, n.at + $8, $9 FROM (SELECT {now} AS at) AS n WHERE true
ON CONFLICT (scope) DO UPDATE SET
    fingerprint = excluded.fingerprint, state = 'in_flight', token = excluded.token,
    created = CASE WHEN r.state = 'complete' THEN excluded.created ELSE r.created END,
    locked_at = excluded.locked_at, lease_until = excluded.lease_until, expires = NULL,
    recovery_point = CASE WHEN r.state = 'in_flight' THEN r.recovery_point END,
    steps = CASE WHEN r.state = 'in_flight' THEN r.steps END,
    payload = CASE WHEN r.state = 'complete' THEN excluded.payload ELSE r.payload END,
    status = NULL, header = NULL, body = NULL, resource_id = NULL
WHERE (r.state = 'complete' AND r.expires <= excluded.locked_at)
   OR (r.state = 'in_flight' AND r.lease_until <= excluded.locked_at AND r.fingerprint = excluded.fingerprint)
RETURNING ` + columns + `, locked_at`

// claimFirst commits the claim before the handler runs. It reads before it writes: an upsert would queue behind a phase
// that is about to commit, and most of those who meet a record only want its answer.
func (s *Store) claimFirst(ctx context.Context, req idempotency.Request, id scopeID) (idempotency.Claim, idempotency.Record, error) {
	for range raceLimit {
		rec, err := s.lookup(ctx, req.Scope, id)
		switch {
		case err == nil && (!rec.Abandoned || rec.Fingerprint != req.Fingerprint):
			return nil, rec, nil
		case err != nil && !errors.Is(err, idempotency.ErrNotFound):
			return nil, idempotency.Record{}, err
		}
		rec, err = s.insertClaim(ctx, req, id)
		switch {
		case err == nil:
			return &phasedClaim{store: s, req: req, column: s.column(id), record: rec, renewed: time.Now()}, rec, nil
		case !errors.Is(err, sql.ErrNoRows):
			return nil, idempotency.Record{}, fmt.Errorf("sqlstore: claim: %w", err)
		}
	}
	return nil, idempotency.Record{}, errors.New("sqlstore: claim: the record keeps coming and going")
}

func (s *Store) insertClaim(ctx context.Context, req idempotency.Request, id scopeID) (idempotency.Record, error) {
	unlock, err := s.lockWriter(ctx)
	if err != nil {
		return idempotency.Record{}, err
	}
	defer unlock()
	token := idempotency.NewToken()
	row := s.db.QueryRowContext(ctx, s.sql.claim, s.now(), s.column(id), req.Scope.Caller, req.Scope.Operation, req.Scope.Key,
		req.Fingerprint[:], token[:], req.Lease.Microseconds(), nonNil(req.Payload))
	rec, _, err := scanRecord(row, req.Scope)
	return rec, err
}

// phasedClaim holds a committed record under a lease.
type phasedClaim struct {
	store  *Store
	req    idempotency.Request
	column any // of the scope

	mu      sync.Mutex // one write at a time: a renewal during a phase would make the phase fail to serialize
	record  idempotency.Record
	renewed time.Time
}

func (c *phasedClaim) Record() idempotency.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record
}

func (c *phasedClaim) Atomic() bool                             { return false }
func (c *phasedClaim) Bind(ctx context.Context) context.Context { return ctx }

// fenced is the end of every statement that changes the record.
const (
	fenced         = ` WHERE scope = $2 AND token = $3`
	fencedInFlight = fenced + ` AND state = 'in_flight'`
	// A COMMIT whose confirmation was lost may have moved the record past the point that the worker knows of.
	fencedAtPoint = fencedInFlight + ` AND coalesce(recovery_point, '') = $4`
)

const (
	renewStatement    = `UPDATE retrysafe_records SET lease_until = {now} + $4` + fencedInFlight
	advanceStatement  = `UPDATE retrysafe_records SET recovery_point = $5, steps = $6, lease_until = {now} + $7` + fencedAtPoint
	abandonStatement  = `UPDATE retrysafe_records SET lease_until = {now}` + fencedInFlight
	dropStatement     = `DELETE FROM retrysafe_records` + fencedAtPoint + ` AND {now} IS NOT NULL` // the moment is a parameter of all
	completeStatement = `UPDATE retrysafe_records SET state = 'complete', lease_until = NULL, expires = {now} + $4, steps = NULL, payload = NULL,
    status = $5, header = $6, body = $7, resource_id = $8` + fenced  // twice is as good as once
)

// writeAlone runs a fenced statement as a transaction of its own.
func (c *phasedClaim) writeAlone(ctx context.Context, statement string, args ...any) error {
	unlock, err := c.store.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return c.write(ctx, c.store.db, statement, args...)
}

// write runs a fenced statement whose first parameters are the moment, the scope and the token.
func (c *phasedClaim) write(ctx context.Context, on DBTX, statement string, args ...any) error {
	all := append([]any{c.store.now(), c.column, c.record.Token[:]}, args...)
	result, err := on.ExecContext(ctx, statement, all...)
	if err != nil {
		return err
	}
	switch n, err := result.RowsAffected(); {
	case err != nil:
		return err
	case n == 0:
		return idempotency.ErrLost
	}
	return nil
}

// Renew starts the lease anew. During a phase it does nothing, since every phase starts the lease itself: a phase that
// outlasts its lease is fenced when it tries to commit.
func (c *phasedClaim) Renew(ctx context.Context) error {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	return c.renew(ctx)
}

func (c *phasedClaim) renew(ctx context.Context) error {
	err := c.writeAlone(ctx, c.store.sql.renew, c.req.Lease.Microseconds())
	if err == nil {
		c.renewed = time.Now()
	}
	return err
}

// serializationPause bounds the wait before a phase is run again after a serialization failure.
const serializationPause = 50 * time.Millisecond

// Advance implements idempotency.Claim: fn and the recovery point commit together. After a serialization failure it runs
// fn again, for half a lease.
func (c *phasedClaim) Advance(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.renewed) > c.req.Lease/3 {
		if err := c.renew(ctx); err != nil {
			return err
		}
	}
	began := time.Now()
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, serializationPause) {
		steps, err := c.advance(ctx, name, fn)
		if err == nil {
			c.record.Steps, c.record.RecoveryPoint, c.renewed = steps, name, time.Now()
			return nil
		}
		if !isSerialization(err) || time.Since(began) > c.req.Lease/2 {
			return err
		}
		if err := pause(ctx, rand.N(wait)); err != nil { //nolint:gosec // jitter, not a secret
			return err
		}
	}
}

func (c *phasedClaim) advance(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) (map[string][]byte, error) {
	unlock, err := c.store.lockWriter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := c.store.db.Conn(ctx)
	if err != nil {
		unlock()
		return nil, err
	}
	t := &transaction{db: c.store.db, dialect: c.store.dialect, conn: conn, began: true, unlock: unlock}
	defer t.discard(ctx)
	if err := c.store.dialect.begin(ctx, conn, true); err != nil {
		return nil, err
	}
	result, err := fn(context.WithValue(ctx, txKey{}, &Tx{t: t}))
	if err != nil {
		return nil, err
	}
	steps := maps.Clone(c.record.Steps)
	if steps == nil {
		steps = map[string][]byte{}
	}
	steps[name] = result
	err = c.write(ctx, conn, c.store.sql.advance, c.record.RecoveryPoint, name, encodeSteps(steps), c.req.Lease.Microseconds())
	if err != nil {
		return nil, err
	}
	return steps, t.commit(ctx)
}

// Complete keeps the answer. Once more after its own success it changes nothing, so that a lost confirmation can be asked for again.
func (c *phasedClaim) Complete(ctx context.Context, resp idempotency.Response) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeAlone(ctx, c.store.sql.complete, c.req.Window.Microseconds(),
		resp.Status, encodeHeader(resp.Header), bodyColumn(resp), orNull(resp.ResourceID))
}

// Fail keeps the answer; committed phases stand.
func (c *phasedClaim) Fail(ctx context.Context, resp idempotency.Response) error {
	return c.Complete(ctx, resp)
}

// Release forgets the record, or leaves it to be resumed when a phase has been committed, also one whose confirmation
// was lost.
func (c *phasedClaim) Release(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.record.RecoveryPoint == "" {
		if err := c.writeAlone(ctx, c.store.sql.drop, ""); !errors.Is(err, idempotency.ErrLost) {
			return err
		}
	}
	return c.writeAlone(ctx, c.store.sql.abandon)
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
