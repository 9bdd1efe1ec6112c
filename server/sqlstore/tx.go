package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// DBTX is what *sql.DB, *sql.Tx, *sql.Conn and [Tx] have in common. Generated query code (sqlc) takes the same.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// Tx is the transaction that holds the claim, or the phase. It has no Commit and no Rollback: the middleware ends it
// with the answer. Like a *sql.Tx it serves one goroutine at a time and is over when the handler, or the phase, returns.
type Tx struct{ t *transaction }

type txKey struct{}

// From returns the transaction of the keyed request that ctx belongs to.
func From(ctx context.Context) (*Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(*Tx)
	return tx, ok
}

// Or returns the transaction in ctx, or the fallback for a request that carries no key.
func Or(ctx context.Context, fallback DBTX) DBTX {
	if tx, ok := From(ctx); ok {
		return tx
	}
	return fallback
}

// ExecContext runs a statement in the transaction.
func (tx *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := tx.t.open(ctx); err != nil {
		return nil, err
	}
	return tx.t.conn.ExecContext(ctx, query, args...)
}

// QueryContext runs a query in the transaction.
func (tx *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := tx.t.open(ctx); err != nil {
		return nil, err
	}
	return tx.t.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query for one row in the transaction. Where the transaction is not to be had, the row's Scan
// returns context.Canceled: a *sql.Row takes no other error.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := tx.t.open(ctx); err != nil {
		ended, cancel := context.WithCancelCause(ctx)
		cancel(err)
		return tx.t.db.QueryRowContext(ended, query, args...)
	}
	return tx.t.conn.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement in the transaction.
func (tx *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := tx.t.open(ctx); err != nil {
		return nil, err
	}
	return tx.t.conn.PrepareContext(ctx, query)
}

// transaction is a connection with BEGIN, COMMIT and ROLLBACK in our hands: database/sql cannot begin IMMEDIATE, nor
// send the record and the COMMIT in one message.
type transaction struct {
	db      *sql.DB
	dialect dialect
	// start begins a transaction that was not begun at once. Nil: there is nothing to start.
	start func(ctx context.Context) (*sql.Conn, error)
	// defers says that what the handler puts off runs when the claim is completed.
	defers   bool
	deferred []deferred
	// unlock lets the next writer of this process in. Nil: nobody waits.
	unlock func()

	mu    sync.Mutex
	conn  *sql.Conn
	began bool
	over  bool
	err   error // why it could not begin
}

func (t *transaction) open(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return sql.ErrTxDone
	case t.began || t.err != nil:
		return t.err
	}
	conn, err := t.start(ctx)
	if err != nil {
		t.err = err
		return err
	}
	t.conn, t.began = conn, true
	return nil
}

// commit ends the transaction and gives its connection back.
func (t *transaction) commit(ctx context.Context) error {
	return t.finish(ctx, "COMMIT")
}

// finish runs the last statements, which include COMMIT. When they fail the transaction is discarded.
func (t *transaction) finish(ctx context.Context, statements string) error {
	t.mu.Lock()
	conn, over := t.conn, t.over
	t.mu.Unlock()
	if over {
		return sql.ErrTxDone
	}
	if _, err := conn.ExecContext(ctx, statements); err != nil {
		t.discard(ctx)
		return err
	}
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	return t.giveBack()
}

func (t *transaction) giveBack() error {
	err := t.conn.Close()
	if t.unlock != nil {
		t.unlock()
	}
	return err
}

// discard rolls back and gives the connection back, and says whether the transaction was still there to be rolled back,
// or might still have begun.
// A connection that does not roll back is thrown away, and the database does it when the connection drops. After the
// end it does nothing.
func (t *transaction) discard(ctx context.Context) (alive bool) {
	t.mu.Lock()
	over, began := t.over, t.began
	t.over = true
	t.mu.Unlock()
	if over || !began {
		return t.lost() == nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	alive = true
	if _, err := t.conn.ExecContext(ctx, "ROLLBACK"); err != nil && !endedByItself(err) {
		alive = false
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.giveBack() // or reports what ErrBadConn said already
	return alive
}

// lost returns ErrLost when another worker was faster to begin.
func (t *transaction) lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(t.err, idempotency.ErrLost) {
		return idempotency.ErrLost
	}
	return nil
}

// translate names the errors that the middleware decides by.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case isStanding(err):
		return fmt.Errorf("%w: %w", idempotency.ErrLost, err)
	case isRefusal(err), errors.Is(err, sql.ErrTxDone):
		return fmt.Errorf("%w: %w", idempotency.ErrUndone, err)
	}
	return err
}

// endedByItself says that SQLite had already rolled back, as it does after some errors.
func endedByItself(err error) bool { return strings.Contains(err.Error(), "no transaction is active") }
