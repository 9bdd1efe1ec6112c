package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// dropper is a server that answers the first request of each connection and
// closes the connection after reading the next, as long as drops are left.
type dropper struct {
	mu       sync.Mutex
	drops    int
	byConn   map[string]int
	requests []string
	keys     []string
}

func (d *dropper) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)

	d.mu.Lock()
	d.byConn[r.RemoteAddr]++
	first := d.byConn[r.RemoteAddr] == 1
	d.requests = append(d.requests, r.Method+" "+string(body))
	d.keys = append(d.keys, r.Header.Get("Idempotency-Key"))

	drop := !first && d.drops > 0
	if drop {
		d.drops--
	}
	d.mu.Unlock()

	if !drop {
		_, _ = io.WriteString(w, "ok")

		return
	}

	conn, _, _ := http.NewResponseController(w).Hijack()
	_ = conn.Close()
}

func (d *dropper) seen() ([]string, []string) {
	d.mu.Lock()
	defer d.mu.Unlock()

	return append([]string(nil), d.requests...), append([]string(nil), d.keys...)
}

func newDropper(t *testing.T, drops int) (*dropper, string) {
	t.Helper()

	d := &dropper{drops: drops, byConn: make(map[string]int)}
	srv := httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(srv.Close)

	return d, srv.URL
}

// newBase is a base of the test's own, whose connections go with it.
func newBase(t *testing.T) *http.Transport {
	t.Helper()

	base := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(base.CloseIdleConnections)

	return base
}

// TestHiddenResends: net/http sends a request again by itself when a used
// connection breaks. Whatever is sent, the server's count, ours and the
// budget's agree.
func TestHiddenResends(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name     string
		method   string
		body     string
		key      bool
		header   string
		want     int
		attempts int
		fails    bool
	}{
		{name: "GET", method: http.MethodGet, want: 2, attempts: 2},
		{name: "POST with a key", method: http.MethodPost, body: payload, key: true, want: 2, attempts: 2},
		{name: "POST with a key and no body", method: http.MethodPost, key: true, want: 2, attempts: 2},
		{name: "POST without a key", method: http.MethodPost, body: payload, want: 1, attempts: 1, fails: true},
		{name: "POST with a key that nobody honours", method: http.MethodPost, body: payload, header: "own-1", want: 1, attempts: 1, fails: true},
		{name: "the same without a body", method: http.MethodPost, header: "own-1", want: 1, attempts: 1, fails: true},
		{name: "PUT", method: http.MethodPut, body: payload, want: 2, attempts: 2},
	} {
		for _, base := range []struct {
			name string
			http.RoundTripper
		}{{"own base", newBase(t)}, {"default base", nil}} {
			t.Run(tc.name+" on "+base.name, func(t *testing.T) {
				t.Parallel()

				d, url := newDropper(t, 1)
				tokens := budget.NewTokenBucket(budget.BucketConfig{Reward: -1})
				opts := []transport.Option{quiet, quick, transport.WithBudget(tokens)}

				if tc.key {
					opts = append(opts, transport.WithKeyedMethods(http.MethodPost))
				}

				rt := transport.New(base.RoundTripper, opts...)
				t.Cleanup(rt.CloseIdleConnections)

				_ = do(t, rt, request(t, http.MethodHead, url)) // warms a connection up

				var body io.Reader
				if tc.body != "" {
					body = strings.NewReader(tc.body)
				}

				req, _ := http.NewRequestWithContext(t.Context(), tc.method, url, body)
				if tc.header != "" {
					req.Header.Set("Idempotency-Key", tc.header)
				}

				// Only charges: a refund would hide them.
				charges := &ledger{Budget: tokens}
				got := do(t, rt, req.WithContext(transport.WithCall(req.Context(), transport.WithBudget(charges))))

				requests, keys := d.seen()
				requests, keys = requests[1:], keys[1:]

				check(t, "seen by the server", len(requests), tc.want)
				check(t, "counted", got.attempts(), tc.attempts)
				check(t, "paid", charges.paid, tc.attempts-1)
				check(t, "failed", got.err != nil, tc.fails)

				for i := range requests {
					check(t, "body", requests[i], tc.method+" "+tc.body)
					check(t, "key", keys[i], keys[0])
				}
			})
		}
	}
}

// ledger counts the retries that a budget was charged for.
type ledger struct {
	budget.Budget
	mu   sync.Mutex
	paid int
}

func TestHTTP2StreamRefusedOnce(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, method string
		keyed        bool
	}{{"GET", http.MethodGet, false}, {"POST", http.MethodPost, false}, {"POST keyed", http.MethodPost, true}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			srv := newH2(t, func(c *h2conn, stream uint32, nth int) {
				if nth == 1 {
					c.reset(stream, refusedStream)

					return
				}

				c.created(stream)
			})
			charges := &ledger{Budget: bucket()}
			opts := []transport.Option{quiet, quick, transport.WithBudget(charges)}

			if tc.keyed {
				opts = append(opts, transport.WithKeyedMethods(http.MethodPost))
			}

			req := request(t, tc.method, srv.url)
			got := do(t, transport.New(srv.base(t), opts...), req)
			streams, _, bodies := srv.seen()

			check(t, "status", got.status, 201)
			check(t, "streams seen", streams, 2)
			check(t, "counted", got.attempts(), 2)
			check(t, "paid", charges.paid, 1)

			if tc.method == http.MethodPost {
				check(t, "body", bodies[1], payload)
			}
		})
	}
}

func TestHTTP2StreamRefusedForever(t *testing.T) {
	t.Parallel()

	// Without a body net/http cannot be stopped; it waits 0, 1, 2, 4... s.
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()

			srv := newH2(t, func(c *h2conn, stream uint32, _ int) { c.reset(stream, refusedStream) })
			charges := &ledger{Budget: bucket()}
			rt := transport.New(srv.base(t), quiet, quick, transport.WithMaxAttempts(2), transport.WithBudget(charges),
				transport.WithAttemptTimeout(500*time.Millisecond))
			got := do(t, rt, request(t, method, srv.url))
			streams, _, _ := srv.seen()

			check(t, "streams seen", streams, 2)
			check(t, "counted", got.attempts(), 2)
			check(t, "paid", charges.paid, 1)
			check(t, "reason", got.reason(), transport.ReasonAttempts)
			check(t, "error", got.err != nil, true)
		})
	}
}

func TestHTTP2OtherStreamErrorIsUnknown(t *testing.T) {
	t.Parallel()

	srv := newH2(t, func(c *h2conn, stream uint32, _ int) { c.reset(stream, internalError) })
	got := do(t, transport.New(srv.base(t), quiet, quick), request(t, http.MethodPost, srv.url))
	streams, _, _ := srv.seen()

	check(t, "POST: streams seen", streams, 1)
	check(t, "POST: reason", got.reason(), transport.ReasonUnsafe)

	got = do(t, transport.New(srv.base(t), quiet, quick), request(t, http.MethodGet, srv.url))
	streams, _, _ = srv.seen()

	check(t, "GET: streams seen", streams-1, 3)
	check(t, "GET: counted", got.attempts(), 3)
}
