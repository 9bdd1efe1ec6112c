package sqlstore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// verdicts of the function retrysafe_claim.
const (
	verdictNone = iota
	verdictYours
	verdictStands
	verdictBusy
	verdictReused
)

// raceLimit bounds how often a claim starts over because a record went away between being met and being read.
const raceLimit = 8

const rollbackTimeout = 5 * time.Second

// atomicClaim lives in one transaction with the handler's writes.
type atomicClaim struct {
	store  *Store
	req    idempotency.Request
	id     scopeID
	record idempotency.Record
	t      *transaction
}

func (s *Store) claimAtomic(ctx context.Context, req idempotency.Request, id scopeID) (*atomicClaim, idempotency.Record, error) {
	for range raceLimit {
		t, verdict, err := s.ask(ctx, req, id)
		if err != nil {
			return nil, idempotency.Record{}, fmt.Errorf("sqlstore: claim: %w", err)
		}
		standing := idempotency.Record{Scope: req.Scope, Fingerprint: req.Fingerprint, State: idempotency.InFlight}
		switch verdict {
		case verdictYours:
			standing.Token, standing.LockedAt, standing.Created = idempotency.NewToken(), time.Now(), time.Now()
			return &atomicClaim{store: s, req: req, id: id, record: standing, t: t}, standing, nil
		case verdictBusy:
			return nil, standing, nil
		case verdictReused:
			standing.Fingerprint = idempotency.Fingerprint{} // another one; which does not show before it commits
			return nil, standing, nil
		}
		rec, err := s.lookup(ctx, req.Scope, id)
		if !errors.Is(err, idempotency.ErrNotFound) {
			return nil, rec, err
		}
	}
	return nil, idempotency.Record{}, errors.New("sqlstore: claim: the record keeps coming and going")
}

// ask opens the transaction, if the scope is free. Any verdict but verdictYours comes without one.
func (s *Store) ask(ctx context.Context, req idempotency.Request, id scopeID) (*transaction, int, error) {
	if !s.late {
		return s.askPostgres(ctx, req, id)
	}
	_, live, err := s.read(ctx, req.Scope, id)
	switch {
	case live:
		return nil, verdictStands, nil
	case err == nil && s.dialect.postgres: // past its window, and in the way of the new one
		return s.askPostgres(ctx, req, id)
	case err != nil && !errors.Is(err, idempotency.ErrNotFound):
		return nil, 0, err
	}
	t := &transaction{db: s.db, dialect: s.dialect, defers: true}
	t.start = func(ctx context.Context) (*sql.Conn, error) {
		if s.dialect.postgres {
			return s.startPostgres(ctx, req, id)
		}
		return s.startSQLite(ctx, t, id)
	}
	return t, verdictYours, nil
}

// askPostgres begins the transaction and asks for the claim in one message. A driver sends several statements at once
// when there are no parameters, and reports the number of rows of the last one: it is the verdict.
func (s *Store) askPostgres(ctx context.Context, req idempotency.Request, id scopeID) (*transaction, int, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, 0, err
	}
	t := &transaction{db: s.db, dialect: s.dialect, conn: conn, began: true, defers: true}
	verdict, err := s.judge(ctx, conn, s.question(req, id))
	if err != nil || verdict != verdictYours {
		t.discard(ctx)
		return nil, verdict, err
	}
	return t, verdict, nil
}

func (s *Store) judge(ctx context.Context, conn *sql.Conn, question string) (int, error) {
	result, err := conn.ExecContext(ctx, readCommitted+"; SELECT generate_series(1, "+question+")")
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err == nil && n != verdictNone {
		return int(n), nil
	}
	var verdict int // this driver does not count the rows of a SELECT; asking twice changes nothing
	err = conn.QueryRowContext(ctx, "SELECT "+question).Scan(&verdict)
	return verdict, err
}

// question is the call of retrysafe_claim, of numbers and hexadecimal only.
func (s *Store) question(req idempotency.Request, id scopeID) string {
	scopeLock, requestLock := locks(id, req.Fingerprint)
	b := make([]byte, 0, 256)
	b = append(b, "retrysafe_claim('"...)
	b = append(hex.AppendEncode(b, id[:]), "', "...)
	b = append(strconv.AppendInt(b, scopeLock, 10), ", "...)
	b = append(strconv.AppendInt(b, requestLock, 10), ", "...)
	b = append(s.appendNow(b), ", '"...)
	b = strconv.AppendInt(b, max(1, req.Lease.Milliseconds()), 10)
	return string(append(b, "')"...))
}

// locks are the two advisory locks of a claim. Equal numbers of two scopes cause a needless "in progress", never a
// double effect, because the primary key decides.
func locks(id scopeID, fingerprint idempotency.Fingerprint) (scope, request int64) {
	s := binary.BigEndian.Uint64(id[:])
	r := s ^ binary.BigEndian.Uint64(fingerprint[:]) ^ 0x9e3779b97f4a7c15 // so that a fingerprint of zeros keeps them apart
	return int64(s), int64(r)                                             //nolint:gosec // all 64 bits are wanted
}

const expireStatement = `DELETE FROM retrysafe_records WHERE scope = $2 AND expires <= {now}`

// startPostgres begins the transaction of a late claim when the handler first asks for it.
func (s *Store) startPostgres(ctx context.Context, req idempotency.Request, id scopeID) (*sql.Conn, error) {
	t, verdict, err := s.askPostgres(ctx, req, id)
	switch {
	case err != nil:
		return nil, fmt.Errorf("sqlstore: begin: %w", err)
	case verdict != verdictYours:
		return nil, idempotency.ErrLost
	}
	return t.conn, nil
}

// startSQLite waits for this process's turn to write and begins the transaction, when the handler first asks for it.
// Another process may have been faster: then this claim is lost before it has written anything.
func (s *Store) startSQLite(ctx context.Context, t *transaction, id scopeID) (_ *sql.Conn, err error) {
	if t.unlock, err = s.lockWriter(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.unlock()
		}
	}()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: begin: %w", err)
	}
	if err := s.dialect.begin(ctx, conn, false); err != nil {
		return nil, errors.Join(fmt.Errorf("sqlstore: begin: %w", err), conn.Close())
	}
	begun := &transaction{conn: conn, dialect: s.dialect, began: true}
	_, err = conn.ExecContext(ctx, s.sql.expire, s.now(), s.column(id))
	if err != nil {
		begun.discard(ctx)
		return nil, fmt.Errorf("sqlstore: begin: %w", err)
	}
	var standing int
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM retrysafe_records WHERE scope = ?1", s.column(id)).Scan(&standing); err != nil {
		begun.discard(ctx)
		return nil, fmt.Errorf("sqlstore: begin: %w", err)
	}
	if standing > 0 {
		begun.discard(ctx)
		return nil, idempotency.ErrLost
	}
	return conn, nil
}

func (c *atomicClaim) Record() idempotency.Record { return c.record }
func (c *atomicClaim) Atomic() bool               { return true }

// Bind puts the transaction into the handler's context.
func (c *atomicClaim) Bind(ctx context.Context) context.Context {
	return context.WithValue(ctx, txKey{}, &Tx{t: c.t})
}

// Renew does nothing: the claim lasts as long as its transaction.
func (c *atomicClaim) Renew(context.Context) error { return nil }

// Advance refuses: one transaction has one outcome.
func (c *atomicClaim) Advance(context.Context, string, func(context.Context) ([]byte, error)) error {
	return fmt.Errorf("%w: set Options.Resumable for a handler that works in phases", idempotency.ErrNoPhases)
}

// Complete commits the handler's writes together with the answer.
func (c *atomicClaim) Complete(ctx context.Context, resp idempotency.Response) error {
	defer c.store.guard.leave(c.id)
	err := c.complete(ctx, resp)
	if err == nil {
		c.store.guard.recent.add(c.id)
	}
	return translate(err)
}

func (c *atomicClaim) complete(ctx context.Context, resp idempotency.Response) error {
	if before, args, ok := c.t.alone(); ok {
		return c.store.insertAlone(ctx, before, args, c, resp)
	}
	if err := c.t.open(ctx); err != nil {
		return err
	}
	if err := c.t.flush(ctx); err != nil {
		c.t.discard(ctx)
		return err
	}
	return c.store.insert(ctx, c.t, c, resp)
}

// Fail undoes the handler's writes and keeps the answer in a transaction of its own. When another worker claims the
// key in between, its answer is the one to keep: nothing of this request took effect. A claim whose transaction the
// database has ended, or could not begin because another worker has the key, is lost, and its answer with it.
func (c *atomicClaim) Fail(ctx context.Context, resp idempotency.Response) error {
	defer c.store.guard.leave(c.id)
	if alive := c.t.discard(ctx); !alive {
		return idempotency.ErrLost
	}
	t, verdict, err := c.store.ask(ctx, c.req, c.id)
	if err != nil || verdict != verdictYours {
		return err
	}
	if err := t.open(ctx); err != nil {
		if errors.Is(err, idempotency.ErrLost) {
			return nil
		}
		return err
	}
	return c.store.insert(ctx, t, c, resp)
}

// Release undoes the handler's writes. A claim that another worker was faster to begin is lost.
func (c *atomicClaim) Release(ctx context.Context) error {
	defer c.store.guard.leave(c.id)
	c.t.discard(ctx)
	return c.t.lost()
}
