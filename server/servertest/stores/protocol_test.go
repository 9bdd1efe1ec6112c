package stores_test

import (
	"database/sql"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
	"github.com/retrysafe/retrysafe/server/storetest"
)

// Nothing is kept in a session between messages, so that a driver may send every statement as a text with its values in
// it, as it must behind a pooler that changes the session from one transaction to the next.
func TestSimpleProtocol(t *testing.T) {
	dsn, c := pgtest.Shared(t).Database(t)+"&default_query_exec_mode=simple_protocol", newClock()
	open := func() *sql.DB { return pgtest.Open(t, dsn, 8) }
	ordinary := storetest.Harness{
		Store:   migrated(t, sqlstore.PostgresClock(open(), c.Now)),
		Second:  sqlstore.PostgresClock(open(), c.Now),
		Advance: c.Advance,
	}
	late := storetest.Harness{Store: sqlstore.PostgresClock(open(), c.Now).Late(), Advance: c.Advance}
	for name, h := range map[string]storetest.Harness{"ordinary": ordinary, "late": late} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(*testing.T) storetest.Harness { return h })
		})
	}
	db := open()
	if _, err := db.Exec("CREATE TABLE effects (id integer PRIMARY KEY, name text)"); err != nil {
		t.Fatal(err)
	}
	req := request()
	claim := mustClaim(t, sqlstore.Postgres(db).Late(), req)
	if err := sqlstore.Defer(claim.Bind(t.Context()), db, "INSERT INTO effects VALUES ($1, $2)", 1, `it's \ $1`); err != nil {
		t.Fatal(err)
	}
	body := "any byte: \x00 \xff ' \\ $1"
	if err := claim.Complete(t.Context(), idempotency.Response{Status: 201, Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	var name string
	if err := db.QueryRow("SELECT name FROM effects").Scan(&name); err != nil || name != `it's \ $1` {
		t.Errorf("written %q, %v", name, err)
	}
	if rec, err := sqlstore.Postgres(db).Lookup(t.Context(), req.Scope); err != nil || string(rec.Response.Body) != body {
		t.Errorf("kept %q, %v", rec.Response.Body, err)
	}
}
