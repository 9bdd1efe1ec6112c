package sqlstore_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/http"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// A handler writes through the transaction of its claim, so that the order and the answer commit together.
func Example() {
	db, err := sql.Open("pgx", "postgres://localhost/shop") // import your driver
	if err != nil {
		panic(err)
	}
	store := sqlstore.Postgres(db) // or sqlstore.SQLite(db, nil)
	if err := store.Migrate(context.Background()); err != nil {
		panic(err)
	}
	guard := idempotency.Middleware(store, idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil }, // set by your authentication
		Failures: idempotency.ReattemptFailures,
	})
	http.Handle("POST /orders", guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := sqlstore.Or(r.Context(), db).ExecContext(r.Context(), "INSERT INTO orders (item) VALUES ($1)", "tea")
		if err != nil {
			http.Error(w, "not now", http.StatusInternalServerError) // undone, and the next attempt runs again
			return
		}
		w.WriteHeader(http.StatusCreated)
	})))
}

// A handler whose only effect is one statement: it runs together with the claim and the answer, as one statement.
func ExampleDefer() {
	db, err := sql.Open("pgx", "postgres://localhost/shop") // import your driver
	if err != nil {
		panic(err)
	}
	guard := idempotency.Middleware(sqlstore.Postgres(db).Late(), idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil }, // set by your authentication
		Failures: idempotency.ReattemptFailures,
	})
	http.Handle("POST /notes", guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		if err := sqlstore.Defer(r.Context(), db, "INSERT INTO notes (id) VALUES ($1)", id); err != nil {
			http.Error(w, "not now", http.StatusInternalServerError) // a request without a key; with one it is told by the middleware
			return
		}
		w.Header().Set("Location", "/notes/"+id)
		w.WriteHeader(http.StatusCreated)
	})))
}

// A handler that calls a foreign system works in phases, and passes a key on.
func Example_phases() {
	pay := func(w http.ResponseWriter, r *http.Request) {
		order, err := idempotency.Phase(r.Context(), "reserve", func(ctx context.Context) (string, error) {
			tx, _ := sqlstore.From(ctx)
			_, err := tx.ExecContext(ctx, "INSERT INTO reservations (item) VALUES ($1)", "tea")
			return "order-7", err
		})
		if err == nil {
			_, err = idempotency.Call(r.Context(), "charge", func(ctx context.Context, key string) (string, error) {
				return charge(ctx, key, order) // key is the same however often this runs
			})
		}
		if err != nil {
			http.Error(w, "not now", http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}
	http.HandleFunc("POST /payments", pay) // guarded with Options.Resumable
}

func charge(context.Context, string, string) (string, error) { return "ch_1", nil }
