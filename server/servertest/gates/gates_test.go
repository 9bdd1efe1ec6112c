// Package gates_test runs the store on PostgreSQL under concurrency and crashes. With GATES=full it runs at full length.
package gates_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
	"github.com/retrysafe/retrysafe/server/servertest/shop"
)

func TestMain(m *testing.M) {
	shop.Main()
	os.Exit(m.Run())
}

// full picks the number for a gate at full length, or the short one.
func full(long, short int) int {
	if os.Getenv("GATES") == "full" {
		return long
	}
	return short
}

// site is several shops on one database, and the foreign system that they call.
type site struct {
	cluster *pgtest.Cluster
	db      *sql.DB
	ledger  *shop.Ledger
	shops   []*shop.Process
	client  *http.Client
}

// of is the same site with some of its shops.
func (s *site) of(shops ...int) *site {
	part := *s
	part.shops = nil
	for _, i := range shops {
		part.shops = append(part.shops, s.shops[i])
	}
	return &part
}

// open starts a shop for each kind of store, all on one PostgreSQL.
func open(t *testing.T, lease time.Duration, kinds ...string) *site {
	t.Helper()
	cluster := pgtest.Start(t)
	dsn := cluster.Database(t)
	_, db, err := shop.Open(t.Context(), shop.Postgres, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &site{cluster: cluster, db: db, ledger: shop.NewLedger()}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
	server := httptest.NewServer(s.ledger)
	t.Cleanup(server.Close)
	for _, kind := range kinds {
		p, err := shop.Spawn(kind, dsn, server.URL, lease)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		s.shops = append(s.shops, p)
	}
	return s
}

// reply is the part of an answer that the gates look at. Status 0: there was no answer.
type reply struct {
	status   int
	body     string
	took     time.Duration
	replayed bool
}

func (s *site) send(ctx context.Context, p *shop.Process, path, key string, faults ...string) reply {
	body := fmt.Sprintf(`{"marker":%q}`, key)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return reply{}
	}
	req.GetBody = nil // net/http must not send again by itself
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("Authorization", "Bearer gate")
	for i := 0; i+1 < len(faults); i += 2 {
		shop.SetFault(req, faults[i], faults[i+1])
	}
	began := time.Now()
	resp, err := s.client.Do(req)
	if err != nil {
		return reply{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}
	}
	return reply{resp.StatusCode, string(text), time.Since(began), resp.Header.Get("Idempotent-Replayed") == "true"}
}

func newKey() string { return strings.ToLower(rand.Text()) }

// wrong lists the markers that do not have exactly one effect, and, for payments, one reservation and one charge.
func (s *site) wrong(t *testing.T, markers []string, payments bool) []string {
	t.Helper()
	counts := map[string][2]int{}
	for i, table := range []string{"effects", "reservations"} {
		for marker, n := range s.count(t, table) {
			c := counts[marker]
			c[i] = n
			counts[marker] = c
		}
	}
	var out []string
	for _, m := range markers {
		c := counts[m]
		made := s.ledger.Made(m)
		if c[0] != 1 || (payments && (c[1] != 1 || made != 1)) {
			out = append(out, fmt.Sprintf("%s: %d effects, %d reservations, %d charges", m, c[0], c[1], made))
		}
	}
	return out
}

// count counts the rows of a table by marker.
func (s *site) count(t *testing.T, table string) map[string]int {
	t.Helper()
	rows, err := s.db.Query("SELECT marker, count(*) FROM " + table + " GROUP BY marker")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]int{}
	for rows.Next() {
		var marker string
		var n int
		if err := rows.Scan(&marker, &n); err != nil {
			t.Fatal(err)
		}
		counts[marker] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return counts
}
