package stores_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// lateOnes are the backends whose claims begin when the handler first writes.
func lateOnes(t *testing.T) map[string]backend {
	t.Helper()
	all := backends(t)
	delete(all, "postgres")
	return all
}

// writer is a way in which a handler writes.
type writer func(ctx context.Context, b backend, name string) error

var writers = map[string]writer{
	"at once": func(ctx context.Context, b backend, name string) error {
		_, err := sqlstore.Or(ctx, b.db).ExecContext(ctx, nextEffect+b.mark(1)+")", name)
		return err
	},
	"put off": func(ctx context.Context, b backend, name string) error {
		return sqlstore.Defer(ctx, b.db, nextEffect+b.mark(1)+")", name)
	},
}

const nextEffect = "INSERT INTO effects (id, name) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM effects), "

// Two processes may both hold a claim, and one of them may write. The other one hears of it when it writes first, or
// when it answers.
func TestLateBetweenProcesses(t *testing.T) {
	for name, b := range lateOnes(t) {
		for how, write := range writers {
			for _, ending := range []string{"complete", "fail", "release"} {
				t.Run(name+", "+how+", "+ending, func(t *testing.T) {
					req := request()
					one, two := req.Scope.Key+"1", req.Scope.Key+"2"
					first, second := mustClaim(t, b.one, req), mustClaim(t, b.two, req)
					if err := write(first.Bind(t.Context()), b, one); err != nil {
						t.Fatal(err)
					}
					if err := first.Complete(t.Context(), idempotency.Response{Status: 201}); err != nil {
						t.Fatal(err)
					}
					err := write(second.Bind(t.Context()), b, two)
					if how == "at once" && !errors.Is(err, idempotency.ErrLost) || how == "put off" && err != nil {
						t.Errorf("the second writes: %v", err)
					}
					var want error
					switch ending {
					case "complete":
						err, want = second.Complete(t.Context(), idempotency.Response{Status: 201}), idempotency.ErrLost
					case "fail":
						err = second.Fail(t.Context(), idempotency.Response{Status: 500})
					case "release":
						err = second.Release(t.Context())
					}
					if how == "at once" {
						want = idempotency.ErrLost
					}
					if !errors.Is(err, want) {
						t.Errorf("the second ends: %v, want %v", err, want)
					}
					if n, m := b.count(t, one), b.count(t, two); n != 1 || m != 0 {
						t.Errorf("%d and %d effects", n, m)
					}
					if rec, err := b.two.Lookup(t.Context(), req.Scope); err != nil || rec.Response.Status != 201 {
						t.Errorf("kept %+v, %v", rec, err)
					}
				})
			}
		}
	}
}

// Workers that write the same row, as those of one request do, meet at the record and not at a constraint of the row's
// table: all but one are told that they lost, which ends in a replay, and not that their write was refused. PostgreSQL runs
// the statement that was put off after the one that keeps the record.
func TestLateRivalsWriteTheSameRow(t *testing.T) {
	b := backends(t)["late"]
	for round := range 20 {
		req := request()
		claims := make([]idempotency.Claim, 6)
		for i := range claims { // each as in a process of its own
			claim := mustClaim(t, sqlstore.Postgres(b.db).Late(), req)
			if err := sqlstore.Defer(claim.Bind(t.Context()), b.db, "INSERT INTO effects VALUES ($1, $2)", round, req.Scope.Key); err != nil {
				t.Fatal(err)
			}
			claims[i] = claim
		}
		ends := make(chan error)
		for _, claim := range claims {
			go func() { ends <- claim.Complete(t.Context(), idempotency.Response{Status: 201}) }()
		}
		won := 0
		for range claims {
			err := <-ends
			if err == nil {
				won++
			} else if !errors.Is(err, idempotency.ErrLost) {
				t.Errorf("a worker ends: %v", err)
			}
		}
		if n := b.count(t, req.Scope.Key); won != 1 || n != 1 {
			t.Errorf("%d workers won, %d effects", won, n)
		}
	}
}

// The worker that came too late answers what the first one said, or, if it came with another payload, that the key is
// used up: whatever its own handler made of it.
func TestLateLoserAnswersForTheWinner(t *testing.T) {
	for name, b := range lateOnes(t) {
		for how, write := range writers {
			for payload, want := range map[string]string{"same": "201 first true", "other": "409 idempotency_key_reused "} {
				t.Run(name+", "+how+", "+payload, func(t *testing.T) {
					inside, goOn := make(chan struct{}), make(chan struct{})
					server := func(store *sqlstore.Store, word string, wait bool) http.Handler {
						opts := idempotency.Options{
							Caller:   func(*http.Request) (string, error) { return "alice", nil },
							Failures: idempotency.ReattemptFailures,
						}
						return idempotency.Middleware(store, opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if wait {
								close(inside)
								<-goOn
							}
							if err := write(r.Context(), b, t.Name()+word); err != nil {
								w.WriteHeader(http.StatusInternalServerError)
								return
							}
							w.WriteHeader(http.StatusCreated)
							_, _ = io.WriteString(w, word)
						}))
					}
					send := func(h http.Handler, body string) string {
						r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(body))
						r.Header.Set("Idempotency-Key", t.Name())
						w := httptest.NewRecorder()
						h.ServeHTTP(w, r)
						text := w.Body.String()
						if strings.Contains(text, string(idempotency.CodeReused)) {
							text = string(idempotency.CodeReused)
						}
						return fmt.Sprint(w.Code, " ", text, " ", w.Header().Get("Idempotent-Replayed"))
					}
					second := make(chan string)
					go func() { second <- send(server(b.two, "second", true), payload) }()
					<-inside
					if got := send(server(b.one, "first", false), "same"); got != "201 first " {
						t.Errorf("the first: %s", got)
					}
					close(goOn)
					if got := <-second; got != want {
						t.Errorf("the second: %s, want %s", got, want)
					}
					if n, m := b.count(t, t.Name()+"first"), b.count(t, t.Name()+"second"); n != 1 || m != 0 {
						t.Errorf("%d and %d effects", n, m)
					}
				})
			}
		}
	}
}

// What is put off runs in order, after what ran at once, and only when the claim is completed.
func TestDeferred(t *testing.T) {
	for name, b := range backends(t) {
		t.Run(name, func(t *testing.T) {
			for ending, end := range map[string]func(idempotency.Claim) error{
				"complete": func(c idempotency.Claim) error {
					return c.Complete(t.Context(), idempotency.Response{Status: 201})
				},
				"fail": func(c idempotency.Claim) error {
					return c.Fail(t.Context(), idempotency.Response{Status: 500})
				},
				"release": func(c idempotency.Claim) error { return c.Release(t.Context()) },
			} {
				for _, atOnce := range []bool{false, true} {
					for _, statements := range [][]string{{}, {"a"}, {"a", "b", "c"}} {
						claim := mustClaim(t, b.one, request())
						ctx := claim.Bind(t.Context())
						if _, err := b.db.Exec("DELETE FROM effects"); err != nil {
							t.Fatal(err)
						}
						var want []string
						for _, name := range statements {
							if err := writers["put off"](ctx, b, name); err != nil {
								t.Fatal(err)
							}
						}
						if atOnce {
							want = append(want, "at once")
							if err := b.effect(ctx, "at once"); err != nil {
								t.Fatal(err)
							}
						}
						want = append(want, statements...)
						if ending != "complete" {
							want = nil
						}
						if err := end(claim); err != nil {
							t.Fatalf("%s, %q: %v", ending, statements, err)
						}
						if got := b.names(t); !slices.Equal(got, want) {
							t.Errorf("%s, %q: %q, want %q", ending, statements, got, want)
						}
						if err := writers["put off"](ctx, b, "too late"); !errors.Is(err, sql.ErrTxDone) {
							t.Errorf("after the end: %v", err)
						}
					}
				}
			}
		})
	}
}

// names are the effects in the order in which they were made.
func (b backend) names(t *testing.T) []string {
	t.Helper()
	rows, err := b.db.Query("SELECT name FROM effects ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		out = append(out, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A statement that fails when it is due takes everything with it. A success is then not told, and a refusal is kept
// without the writes.
func TestDeferredThatFails(t *testing.T) {
	for name, b := range backends(t) {
		if name == "sqlite" { // names no class of error that could be told from a lost connection
			continue
		}
		raise := "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'never'; END $$; " +
			"CREATE TABLE guarded (id integer); CREATE TRIGGER no BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION refuse()"
		if _, err := b.db.Exec(raise); err != nil {
			t.Fatal(err)
		}
		for what, statement := range map[string]string{
			"a constraint": "INSERT INTO effects VALUES (1, 'taken')", "bad data": "UPDATE effects SET id = 1 / 0",
			"no such table": "INSERT INTO nowhere VALUES (1)", "no such syntax": "INSERT OVER effects",
			"a trigger": "INSERT INTO guarded VALUES (1)", "two rows for one": "UPDATE effects SET id = (SELECT * FROM generate_series(1, 2))",
			"two statements": "INSERT INTO effects VALUES (7, 'seventh'); SELECT 1 / 0",
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				if _, err := b.db.Exec("DELETE FROM effects; INSERT INTO effects VALUES (1, 'there')"); err != nil {
					t.Fatal(err)
				}
				for _, status := range []int{http.StatusCreated, http.StatusConflict} {
					for _, before := range []bool{false, true} {
						req := request()
						claim := mustClaim(t, b.one, req)
						ctx := claim.Bind(t.Context())
						if before {
							if err := writers["put off"](ctx, b, "before"); err != nil {
								t.Fatal(err)
							}
						}
						if err := sqlstore.Defer(ctx, b.db, statement); err != nil {
							t.Fatal(err)
						}
						if err := claim.Complete(ctx, idempotency.Response{Status: status}); !errors.Is(err, idempotency.ErrUndone) {
							t.Fatalf("Complete: %v", err)
						}
						if status == http.StatusConflict {
							if err := claim.Fail(ctx, idempotency.Response{Status: status}); err != nil {
								t.Fatal(err)
							}
						}
						if _, err := b.two.Lookup(t.Context(), req.Scope); errors.Is(err, idempotency.ErrNotFound) != (status == http.StatusCreated) {
							t.Errorf("status %d: %v", status, err)
						}
						if got := b.names(t); !slices.Equal(got, []string{"there"}) {
							t.Errorf("effects %q", got)
						}
					}
				}
			})
		}
	}
}

// Without a key the statement runs at once on the fallback, and in a phase at once in the phase.
func TestDeferredWithoutAClaimToWaitFor(t *testing.T) {
	for name, b := range backends(t) {
		t.Run(name, func(t *testing.T) {
			if err := writers["put off"](t.Context(), b, "no key"); err != nil || b.count(t, "no key") != 1 {
				t.Errorf("%v, %d effects", err, b.count(t, "no key"))
			}
			if err := writers["put off"](t.Context(), b, "no key"); err == nil {
				t.Error("a second row of the same name: no error")
			}
			req := request()
			req.Resumable = true
			err := mustClaim(t, b.one, req).Advance(t.Context(), "reserve", func(ctx context.Context) ([]byte, error) {
				if err := writers["put off"](ctx, b, "phase"); err != nil {
					return nil, err
				}
				var n int
				tx, _ := sqlstore.From(ctx)
				if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM effects WHERE name = 'phase'").Scan(&n); err != nil || n != 1 {
					return nil, fmt.Errorf("%d effects in the phase: %w", n, err)
				}
				return nil, nil
			})
			if err != nil || b.count(t, "phase") != 1 {
				t.Errorf("%v, %d effects", err, b.count(t, "phase"))
			}
		})
	}
}

// The messages of a late claim: what can stand beside the record is one statement with it, and all else works in a transaction.
func TestMessagesOfALateClaim(t *testing.T) {
	dsn := pgtest.Shared(t).Database(t)
	plain := pgtest.Open(t, dsn, 2)
	var verbs []string // one statement runs after the other
	counted := &between{real: plain.Driver(), dsn: dsn, sent: func(query string) {
		verb, _, _ := strings.Cut(query, " ")
		verbs = append(verbs, verb)
	}}
	db := counted.open(t)
	store := migrated(t, sqlstore.Postgres(db)).Late()
	if _, err := plain.Exec("CREATE TABLE notes (id bigserial PRIMARY KEY, word text, other text)"); err != nil {
		t.Fatal(err)
	}
	const one, many = "SELECT WITH", "SELECT BEGIN %s SELECT"
	for query, want := range map[string]string{
		"INSERT INTO notes (word) VALUES ($1)":                                          one,
		"insert into notes (word) values ($1) returning id;\n":                          one,
		"-- name: MakeNote :exec\nINSERT INTO notes (word)\nVALUES ($1) -- and no more": one,
		"UPDATE notes SET word = $1 WHERE word = $1":                                    one,
		"DELETE FROM notes\nWHERE word = $1":                                            one,
		"INSERT INTO notes (word, other) VALUES ($1, '$2')":                             many, // which might be a parameter
		"INSERT INTO notes (word, other) VALUES ($1, ';')":                              many,
		"WITH w AS (SELECT $1::text AS word) INSERT INTO notes (word) SELECT * FROM w":  many,
		"MERGE INTO notes USING (SELECT $1::text AS word) AS n ON notes.word = n.word WHEN NOT MATCHED THEN INSERT (word) VALUES (n.word)": many,
		"SELECT pg_notify('notes', $1)": many,
	} {
		verbs = nil
		req := request()
		claim := mustClaim(t, store, req)
		ctx := claim.Bind(t.Context())
		if err := sqlstore.Defer(ctx, db, query, "tea"); err != nil {
			t.Fatal(err)
		}
		if err := claim.Complete(ctx, idempotency.Response{Status: 201, Body: []byte("done")}); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		verb, _, _ := strings.Cut(query, " ")
		got := strings.Join(verbs, " ")
		if want == many {
			want = fmt.Sprintf(many, verb)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if rec, err := store.Lookup(t.Context(), req.Scope); err != nil || string(rec.Response.Body) != "done" || rec.Fingerprint != sha256.Sum256([]byte("payload")) {
			t.Errorf("%s: kept %+v, %v", query, rec, err)
		}
	}
}
