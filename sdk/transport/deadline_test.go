package transport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func TestDeadlineIsTheEarlier(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name            string
		option, context time.Duration
		want            time.Duration
		reason          transport.Reason
	}{
		{"the option's", 5 * time.Second, time.Minute, 5 * time.Second, transport.ReasonDeadline},
		{"the context's", time.Minute, 5 * time.Second, 5 * time.Second, transport.ReasonCaller},
		{"only the context's", 0, 7 * time.Second, 7 * time.Second, transport.ReasonCaller},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			retrytest.FakeTime(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.context)
				defer cancel()

				start := time.Now()
				rt := transport.New(retrytest.NewTransport(retrytest.Stall()), quiet,
					transport.WithDeadline(tc.option), transport.WithAttemptTimeout(0))
				got := do(t, rt, request(t, http.MethodGet, "http://api.test/").WithContext(ctx))

				check(t, "elapsed", time.Since(start), tc.want)
				check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)

				if tc.reason == transport.ReasonDeadline {
					check(t, "reason", got.reason(), tc.reason)
				}
			})
		})
	}
}

func TestWaitNeedsRoomForAnAttempt(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		for _, tc := range []struct {
			deadline time.Duration
			attempts int
		}{{2*time.Second + 10*time.Millisecond, 1}, {2*time.Second + 30*time.Millisecond, 2}} {
			base := retrytest.NewTransport(retrytest.Answer(503).With("Retry-After", "2"))
			start := time.Now()
			got := do(t, transport.New(base, quiet, transport.WithDeadline(tc.deadline)), request(t, http.MethodGet, "http://api.test/"))

			check(t, "attempts", got.attempts(), tc.attempts)
			check(t, "reason", got.reason(), transport.ReasonDeadline)
			check(t, "elapsed", time.Since(start), time.Duration(tc.attempts-1)*2*time.Second)
		}
	})
}

func TestCallersDeadlineInAWaitKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the page was closed"))
		defer cancel()

		base := retrytest.NewTransport(retrytest.Answer(503).Text("busy"))
		rt := transport.New(base, quiet, transport.WithDeadline(0), transport.WithMaxAttempts(100),
			transport.WithBackoff(retry.Backoff{Base: 25 * time.Second, Min: 25 * time.Second, Cap: 25 * time.Second}))
		got := do(t, rt, request(t, http.MethodGet, "http://api.test/").WithContext(ctx))

		check(t, "status", got.status, 503)
		check(t, "attempts", got.attempts(), 3)
		check(t, "reason", got.reason(), transport.ReasonDeadline)
	})
}

func TestTimeLeftIsSent(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(503).After(3*time.Second), retrytest.Answer(200))
		rt := transport.New(base, quiet, transport.WithTimeLeftHeader("X-Time-Left"), transport.WithRandom(worst),
			transport.WithAttemptTimeout(4*time.Second), transport.WithDeadline(5*time.Second))
		_ = do(t, rt, request(t, http.MethodGet, "http://api.test/"))
		seen := base.Requests()

		check(t, "first", seen[0].Header.Get("X-Time-Left"), "4000")
		check(t, "second", seen[1].Header.Get("X-Time-Left"), strconv.Itoa(5000-3000-50))
	})
}

// dripping sends a word every interval.
func dripping(t *testing.T, words int, interval time.Duration, silent bool) *httptest.Server {
	t.Helper()

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range words {
			_, _ = io.WriteString(w, "word ")
			_ = http.NewResponseController(w).Flush()

			select {
			case <-time.After(interval):
			case <-r.Context().Done():
				return
			}
		}

		if silent {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)

	return srv
}

func TestStreamOutlivesTheDeadline(t *testing.T) {
	t.Parallel()

	srv := dripping(t, 8, 50*time.Millisecond, false)
	rt := transport.New(newBase(t), quiet, transport.WithDeadline(150*time.Millisecond), transport.WithAttemptTimeout(100*time.Millisecond),
		transport.WithOperation(&transport.Operation{ID: "stream", Stream: true}))
	got := do(t, rt, request(t, http.MethodGet, srv.URL))

	check(t, "error", got.err, nil)
	check(t, "body", len(got.body), 8*len("word "))
}

func TestStreamEndsWhenItFallsSilent(t *testing.T) {
	t.Parallel()

	srv := dripping(t, 2, 10*time.Millisecond, true)
	rt := transport.New(newBase(t), quiet, transport.WithIdleTimeout(100*time.Millisecond),
		transport.WithOperation(&transport.Operation{ID: "stream", Stream: true}))
	got := do(t, rt, request(t, http.MethodGet, srv.URL))

	check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
	check(t, "body", got.body, "word word ")
}

func TestStreamEndsWithTheCaller(t *testing.T) {
	t.Parallel()

	srv := dripping(t, 1, 0, true)
	ctx, cancel := context.WithCancel(t.Context())
	rt := transport.New(newBase(t), quiet, transport.WithOperation(&transport.Operation{ID: "stream", Stream: true}))
	resp, err := rt.RoundTrip(request(t, http.MethodGet, srv.URL).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}

	cancel()

	_, err = io.ReadAll(resp.Body)
	_ = resp.Body.Close()

	check(t, "is canceled", errors.Is(err, context.Canceled), true)
}

func TestFailedStreamIsReadWhole(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Answer(404).Text("no such stream"))
	rt := transport.New(base, quiet, transport.WithOperation(&transport.Operation{ID: "stream", Stream: true}))
	got := do(t, rt, request(t, http.MethodGet, "http://api.test/"))

	check(t, "body", got.body, "no such stream")
	check(t, "error", got.err, nil)
}

func TestIdleTimeCountsTheServersSilenceOnly(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(200).Text("all of it"))
		rt := transport.New(base, quiet, transport.WithIdleTimeout(time.Second))
		resp, err := rt.RoundTrip(request(t, http.MethodGet, "http://api.test/"))
		if err != nil {
			t.Fatal(err)
		}

		// A caller that is slow to read is not a server that is silent.
		timer := time.NewTimer(time.Hour)
		<-timer.C

		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()

		check(t, "body", string(body), "all of it")
		check(t, "error", err, nil)
	})
}
