// Package sqlbackend keeps a shop in SQLite or PostgreSQL, in one database with the idempotency records: a keyed request
// and its record are committed together, or neither is.
package sqlbackend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	_ "modernc.org/sqlite"             // driver sqlite

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// Backend is a [shop.Backend] on a database.
type Backend struct {
	// Store holds the idempotency records; a completer and a reaper work on it.
	Store *sqlstore.Store

	db       *sql.DB
	postgres bool
}

// Open opens the database and makes its tables. A DSN that begins with postgres:// is PostgreSQL's, any other one is the
// path of a SQLite file, which is made when it is not there.
func Open(ctx context.Context, dsn string) (*Backend, error) {
	b := &Backend{postgres: strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")}
	var err error
	if b.postgres {
		b.db, err = sql.Open("pgx", dsn)
	} else {
		b.db, err = sql.Open("sqlite", "file:"+dsn+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
	}
	if err != nil {
		return nil, err
	}
	b.Store = sqlstore.SQLite(b.db, nil)
	if b.postgres {
		b.Store = sqlstore.Postgres(b.db)
	}
	if err := errors.Join(b.Store.Migrate(ctx), b.migrate(ctx)); err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	return b, nil
}

func (b *Backend) migrate(ctx context.Context) error {
	id := "INTEGER PRIMARY KEY AUTOINCREMENT"
	if b.postgres {
		id = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	}
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS shop_objects (age " + id + ", kind text NOT NULL, id text NOT NULL, name text NOT NULL, body text NOT NULL, UNIQUE (kind, id))",
		"CREATE INDEX IF NOT EXISTS shop_objects_name ON shop_objects (kind, name, age)",
		"CREATE TABLE IF NOT EXISTS shop_counters (family text NOT NULL, name text NOT NULL, n bigint NOT NULL, PRIMARY KEY (family, name))",
	} {
		if _, err := b.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("shop tables: %w", err)
		}
	}
	return nil
}

// Close closes the database.
func (b *Backend) Close() error { return b.db.Close() }

// Keys implements [shop.Backend].
func (b *Backend) Keys() idempotency.Store { return b.Store }

// Run implements [shop.Backend].
func (b *Backend) Run(ctx context.Context, f func(tx shop.Tx) error) error {
	if outer, ok := sqlstore.From(ctx); ok {
		return f(tx{ctx, outer, b.postgres})
	}
	own, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx{ctx, own, b.postgres}); err != nil {
		return errors.Join(err, own.Rollback())
	}
	return own.Commit()
}

// tx is a transaction, with the context that it lives in.
type tx struct {
	ctx      context.Context //nolint:containedctx // a Tx lives as long as the call of Run that made it
	db       sqlstore.DBTX
	postgres bool
}

// lock makes a read of PostgreSQL keep others from changing the row. SQLite has one writer anyway.
func (t tx) lock() string {
	if t.postgres {
		return " FOR UPDATE"
	}
	return ""
}

func (t tx) body(query string, args ...any) ([]byte, error) {
	var body string
	err := t.db.QueryRowContext(t.ctx, query, args...).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return []byte(body), err
}

func (t tx) Get(kind, id string) ([]byte, error) {
	return t.body("SELECT body FROM shop_objects WHERE kind = $1 AND id = $2"+t.lock(), kind, id)
}

func (t tx) Find(kind, name string) ([]byte, error) {
	return t.body("SELECT body FROM shop_objects WHERE kind = $1 AND name = $2 ORDER BY age LIMIT 1", kind, name)
}

func (t tx) List(kind string) (bodies [][]byte, err error) {
	rows, err := t.db.QueryContext(t.ctx, "SELECT body FROM shop_objects WHERE kind = $1 ORDER BY age", kind)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return nil, err
		}
		bodies = append(bodies, []byte(body))
	}
	return bodies, rows.Err()
}

func (t tx) Put(kind, id, name string, body []byte) error {
	_, err := t.db.ExecContext(t.ctx, `INSERT INTO shop_objects (kind, id, name, body) VALUES ($1, $2, $3, $4)
		ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`, kind, id, name, string(body))
	return err
}

func (t tx) Delete(kind, id string) error {
	_, err := t.db.ExecContext(t.ctx, "DELETE FROM shop_objects WHERE kind = $1 AND id = $2", kind, id)
	return err
}

func (t tx) Add(group, name string, n int64) (int64, error) {
	var sum int64
	err := t.db.QueryRowContext(t.ctx, `INSERT INTO shop_counters (family, name, n) VALUES ($1, $2, $3)
		ON CONFLICT (family, name) DO UPDATE SET n = shop_counters.n + excluded.n RETURNING n`, group, name, n).Scan(&sum)
	return sum, err
}

func (t tx) Counters() (counters map[string]map[string]int64, err error) {
	rows, err := t.db.QueryContext(t.ctx, "SELECT family, name, n FROM shop_counters")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	counters = map[string]map[string]int64{}
	for rows.Next() {
		var group, name string
		var n int64
		if err := rows.Scan(&group, &name, &n); err != nil {
			return nil, err
		}
		if counters[group] == nil {
			counters[group] = map[string]int64{}
		}
		counters[group][name] = n
	}
	return counters, rows.Err()
}
