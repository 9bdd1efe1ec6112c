package stores_test

import (
	"crypto/sha256"
	"database/sql/driver"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// The verdict of a claim is told by the number of rows, or by a query where the driver does not count.
func TestDriverThatDoesNotCount(t *testing.T) {
	dsn := pgtest.Shared(t).Database(t)
	plain := pgtest.Open(t, dsn, 4)
	uncounted := &between{real: plain.Driver(), dsn: dsn, done: func(_ string, _ driver.Result, err error) (driver.Result, error) {
		return driver.RowsAffected(0), err
	}}
	db := uncounted.open(t)
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
