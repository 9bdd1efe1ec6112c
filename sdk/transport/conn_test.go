package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
)

// mortal is a connection whose writes fail once it is killed, while its reads
// stay silent: what net/http sees of a peer that went away unnoticed.
type mortal struct {
	net.Conn

	mu   sync.Mutex
	dead bool
}

func (m *mortal) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.dead = true
}

func (m *mortal) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.dead {
		return 0, errors.New("broken pipe")
	}

	return m.Conn.Write(p)
}

// TestNothingWrittenIsFree: on a connection that is dead before anything is
// written no server sees the first try, and no attempt is lost over it, with a
// key or without.
func TestNothingWrittenIsFree(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, method string
		opts         []Option
	}{
		{"GET", http.MethodGet, nil},
		{"POST", http.MethodPost, nil},
		{"POST keyed", http.MethodPost, []Option{WithKeyedMethods(http.MethodPost)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			handled := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				handled++

				w.WriteHeader(http.StatusCreated)
			}))
			defer srv.Close()

			var first *mortal

			base := &http.Transport{}
			defer base.CloseIdleConnections()

			base.DialContext = counted(func(ctx context.Context, network, addr string) (net.Conn, error) {
				var d net.Dialer

				conn, err := d.DialContext(ctx, network, addr)
				if err != nil || first != nil {
					return conn, err
				}

				first = &mortal{Conn: conn}

				return first, nil
			})

			tokens := budget.NewTokenBucket(budget.BucketConfig{})
			opts := slices.Concat(tc.opts, []Option{WithBudget(tokens), WithMaxAttempts(1), WithLogger(slog.New(slog.DiscardHandler))})
			client := &http.Client{Transport: New(base, opts...)}

			warm, err := client.Head(srv.URL)
			if err != nil {
				t.Fatal(err)
			}

			_ = warm.Body.Close()

			first.kill()

			req, _ := http.NewRequestWithContext(t.Context(), tc.method, srv.URL, strings.NewReader("body"))
			if tc.method == http.MethodGet {
				req, _ = http.NewRequestWithContext(t.Context(), tc.method, srv.URL, nil)
			}

			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}

			_ = resp.Body.Close()

			outcome, _ := OutcomeOf(resp)
			if outcome.Attempts != 1 || handled != 2 || tokens.State(time.Time{}).Available != 500 {
				t.Errorf("attempts %d, handled %d (with the warm-up), want 1 and 2", outcome.Attempts, handled)
			}
		})
	}
}
