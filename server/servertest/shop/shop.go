// Package shop is the server that the tests of the stores run: it has effects that can be counted, and faults on demand.
package shop

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/sqlstore"
)

// Config of a shop.
type Config struct {
	Store idempotency.Store
	// DB takes the effects, joined with the claims of a sqlstore. Nil: effects are counted in memory.
	DB       *sql.DB
	Postgres bool
	// Deferring makes effects wait for the answer, see sqlstore.Defer.
	Deferring bool
	// Ledger is the URL of the foreign system, see Ledger. Empty: no phased operation.
	Ledger   string
	Failures idempotency.Failures
	Lease    time.Duration
	Window   time.Duration // of the operation "short"
	Hook     idempotency.Hook
}

// Shop is the server.
type Shop struct {
	Config

	Handler http.Handler
	Revoked atomic.Bool

	mu       sync.Mutex
	effects  map[string]int
	requests atomic.Int64
}

// New makes a shop and, in a database, its tables.
func New(ctx context.Context, c Config) (*Shop, error) {
	s := &Shop{Config: c, effects: map[string]int{}}
	if c.DB != nil {
		for _, table := range []string{"effects", "reservations"} {
			if _, err := c.DB.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+table+" (id text PRIMARY KEY, marker text NOT NULL)"); err != nil && !strings.Contains(err.Error(), "23505") {
				return nil, err // two processes that make one table at once may meet in PostgreSQL's catalogue
			}
		}
	}
	mux := http.NewServeMux()
	plain := http.HandlerFunc(s.order)
	s.mount(mux, "/orders", plain, func(*idempotency.Options) {})
	s.mount(mux, "/refunds", plain, func(*idempotency.Options) {})
	s.mount(mux, "/orders/{id}/capture", plain, func(*idempotency.Options) {})
	s.mount(mux, "/notes", plain, func(o *idempotency.Options) { o.Key = idempotency.KeyOptional })
	s.mount(mux, "/long", plain, func(o *idempotency.Options) { o.KeyMin = 20 })
	s.mount(mux, "/short", plain, func(o *idempotency.Options) { o.ReplayWindow = c.Window })
	s.mount(mux, "/waiting", plain, func(o *idempotency.Options) { o.InFlight, o.MaxWait = idempotency.InFlightWait, time.Second })
	s.mount(mux, "/payments", http.HandlerFunc(s.payment), func(o *idempotency.Options) { o.Resumable = true })
	s.Handler = s.authenticate(mux)
	return s, nil
}

// mount guards a path for all its methods.
func (s *Shop) mount(mux *http.ServeMux, path string, h http.Handler, change func(*idempotency.Options)) {
	opts := idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return caller(r.Context()) },
		Failures: s.Failures, Lease: s.Lease, Hook: s.Hook, FirstSent: "Repeatability-First-Sent",
	}
	change(&opts)
	guarded := idempotency.Middleware(s.Store, opts)(h)
	mux.Handle("POST "+path, guarded)
	mux.Handle("PUT "+path, guarded)
	mux.Handle("GET "+path, guarded)
}

type callerKey struct{}

func caller(ctx context.Context) (string, error) {
	name, ok := ctx.Value(callerKey{}).(string)
	if !ok {
		return "", errors.New("no caller")
	}
	return name, nil
}

func (s *Shop) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !ok, name == "bad", name == "revocable" && s.Revoked.Load():
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		case fault(r, "rate_limited") != "":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, name)))
		}
	})
}

// SetFault asks for a fault.
func SetFault(r *http.Request, name, value string) { r.Header.Add("X-Fault", name+"="+value) }

func fault(r *http.Request, name string) string {
	for _, f := range r.Header.Values("X-Fault") {
		if value, ok := strings.CutPrefix(f, name+"="); ok {
			return value
		}
	}
	return ""
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// killAt ends the process as kill -9 does.
func killAt(r *http.Request, point string) {
	if fault(r, "kill_at") == point {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// stall waits as long as the faults say.
func (s *Shop) stall(r *http.Request) {
	d := time.Duration(number(fault(r, "slow"))) * time.Millisecond
	if ms := fault(r, "slow_lease"); ms != "" {
		d += s.Lease + time.Duration(number(ms))*time.Millisecond
	}
	if ms := fault(r, "slow_window"); ms != "" {
		d += s.Window + time.Duration(number(ms))*time.Millisecond
	}
	if d > 0 {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
		}
	}
}

func marker(w http.ResponseWriter, r *http.Request) (string, bool) {
	var order struct {
		Marker  string `json:"marker"`
		Variant string `json:"variant"`
	}
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil || order.Marker == "" || order.Variant == "invalid" {
		idempotency.NoEffect(r.Context())
		http.Error(w, "invalid order", http.StatusUnprocessableEntity)
		return "", false
	}
	return order.Marker, true
}

// order has its effect in the claim's own transaction, where there is one.
func (s *Shop) order(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		fmt.Fprintf(w, `{"requests":%d,"at":%d}`, s.requests.Add(1), time.Now().UnixNano())
		return
	}
	m, ok := marker(w, r)
	if !ok {
		return
	}
	s.stall(r)
	if status := fault(r, "fail_without_effect"); status != "" {
		if s.DB != nil {
			_ = s.effect(r.Context(), "effects", m) // undone with the rest
		}
		idempotency.NoEffect(r.Context())
		w.WriteHeader(number(status))
		return
	}
	if err := s.effect(r.Context(), "effects", m); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	killAt(r, "effect")
	switch {
	case fault(r, "panic_after_effect") != "":
		panic(http.ErrAbortHandler)
	case fault(r, "fail_after_effect") != "":
		w.WriteHeader(number(fault(r, "fail_after_effect")))
		return
	}
	s.answer(w, number(fault(r, "big")))
}

func (s *Shop) answer(w http.ResponseWriter, size int) {
	id := rand.Text()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Location", "/orders/"+id)
	h.Set("ETag", `"`+id+`"`)
	h.Add("Link", "</a>; rel=a")
	h.Add("Link", "</b>; rel=b")
	h.Set("Set-Cookie", "session="+id)
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%q,"pad":%q}`, id, strings.Repeat("x", size))
}

// effect writes a row through the transaction in ctx, or counts.
func (s *Shop) effect(ctx context.Context, table, marker string) error {
	if s.DB == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.effects[table+marker]++
		return nil
	}
	values := "(?, ?)"
	if s.Postgres {
		values = "($1, $2)"
	}
	query := "INSERT INTO " + table + " VALUES " + values
	if s.Deferring {
		return sqlstore.Defer(ctx, s.DB, query, rand.Text(), marker)
	}
	_, err := sqlstore.Or(ctx, s.DB).ExecContext(ctx, query, rand.Text(), marker)
	return err
}

// payment calls a foreign system, in phases.
func (s *Shop) payment(w http.ResponseWriter, r *http.Request) {
	m, ok := marker(w, r)
	if !ok {
		return
	}
	killAt(r, "start")
	s.stall(r)
	ctx := r.Context()
	failed := fault(r, "serialization") == "" || !s.Postgres
	_, err := idempotency.Phase(ctx, "reserve", func(ctx context.Context) (string, error) {
		if !failed {
			failed = true
			_, err := sqlstore.Or(ctx, s.DB).ExecContext(ctx, "DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$")
			return "", err
		}
		return "reserved", s.effect(ctx, "reservations", m)
	})
	if err == nil {
		_, err = idempotency.Call(ctx, "charge", func(ctx context.Context, key string) (string, error) {
			killAt(r, "intent")
			id, err := Charge(ctx, s.Ledger, key, m)
			killAt(r, "called")
			return id, err
		})
	}
	if err == nil {
		_, err = idempotency.Phase(ctx, "record", func(ctx context.Context) (string, error) { return "", s.effect(ctx, "effects", m) })
	}
	killAt(r, "end")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.answer(w, 0)
}

// Effects counts the effects of a marker, in all the places where a payment leaves one.
func (s *Shop) Effects(ctx context.Context, marker string) (int, error) {
	counts := map[string]int{}
	for _, table := range []string{"effects", "reservations"} {
		n, err := s.count(ctx, table, marker)
		if err != nil {
			return 0, err
		}
		counts[table] = n
	}
	if s.Ledger == "" {
		return counts["effects"], nil
	}
	charges, err := Charges(ctx, s.Ledger, marker)
	if err != nil {
		return 0, err
	}
	if n := counts["effects"]; (charges > 0 || counts["reservations"] > 0) && !slices.Equal([]int{n, n}, []int{charges, counts["reservations"]}) {
		return 0, fmt.Errorf("%d effects, %d reservations, %d charges", n, counts["reservations"], charges)
	}
	return counts["effects"], nil
}

func (s *Shop) count(ctx context.Context, table, marker string) (int, error) {
	if s.DB == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.effects[table+marker], nil
	}
	return Count(ctx, s.DB, s.Postgres, table, marker)
}

// Count reads the number of rows of a marker.
func Count(ctx context.Context, db *sql.DB, postgres bool, table, marker string) (n int, err error) {
	parameter := "?"
	if postgres {
		parameter = "$1"
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE marker = "+parameter, marker).Scan(&n)
	return n, err
}
