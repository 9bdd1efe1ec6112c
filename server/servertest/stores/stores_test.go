package stores_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
	"github.com/retrysafe/retrysafe/server/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func migrated(t *testing.T, store *sqlstore.Store) *sqlstore.Store {
	t.Helper()
	for range 2 {
		if err := store.Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func TestPostgres(t *testing.T) {
	dsn, c := pgtest.Shared(t).Database(t), newClock()
	h := storetest.Harness{
		Store:   migrated(t, sqlstore.PostgresClock(pgtest.Open(t, dsn, 8), c.Now)),
		Second:  sqlstore.PostgresClock(pgtest.Open(t, dsn, 8), c.Now),
		Advance: c.Advance,
	}
	storetest.Run(t, func(*testing.T) storetest.Harness { return h })
}

// Late claims have one handle here: between processes a second claim is told when it first writes, which is another
// promise, see TestLateBetweenProcesses.
func TestLatePostgres(t *testing.T) {
	dsn, c := pgtest.Shared(t).Database(t), newClock()
	h := storetest.Harness{Store: migrated(t, sqlstore.PostgresClock(pgtest.Open(t, dsn, 8), c.Now).Late()), Advance: c.Advance}
	storetest.Run(t, func(*testing.T) storetest.Harness { return h })
}

func sqliteDSN(file string) string {
	return "file:" + file + "?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)"
}

func openSQLite(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", sqliteDSN(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// SQLite has one handle here, since its claims are late ones.
func TestSQLite(t *testing.T) {
	c := newClock()
	db := openSQLite(t, filepath.Join(t.TempDir(), "records.db"))
	h := storetest.Harness{Store: migrated(t, sqlstore.SQLite(db, c.Now)), Advance: c.Advance}
	storetest.Run(t, func(*testing.T) storetest.Harness { return h })
}
