package matrix_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/conformance"
	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/kvstore"
	"github.com/retrysafe/retrysafe/server/servertest/natstest"
	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/servertest/shop"
)

func TestMain(m *testing.M) {
	shop.Main()
	flag.Parse()
	if err := flag.Set("test.parallel", "5"); err != nil { // a column is mostly waiting
		panic(err)
	}
	os.Exit(m.Run())
}

// column is one store of the matrix.
type column struct {
	name  string
	store func(t *testing.T) (idempotency.Sweeper, *sql.DB)
	// spawn starts a shop in a process of its own, for the cases that kill it. Nil: the store dies with its process.
	spawn func(t *testing.T, ledger string) (process *shop.Process, db *sql.DB)
}

func (c column) postgres() bool { return c.name == shop.Postgres || c.name == shop.Late }

func columns(t *testing.T) []column {
	t.Helper()
	cluster := pgtest.Start(t)
	servers := natstest.Servers(t, 1)
	buckets := natstest.Bucket(t, servers)
	lite := func(tb testing.TB) string {
		tb.Helper()
		return "file:" + filepath.Join(tb.TempDir(), "shop.db") + "?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)"
	}
	database := func(kind string, dsn func(testing.TB) string) column {
		return column{
			name: kind,
			store: func(t *testing.T) (idempotency.Sweeper, *sql.DB) {
				t.Helper()
				return open(t, kind, dsn(t))
			},
			spawn: func(t *testing.T, ledger string) (*shop.Process, *sql.DB) {
				t.Helper()
				name := dsn(t)
				_, db := open(t, kind, name)
				return spawn(t, kind, name, ledger), db
			},
		}
	}
	return []column{
		{name: "memory", store: func(*testing.T) (idempotency.Sweeper, *sql.DB) { return idempotency.NewMemory(nil), nil }},
		database(shop.SQLite, lite),
		database(shop.Postgres, cluster.Database),
		database(shop.Late, cluster.Database),
		{
			name: shop.NATS,
			store: func(*testing.T) (idempotency.Sweeper, *sql.DB) {
				return kvstore.New(buckets[0], kvstore.Options{}), nil
			},
			spawn: func(t *testing.T, ledger string) (*shop.Process, *sql.DB) {
				t.Helper()
				return spawn(t, shop.NATS, servers[0].ClientURL(), ledger), nil
			},
		},
	}
}

func open(t *testing.T, kind, dsn string) (idempotency.Sweeper, *sql.DB) {
	t.Helper()
	store, db, err := shop.Open(t.Context(), kind, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return store, db
}

func spawn(t *testing.T, kind, dsn, ledger string) *shop.Process {
	t.Helper()
	p, err := shop.Spawn(kind, dsn, ledger, lease)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// Cases that are about the end of a lease wait for it. In all others it must not end, however busy the machine is: a
// PostgreSQL session that idles in its transaction for longer is ended, and its request fails for that.
const (
	lease   = 2 * time.Second
	noLease = time.Hour
)

// leased cases are about the end of a lease.
func leased(c conformance.Case) bool {
	return slices.ContainsFunc(c.Steps, func(s conformance.Step) bool {
		_, slow := faults(s)["slow_lease"]
		return slow || s.Wait != nil && s.Wait.Lease
	})
}

func faults(s conformance.Step) map[string]string {
	switch {
	case s.Send != nil:
		return s.Send.Fault
	case s.Start != nil:
		return s.Start.Fault
	}
	return nil
}

func target(url string, effects func(context.Context, string) (int, error)) conformance.Target {
	return conformance.Target{
		URL: url,
		Paths: map[string]string{
			"create": "/orders", "other": "/refunds", "item1": "/orders/1/capture", "item2": "/orders/2/capture", "optional": "/notes",
			"waiting": "/waiting", "short": "/short", "long_keys": "/long", "phased": "/payments",
		},
		Body: func(marker, variant string) (string, []byte) {
			return "application/json", fmt.Appendf(nil, `{"marker":%q,"variant":%q}`, marker, variant)
		},
		Effects:   effects,
		Authorize: func(r *http.Request, caller string) { r.Header.Set("Authorization", "Bearer "+caller) },
		Fault:     shop.SetFault,
		Offers:    []string{"named_callers", "optional", "waiting", "long_keys", "short_window", "phases", "load", "raw"},
		Lease:     lease, Window: time.Second,
	}
}

// inside makes a target of a shop in this process, for all cases but those that kill it.
func inside(t *testing.T, c column, failures idempotency.Failures, lease time.Duration) conformance.Target {
	t.Helper()
	inner, db := c.store(t)
	store := &faulty{Sweeper: inner}
	s, err := shop.New(t.Context(), shop.Config{
		Store: store, DB: db, Postgres: c.postgres(), Deferring: c.name == shop.Late, Failures: failures, Lease: lease, Window: time.Second,
		Ledger: serveLedger(t, shop.NewLedger()),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s.Handler)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	tgt := target(server.URL, s.Effects)
	tgt.Lease = lease
	if c.postgres() {
		tgt.Offers = append(tgt.Offers, "serialization")
	}
	tgt.Hooks = map[string]func(context.Context) error{
		"break_store":      func(context.Context) error { store.down.Store(true); return nil },
		"break_completion": func(context.Context) error { store.deaf.Store(true); return nil },
		"heal_store":       func(context.Context) error { store.down.Store(false); store.deaf.Store(false); return nil },
		"revoke":           func(context.Context) error { s.Revoked.Store(true); return nil },
		"reap": func(ctx context.Context) error {
			report := idempotency.Reaper{Store: inner, Age: time.Millisecond}.Once(ctx)
			return report.LastError
		},
	}
	return tgt
}

func serveLedger(t *testing.T, l *shop.Ledger) string {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return server.URL
}

// outside makes a target of a shop in a process of its own.
func outside(t *testing.T, c column) conformance.Target {
	t.Helper()
	ledger := shop.NewLedger()
	process, db := c.spawn(t, serveLedger(t, ledger))
	effects := func(ctx context.Context, marker string) (int, error) {
		if db == nil {
			return ledger.Made(marker), nil
		}
		rows, err := shop.Count(ctx, db, c.postgres(), "effects", marker)
		if made := ledger.Made(marker); err == nil && made > 0 && made != rows {
			return 0, fmt.Errorf("%d charges, %d effects", made, rows)
		}
		return rows, err
	}
	tgt := target(process.URL, effects)
	if db == nil { // without transactions only phases survive a kill
		tgt.Paths["create"] = tgt.Paths["phased"]
	}
	tgt.Offers = append(tgt.Offers, "completer")
	tgt.Hooks = map[string]func(context.Context) error{
		"kill":            func(context.Context) error { return process.Kill() },
		"restart":         func(context.Context) error { <-process.Gone(); return process.Start() },
		"expect_complete": func(context.Context) error { return nil }, // the count of effects tells
	}
	return tgt
}

// serial cases change something that other cases would notice.
func serial(c conformance.Case) bool {
	for _, step := range c.Steps {
		if step.Hook != "" {
			return true
		}
	}
	return slices.Contains(c.Needs, "load")
}

// timed cases say something about time, which others must not take from them.
func timed(c conformance.Case) bool { return c.Expect.WallMillis > 0 }

// offered are cases of level info, which pass whatever a server does, with what this one does.
//
// IK-095 is Options.FirstSent. IK-104, a burst of fresh keys, ends in an answer for each of them: how many requests a
// caller may make is for a rate limiter in front to say, whose 429 is given before the key is claimed and does not burn
// it (IK-075). What the records take is bounded by time, by the reaper.
var offered = map[string]string{"IK-095": "412", "IK-104": ""}

func TestMatrix(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		names []string
		table = map[string]map[string]conformance.Result{}
	)
	keep := func(name string, results map[string]conformance.Result) {
		mu.Lock()
		defer mu.Unlock()
		for id, r := range results {
			if table[id] == nil {
				table[id] = map[string]conformance.Result{}
			}
			table[id][name] = r
		}
	}
	all := columns(t)
	for _, policy := range []struct {
		name     string
		failures idempotency.Failures
	}{{"", idempotency.ReattemptFailures}, {"/stored", idempotency.StoreFailures}} {
		t.Run("failures"+policy.name, func(t *testing.T) {
			for _, c := range all {
				name := c.name + policy.name
				names = append(names, name)
				if policy.failures == idempotency.StoreFailures {
					c.spawn = nil // a kill has nothing to do with it
				}
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					keep(name, runColumn(t, c, policy.failures, without(cases, timed)))
				})
			}
		})
		t.Run("timed"+policy.name, func(t *testing.T) {
			for _, c := range all {
				t.Run(c.name, func(t *testing.T) {
					keep(c.name+policy.name, runColumn(t, c, policy.failures, without(cases, func(c conformance.Case) bool { return !timed(c) })))
				})
			}
		})
	}
	t.Log("\n" + render(cases, names, table))
	for id, want := range offered {
		for _, name := range names {
			if r := table[id][name]; !strings.Contains(r.Detail, want) || strings.Contains(r.Detail, "unlike the case") {
				t.Errorf("%s on %s: %s: %q, want it to say %q", id, name, r.Verdict, r.Detail, want)
			}
		}
	}
}

// without leaves out the cases that are so.
func without(cases []conformance.Case, so func(conformance.Case) bool) []conformance.Case {
	return slices.DeleteFunc(slices.Clone(cases), so)
}

func runColumn(t *testing.T, c column, failures idempotency.Failures, cases []conformance.Case) map[string]conformance.Result {
	t.Helper()
	var (
		mu      sync.Mutex
		results = map[string]conformance.Result{}
		wg      sync.WaitGroup
		slots   = make(chan struct{}, 6)
	)
	keep := func(r conformance.Result) {
		mu.Lock()
		defer mu.Unlock()
		results[r.ID] = r
		if r.Verdict == conformance.Fail {
			t.Errorf("%s %s: %s", r.ID, r.Title, r.Detail)
		}
	}
	patient := inside(t, c, failures, noLease)
	impatient := patient
	if slices.ContainsFunc(cases, leased) {
		impatient = inside(t, c, failures, lease)
	}
	in := func(kase conformance.Case) conformance.Target {
		if leased(kase) {
			return impatient
		}
		return patient
	}
	for _, kase := range cases {
		if serial(kase) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			keep(conformance.Run(t.Context(), in(kase), kase))
		})
	}
	wg.Wait()
	var out *conformance.Target
	for _, kase := range cases {
		switch {
		case !serial(kase):
		case slices.Contains(kase.Needs, "kill") && c.spawn != nil:
			if out == nil {
				tgt := outside(t, c)
				out = &tgt
			}
			keep(conformance.Run(t.Context(), *out, kase))
		default:
			keep(conformance.Run(t.Context(), in(kase), kase))
		}
	}
	return results
}

func render(cases []conformance.Case, names []string, table map[string]map[string]conformance.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %-6s", "case", "level")
	for _, name := range names {
		fmt.Fprintf(&b, " %-16s", name)
	}
	b.WriteString("\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "%-8s %-6s", c.ID, c.Level)
		for _, name := range names {
			r := table[c.ID][name]
			text := string(r.Verdict)
			if r.Verdict == conformance.Skip {
				text = "- " + strings.TrimPrefix(r.Detail, "needs ")
			}
			fmt.Fprintf(&b, " %-16s", text)
		}
		b.WriteString("\n")
		for _, name := range names {
			if r := table[c.ID][name]; r.Verdict == conformance.Reported {
				fmt.Fprintf(&b, "                  %s: %s\n", name, r.Detail)
			}
		}
	}
	return b.String()
}
