package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
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
	late    bool
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
	moment := "retrysafe_now()" // one parameter less, where the clock is the database's
	if clock != nil {
		moment = "$2"
	}
	texts := d.statements()
	texts.answer = d.text(answerStatement + moment)
	return &Store{
		db: db, dialect: d, sql: texts, clock: clock, late: !d.postgres, guard: guard{entries: map[scopeID]*entry{}}, writer: make(chan struct{}, 1),
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

// scopeID names a scope in the table: the first half of its digest, which keeps the index half as large and is still
// far from ever meeting another.
type scopeID [16]byte

func identify(scope idempotency.Scope) scopeID {
	digest := scope.Digest()
	return scopeID(digest[:16])
}

// column is the value of the column scope: a uuid in PostgreSQL, bytes in SQLite.
func (s *Store) column(id scopeID) any {
	if s.dialect.postgres {
		return hex.EncodeToString(id[:])
	}
	return id[:]
}

// Lookup implements idempotency.Store.
func (s *Store) Lookup(ctx context.Context, scope idempotency.Scope) (idempotency.Record, error) {
	id := identify(scope)
	rec, err := s.lookup(ctx, scope, id)
	if !errors.Is(err, idempotency.ErrNotFound) {
		return rec, err
	}
	if other := s.guard.peek(id); other != nil {
		return other.record(scope), nil
	}
	return rec, err
}

// Claim implements idempotency.Store.
func (s *Store) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	id := identify(req.Scope)
	if req.Resumable {
		return s.claimFirst(ctx, req, id)
	}
	if s.guard.recent.has(id) {
		rec, err := s.answer(ctx, req.Scope, id)
		if !errors.Is(err, idempotency.ErrNotFound) {
			return nil, rec, err
		}
	}
	var mine *entry
	for mine == nil {
		var other *entry
		if mine, other = s.guard.enter(id, req.Fingerprint, time.Now()); other != nil {
			rec, known, err := other.wait(ctx, req.Scope)
			if known || err != nil {
				return nil, rec, err
			}
		}
	}
	claim, standing, err := s.claimAtomic(ctx, req, id)
	switch {
	case err != nil:
		s.guard.refused(id, mine, nil)
		return nil, idempotency.Record{}, err
	case claim == nil:
		if standing.State == idempotency.Complete {
			s.guard.recent.add(id)
		}
		s.guard.refused(id, mine, &standing)
		return nil, standing, nil
	}
	mine.claimed()
	return claim, claim.record, nil
}

const columns = `fingerprint, state, token, created, locked_at, coalesce(lease_until, 0), coalesce(expires, 0), coalesce(recovery_point, ''),
    steps, payload, coalesce(status, 0), header, body, state = 'complete' AND body IS NULL, coalesce(resource_id, '')`

const lookupStatement = `SELECT ` + columns + `, {now} FROM retrysafe_records WHERE scope = $2`

// lookup reads a live record.
func (s *Store) lookup(ctx context.Context, scope idempotency.Scope, id scopeID) (idempotency.Record, error) {
	rec, live, err := s.read(ctx, scope, id)
	if err == nil && !live {
		return idempotency.Record{}, idempotency.ErrNotFound
	}
	return rec, err
}

// read reads a record, and says whether it is still in its window.
func (s *Store) read(ctx context.Context, scope idempotency.Scope, id scopeID) (_ idempotency.Record, live bool, _ error) {
	rec, moment, err := scanRecord(s.db.QueryRowContext(ctx, s.sql.lookup, s.now(), s.column(id)), scope)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return idempotency.Record{}, false, idempotency.ErrNotFound
	case err != nil:
		return rec, false, fmt.Errorf("sqlstore: read record: %w", err)
	}
	return rec, rec.State == idempotency.InFlight || moment.Before(rec.Expires), nil
}

// answerStatement reads what a replay is made of, and no more: it is its whole cost.
const answerStatement = `SELECT fingerprint, status, header, body, created FROM retrysafe_records WHERE scope = $1 AND expires > `

// answer reads a record that is complete and live.
func (s *Store) answer(ctx context.Context, scope idempotency.Scope, id scopeID) (idempotency.Record, error) {
	args := []any{s.column(id)}
	if s.clock != nil {
		args = append(args, s.clock().UnixMicro())
	}
	rec, err := scanAnswer(s.db.QueryRowContext(ctx, s.sql.answer, args...), scope)
	switch {
	case err == nil && rec.Response.Body == nil: // not kept; the resource is told in its place
		return s.lookup(ctx, scope, id)
	case errors.Is(err, sql.ErrNoRows):
		return idempotency.Record{}, idempotency.ErrNotFound
	case err != nil:
		return rec, fmt.Errorf("sqlstore: read record: %w", err)
	}
	return rec, nil
}
