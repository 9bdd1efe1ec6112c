package sqlstore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// Store keeps records in one table of a database. It is safe for concurrent use, by many processes on one database too.
type Store struct {
	db      *sql.DB
	dialect dialect
	sql     statements
	clock   func() time.Time // nil: the database's own
	guard   guard
	writer  chan struct{} // holds one token: SQLite's writers queue here in order, not by polling the file
}

// Postgres makes a store on PostgreSQL 14 or later. Times are the database's own, so that the replicas' clocks need
// not agree. A claim that idles inside its transaction for longer than its lease is ended by the database.
func Postgres(db *sql.DB) *Store { return PostgresClock(db, nil) }

// PostgresClock is Postgres with a clock for tests. A nil clock means the database's own.
func PostgresClock(db *sql.DB, clock func() time.Time) *Store { return newStore(db, postgres, clock) }

// SQLite makes a store on SQLite 3.35 or later. Use WAL mode and a busy timeout in the data source name; the pool may
// have more than one connection. A nil clock means time.Now.
func SQLite(db *sql.DB, clock func() time.Time) *Store {
	if clock == nil {
		clock = time.Now
	}
	return newStore(db, sqlite, clock)
}

func newStore(db *sql.DB, d dialect, clock func() time.Time) *Store {
	return &Store{
		db: db, dialect: d, sql: d.statements(), clock: clock, guard: guard{entries: map[idempotency.Scope]*entry{}}, writer: make(chan struct{}, 1),
	}
}

// lockWriter waits for this process's turn to write. PostgreSQL needs none.
func (s *Store) lockWriter(ctx context.Context) (unlock func(), err error) {
	if s.dialect.postgres {
		return func() {}, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case s.writer <- struct{}{}:
		return func() { <-s.writer }, nil
	}
}

// now is the value of $1 in every statement: the injected clock's reading, or null.
func (s *Store) now() any {
	if s.clock == nil {
		return nil
	}
	return s.clock().UnixMicro()
}

// Lookup implements idempotency.Store.
func (s *Store) Lookup(ctx context.Context, scope idempotency.Scope) (idempotency.Record, error) {
	digest := scope.Digest()
	rec, moment, err := scanRecord(s.db.QueryRowContext(ctx, s.sql.lookup, s.now(), digest[:]), scope)
	if rec, err = s.standing(rec, moment, err); !errors.Is(err, idempotency.ErrNotFound) {
		return rec, err
	}
	if other := s.guard.peek(scope); other != nil {
		return other.record(scope), nil
	}
	return rec, err
}

// Claim implements idempotency.Store.
func (s *Store) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	if req.Resumable {
		return s.claimFirst(ctx, req)
	}
	digest := req.Scope.Digest()
	hash := binary.BigEndian.Uint64(digest[:])
	if s.guard.remembers(hash) {
		rec, err := s.peek(ctx, req.Scope, digest[:])
		if !errors.Is(err, idempotency.ErrNotFound) {
			return nil, rec, err
		}
	}
	var mine *entry
	for mine == nil {
		var other *entry
		if mine, other = s.guard.enter(req.Scope, req.Fingerprint, time.Now()); other != nil {
			rec, known, err := other.wait(ctx, req.Scope)
			if known || err != nil {
				return nil, rec, err
			}
		}
	}
	claim, standing, err := s.claimAtomic(ctx, req, digest[:])
	switch {
	case err != nil:
		s.guard.refused(req.Scope, mine, nil)
		return nil, idempotency.Record{}, err
	case claim == nil:
		if standing.State == idempotency.Complete {
			s.guard.remember(hash)
		}
		s.guard.refused(req.Scope, mine, &standing)
		return nil, standing, nil
	}
	mine.claimed()
	claim.hash = hash
	return claim, claim.record, nil
}

const columns = `fingerprint, state, token, created, locked_at, lease_until, expires, recovery_point, steps, payload, status, header, body, dropped, resource_id`

const lookupStatement = `SELECT ` + columns + `, {now} FROM retrysafe_records WHERE scope = $2`

// peekStatement reads what an answer is made of, and no more: it is the whole cost of a replay.
const peekStatement = `SELECT fingerprint, state, CASE WHEN state = 'complete' THEN created ELSE locked_at END,
    CASE WHEN state = 'complete' THEN expires ELSE lease_until END, status, header, body, dropped, resource_id, {now}
FROM retrysafe_records WHERE scope = $2`

// peek reads the record that stands in the way of a claim.
func (s *Store) peek(ctx context.Context, scope idempotency.Scope, digest []byte) (idempotency.Record, error) {
	return s.standing(scanAnswer(s.db.QueryRowContext(ctx, s.sql.peek, s.now(), digest), scope))
}

// standing leaves out a record whose window is over.
func (s *Store) standing(rec idempotency.Record, moment time.Time, err error) (idempotency.Record, error) {
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && rec.State == idempotency.Complete && !moment.Before(rec.Expires):
		return idempotency.Record{}, idempotency.ErrNotFound
	case err != nil:
		return rec, fmt.Errorf("sqlstore: read record: %w", err)
	}
	return rec, nil
}
