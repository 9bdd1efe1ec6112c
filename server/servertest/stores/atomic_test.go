package stores_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

func request() idempotency.Request {
	return idempotency.Request{
		Scope:       idempotency.Scope{Caller: "alice", Operation: "POST /orders", Key: rand.Text()},
		Fingerprint: sha256.Sum256([]byte("payload")), Lease: 30 * time.Second, Window: time.Hour,
	}
}

// backend is one database with two stores on it, as two processes would have.
type backend struct {
	db       *sql.DB
	one, two *sqlstore.Store
	mark     func(n int) string
}

func backends(t *testing.T) map[string]backend {
	t.Helper()
	cluster := pgtest.Shared(t)
	onPostgres := func(store func(*sql.DB) *sqlstore.Store) backend {
		dsn := cluster.Database(t)
		one, two := pgtest.Open(t, dsn, 8), pgtest.Open(t, dsn, 8)
		return backend{one, store(one), store(two), func(n int) string { return fmt.Sprintf("$%d", n) }}
	}
	file := filepath.Join(t.TempDir(), "records.db")
	lite, lite2 := openSQLite(t, file), openSQLite(t, file)
	all := map[string]backend{
		"postgres": onPostgres(sqlstore.Postgres),
		"late":     onPostgres(func(db *sql.DB) *sqlstore.Store { return sqlstore.Postgres(db).Late() }),
		"sqlite":   {lite, sqlstore.SQLite(lite, nil), sqlstore.SQLite(lite2, nil), func(int) string { return "?" }},
	}
	for _, b := range all {
		migrated(t, b.one)
		if _, err := b.db.Exec("CREATE TABLE effects (id integer PRIMARY KEY, name text UNIQUE)"); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func (b backend) effect(ctx context.Context, name string) error {
	tx, ok := sqlstore.From(ctx)
	if !ok {
		return errors.New("no transaction in the context")
	}
	var next int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM effects").Scan(&next); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO effects VALUES ("+b.mark(1)+", "+b.mark(2)+")", next, name)
	return err
}

func (b backend) count(t *testing.T, name string) int {
	t.Helper()
	var n int
	if err := b.db.QueryRow("SELECT count(*) FROM effects WHERE name = "+b.mark(1), name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func mustClaim(t *testing.T, store idempotency.Store, req idempotency.Request) idempotency.Claim {
	t.Helper()
	claim, rec, err := store.Claim(t.Context(), req)
	if err != nil || claim == nil {
		t.Fatalf("claim %v, record %+v, error %v", claim, rec, err)
	}
	return claim
}

func TestWritesAndAnswerCommitTogether(t *testing.T) {
	for name, b := range backends(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			for outcome, c := range map[string]struct {
				end     func(idempotency.Claim) error
				effects int
			}{
				"complete": {func(c idempotency.Claim) error { return c.Complete(ctx, idempotency.Response{Status: 201}) }, 1},
				"fail":     {func(c idempotency.Claim) error { return c.Fail(ctx, idempotency.Response{Status: 500}) }, 0},
				"release":  {func(c idempotency.Claim) error { return c.Release(ctx) }, 0},
			} {
				req := request()
				claim := mustClaim(t, b.one, req)
				bound := claim.Bind(ctx)
				if err := b.effect(bound, outcome); err != nil {
					t.Fatal(err)
				}
				if err := c.end(claim); err != nil {
					t.Errorf("%s: %v", outcome, err)
				}
				if got := b.count(t, outcome); got != c.effects {
					t.Errorf("%s: %d effects, want %d", outcome, got, c.effects)
				}
				tx, _ := sqlstore.From(bound)
				if _, err := tx.ExecContext(ctx, "SELECT 1"); !errors.Is(err, sql.ErrTxDone) {
					t.Errorf("%s: the transaction is still open: %v", outcome, err)
				}
			}
		})
	}
}

// A statement that fails inside the handler dooms a PostgreSQL transaction: a refusal is kept without the writes, and a
// success is not told.
func TestFailedStatement(t *testing.T) {
	b := backends(t)["postgres"]
	for status, undone := range map[int]bool{http.StatusConflict: false, http.StatusCreated: true} {
		req := request()
		claim := mustClaim(t, b.one, req)
		ctx := claim.Bind(t.Context())
		tx, _ := sqlstore.From(ctx)
		if _, err := tx.ExecContext(ctx, "SELECT 1/0"); err == nil {
			t.Fatal("no error")
		}
		err := claim.Complete(ctx, idempotency.Response{Status: status})
		if !errors.Is(err, idempotency.ErrUndone) {
			t.Fatalf("Complete: %v", err)
		}
		if undone {
			continue
		}
		if err := claim.Fail(ctx, idempotency.Response{Status: status}); err != nil {
			t.Fatal(err)
		}
		if rec, err := b.two.Lookup(t.Context(), req.Scope); err != nil || rec.Response.Status != status {
			t.Errorf("kept %+v, %v", rec, err)
		}
	}
}

// A worker whose connection dies frees the key at once.
func TestCrashFreesTheKey(t *testing.T) {
	b := backends(t)["postgres"]
	req := request()
	ctx := mustClaim(t, b.one, req).Bind(t.Context())
	if err := b.effect(ctx, "lost"); err != nil {
		t.Fatal(err)
	}
	if claim, rec, err := b.two.Claim(t.Context(), req); claim != nil || err != nil || rec.State != idempotency.InFlight {
		t.Fatalf("while it runs: %v, %+v, %v", claim, rec, err)
	}
	if _, err := b.db.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"); err != nil {
		t.Fatal(err)
	}
	claim := mustClaimSoon(t, b.two, req)
	if err := b.effect(claim.Bind(t.Context()), "kept"); err != nil {
		t.Fatal(err)
	}
	if err := claim.Complete(t.Context(), idempotency.Response{Status: 201}); err != nil {
		t.Fatal(err)
	}
	if lost, kept := b.count(t, "lost"), b.count(t, "kept"); lost != 0 || kept != 1 {
		t.Errorf("%d lost, %d kept", lost, kept)
	}
}

// A worker that hangs inside its transaction holds the key for its lease and no longer.
func TestHungWorkerIsEndedByTheDatabase(t *testing.T) {
	b := backends(t)["postgres"]
	req := request()
	req.Lease = 200 * time.Millisecond
	hung := mustClaim(t, b.one, req)
	if err := b.effect(hung.Bind(t.Context()), "hung"); err != nil {
		t.Fatal(err)
	}
	claim := mustClaimSoon(t, b.two, req)
	if err := claim.Complete(t.Context(), idempotency.Response{Status: 201}); err != nil {
		t.Fatal(err)
	}
	if err := hung.Complete(t.Context(), idempotency.Response{Status: 201}); err == nil {
		t.Error("the hung worker could commit")
	}
	if n := b.count(t, "hung"); n != 0 {
		t.Errorf("%d effects of the hung worker", n)
	}
}

// mustClaimSoon claims as soon as the database has noticed the end of the other.
func mustClaimSoon(t *testing.T, store idempotency.Store, req idempotency.Request) idempotency.Claim {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		claim, _, err := store.Claim(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if claim != nil {
			return claim
		}
	}
	t.Fatal("the key is still held")
	return nil
}

func TestPhaseCommitsWithItsRecoveryPoint(t *testing.T) {
	for name, b := range backends(t) {
		t.Run(name, func(t *testing.T) {
			req := request()
			req.Resumable, req.Payload = true, []byte("{}")
			claim := mustClaim(t, b.one, req)
			broken := errors.New("broken")
			for _, fail := range []error{broken, nil} {
				err := claim.Advance(t.Context(), "reserve", func(ctx context.Context) ([]byte, error) {
					if err := b.effect(ctx, "reserve"); err != nil {
						return nil, err
					}
					return []byte("1"), fail
				})
				if !errors.Is(err, fail) {
					t.Fatalf("Advance: %v", err)
				}
			}
			if n := b.count(t, "reserve"); n != 1 {
				t.Errorf("%d effects", n)
			}
			if rec, err := b.two.Lookup(t.Context(), req.Scope); err != nil || rec.RecoveryPoint != "reserve" {
				t.Errorf("record %+v, %v", rec, err)
			}
		})
	}
}
