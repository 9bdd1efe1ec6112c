package stores_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

var errConnection = errors.New("connection reset")

// forgetfulBackends are databases whose connections break right after a statement took effect, so that its confirmation is
// lost, and what makes them do so, once: a text in the statement.
func forgetfulBackends(t *testing.T) map[string]func() (backend, func(statement string)) {
	t.Helper()
	cluster := pgtest.Shared(t)
	file := filepath.Join(t.TempDir(), "records.db")
	open := func(plain *sql.DB, dsn string, store func(*sql.DB) *sqlstore.Store, mark func(int) string) func() (backend, func(string)) {
		return func() (backend, func(string)) {
			var lose atomic.Pointer[string]
			forgetful := &between{real: plain.Driver(), dsn: dsn, done: func(query string, result driver.Result, err error) (driver.Result, error) {
				if text := lose.Load(); err == nil && text != nil && strings.Contains(query, *text) && lose.CompareAndSwap(text, nil) {
					return nil, errConnection
				}
				return result, err
			}}
			db := forgetful.open(t)
			b := backend{plain, store(db), store(plain), mark}
			migrated(t, b.two)
			if _, err := plain.Exec("CREATE TABLE IF NOT EXISTS effects (id integer PRIMARY KEY, name text UNIQUE)"); err != nil {
				t.Fatal(err)
			}
			return b, func(statement string) { lose.Store(&statement) }
		}
	}
	onPostgres := func(store func(*sql.DB) *sqlstore.Store) func() (backend, func(string)) {
		dsn := cluster.Database(t)
		return open(pgtest.Open(t, dsn, 8), dsn, store, func(n int) string { return "$" + string(rune('0'+n)) })
	}
	return map[string]func() (backend, func(string)){
		"postgres": onPostgres(sqlstore.Postgres),
		"late":     onPostgres(func(db *sql.DB) *sqlstore.Store { return sqlstore.Postgres(db).Late() }),
		"sqlite": open(openSQLite(t, file), sqliteDSN(file), func(db *sql.DB) *sqlstore.Store { return sqlstore.SQLite(db, nil) },
			func(int) string { return "?" }),
	}
}

// A phase whose COMMIT took effect without saying so is not run again: not by the worker that did not hear, and not by
// whoever comes after it has let go.
func TestPhaseWhoseConfirmationIsLost(t *testing.T) {
	for name, open := range forgetfulBackends(t) {
		t.Run(name, func(t *testing.T) {
			b, lose := open()
			req := request()
			req.Resumable, req.Payload = true, []byte("{}")
			reserve := func(name string) func(ctx context.Context) ([]byte, error) {
				return func(ctx context.Context) ([]byte, error) { return []byte(`"` + name + `"`), b.effect(ctx, name) }
			}
			claim := mustClaim(t, b.one, req)
			lose("COMMIT")
			if err := claim.Advance(t.Context(), "reserve", reserve("first")); !errors.Is(err, errConnection) {
				t.Fatalf("Advance: %v", err)
			}
			if err := claim.Advance(t.Context(), "reserve", reserve("second")); !errors.Is(err, idempotency.ErrLost) {
				t.Errorf("Advance again: %v", err)
			}
			if err := claim.Release(t.Context()); err != nil {
				t.Errorf("Release: %v", err)
			}
			again := mustClaim(t, b.two, req)
			if kept := string(again.Record().Steps["reserve"]); kept != `"first"` || again.Record().RecoveryPoint != "reserve" {
				t.Errorf("resumed at %q with %q", again.Record().RecoveryPoint, kept)
			}
			if first, second := b.count(t, "first"), b.count(t, "second"); first != 1 || second != 0 {
				t.Errorf("%d and %d effects", first, second)
			}
		})
	}
}

// An answer that took effect without saying so stands, with what the handler wrote at once or put off.
func TestAnswerWhoseConfirmationIsLost(t *testing.T) {
	for name, open := range forgetfulBackends(t) {
		for how, write := range writers {
			t.Run(name+", "+how, func(t *testing.T) {
				b, lose := open()
				req := request()
				claim := mustClaim(t, b.one, req)
				if err := write(claim.Bind(t.Context()), b, how); err != nil {
					t.Fatal(err)
				}
				if name == "late" && how == "put off" {
					lose("WITH deferred") // the one statement of all
				} else {
					lose("COMMIT")
				}
				if err := claim.Complete(t.Context(), idempotency.Response{Status: 201, Body: []byte("done")}); !errors.Is(err, errConnection) {
					t.Fatalf("Complete: %v", err)
				}
				other, rec, err := b.two.Claim(t.Context(), req)
				if other != nil || err != nil || rec.Response.Status != 201 || string(rec.Response.Body) != "done" {
					t.Errorf("claim %v, record %+v, error %v", other, rec, err)
				}
				if n := b.count(t, how); n != 1 {
					t.Errorf("%d effects", n)
				}
			})
		}
	}
}
