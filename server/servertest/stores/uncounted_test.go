package stores_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// uncounted is a driver that does not report the rows of a SELECT to Exec.
type uncounted struct {
	real driver.Driver
	dsn  string
}

func (u uncounted) Connect(context.Context) (driver.Conn, error) {
	conn, err := u.real.Open(u.dsn)
	return uncountedConn{conn}, err
}

func (u uncounted) Driver() driver.Driver { return u.real }

type uncountedConn struct{ driver.Conn }

func (c uncountedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	return driver.RowsAffected(0), err
}

func (c uncountedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c uncountedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

// The verdict of a claim is told by the number of rows, or by a query where the driver does not count.
func TestDriverThatDoesNotCount(t *testing.T) {
	dsn := pgtest.Shared(t).Database(t)
	plain := pgtest.Open(t, dsn, 4)
	db := sql.OpenDB(uncounted{plain.Driver(), dsn})
	t.Cleanup(func() { _ = db.Close() })
	one, two := migrated(t, sqlstore.Postgres(plain)), sqlstore.Postgres(db)
	other := sqlstore.Postgres(db)

	req := request()
	claim := mustClaim(t, two, req)
	reused := req
	reused.Fingerprint = sha256.Sum256([]byte("another payload"))
	for name, c := range map[string]struct {
		req   idempotency.Request
		state idempotency.State
		same  bool
	}{
		"the same request": {req, idempotency.InFlight, true},
		"another payload":  {reused, idempotency.InFlight, false},
	} {
		got, rec, err := other.Claim(t.Context(), c.req)
		if got != nil || err != nil || rec.State != c.state || (rec.Fingerprint == c.req.Fingerprint) != c.same {
			t.Errorf("%s: %v, %+v, %v", name, got, rec, err)
		}
	}
	if err := claim.Complete(t.Context(), idempotency.Response{Status: http.StatusCreated}); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*sqlstore.Store{one, other} {
		if got, rec, err := store.Claim(t.Context(), req); got != nil || err != nil || rec.Response.Status != http.StatusCreated {
			t.Errorf("afterwards: %v, %+v, %v", got, rec, err)
		}
	}
}
