package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// The tests of this file are the traps of go-retryablehttp v0.7.8, the loop
// below this package, each over real connections. In every one of them the
// server's count, ours and the budget's must agree.

// trap is one server, one transport, one ledger.
type trap struct {
	*retrytest.Server
	rt      *transport.Transport
	charges *ledger
}

func newTrap(t *testing.T, steps []retrytest.Step, opts ...transport.Option) *trap {
	t.Helper()

	tr := &trap{
		Server:  retrytest.NewServer(t, steps...),
		charges: &ledger{Budget: budget.NewTokenBucket(budget.BucketConfig{Capacity: 1 << 20})},
	}
	tr.rt = transport.New(newBase(t), append([]transport.Option{quiet, quick, transport.WithBudget(tr.charges)}, opts...)...)

	return tr
}

// do makes a call and checks that all counts agree.
func (tr *trap) do(t *testing.T, req *http.Request) (ended, []retrytest.Request) {
	t.Helper()

	before, paid := len(tr.Requests()), tr.charges.paid
	got := do(t, tr.rt, req)
	seen := tr.Requests()[before:]

	check(t, "attempts counted, against seen", got.attempts(), len(seen))
	check(t, "retries paid, against seen", tr.charges.paid-paid, len(seen)-1)

	return got, seen
}

func steps(s ...retrytest.Step) []retrytest.Step { return s }

func TestTrap01RetryAfterHasACeiling(t *testing.T) {
	t.Parallel()

	hours := strconv.Itoa(484289 * 3600)
	tr := newTrap(t, steps(retrytest.Answer(429).With("Retry-After", hours)))
	start := time.Now()
	got, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "requests", len(seen), 1)
	check(t, "status", got.status, 429)
	check(t, "the wait is told", got.outcome.RetryAfter, 484289*time.Hour)
	check(t, "at once", time.Since(start) < 5*time.Second, true)
}

func TestTrap02RetryAfterDoesNotOverflow(t *testing.T) {
	t.Parallel()

	for _, value := range []string{"9223372037", "9223372036854775807", "99999999999999999999", "1e10"} {
		tr := newTrap(t, steps(retrytest.Answer(429).With("Retry-After", value)),
			transport.WithBackoff(retry.Backoff{ThrottleBase: 30 * time.Millisecond, Min: 30 * time.Millisecond}))
		_, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

		check(t, "requests", len(seen), 3)
		check(t, "waited", seen[1].At.Sub(seen[0].At) >= 30*time.Millisecond, true)
	}
}

func TestTrap03RetryAfterIsReadOnEveryRetryableAnswer(t *testing.T) {
	t.Parallel()

	for _, status := range []int{429, 500, 502, 503, 504, 408, 425, 409} {
		answer := retrytest.Answer(status).With("Retry-After", "0.08").Text(`{"code":"idempotency_in_progress"}`)
		tr := newTrap(t, steps(answer, retrytest.Answer(200)), transport.WithKeyedMethods(http.MethodPost))
		got, seen := tr.do(t, request(t, http.MethodPost, tr.URL))

		check(t, fmt.Sprint(status, ": status"), got.status, 200)
		check(t, fmt.Sprint(status, ": waited"), seen[1].At.Sub(seen[0].At) >= 80*time.Millisecond, true)
	}
}

func TestTrap04WaitThatCannotFitReturnsAtOnce(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(429).With("Retry-After", "30").Text("slow down")), transport.WithDeadline(20*time.Second))
	start := time.Now()
	resp, err := tr.rt.RoundTrip(request(t, http.MethodGet, tr.URL))
	if err != nil {
		t.Fatal(err)
	}

	var err2 error = transport.ErrorOf(resp)

	var te *transport.Error

	check(t, "at once", time.Since(start) < 10*time.Second, true)
	check(t, "as Error", errors.As(err2, &te), true)
	check(t, "status", te.StatusCode, 429)
	check(t, "body", string(te.Body), "slow down")
	check(t, "wait", te.RetryAfter, 30*time.Second)
	check(t, "attempts", te.Attempts, 1)
	check(t, "reason", te.Reason, transport.ReasonDeadline)
	check(t, "is deadline", errors.Is(err2, context.DeadlineExceeded), true)
}

func TestTrap05AttemptTimeoutIsRetriedAndCoversTheBody(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Stall(), retrytest.Answer(200).Text("ok")), transport.WithAttemptTimeout(150*time.Millisecond))
	got, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "requests", len(seen), 2)
	check(t, "body", got.body, "ok")

	// A typed call reads the body within the attempt.
	first := true
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half")

		if first {
			first = false

			_ = http.NewResponseController(w).Flush()

			<-r.Context().Done()

			return
		}

		_, _ = io.WriteString(w, " and half")
	}))
	defer srv.Close()

	rt := transport.New(newBase(t), quiet, quick, transport.WithAttemptTimeout(150*time.Millisecond),
		transport.WithOperation(&transport.Operation{ID: "read"}))
	got = do(t, rt, request(t, http.MethodGet, srv.URL))

	check(t, "body stalled: attempts", got.attempts(), 2)
	check(t, "body stalled: body", got.body, "half and half")
}

func TestTrap06AttemptTimeoutIsADeadlineError(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Stall()), transport.WithAttemptTimeout(60*time.Millisecond), transport.WithMaxAttempts(2))
	got, _ := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
	check(t, "reason", got.reason(), transport.ReasonAttempts)
}

func TestTrap07PostIsNotRepeatedAfterAReadTimeout(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Stall()), transport.WithAttemptTimeout(60*time.Millisecond))
	got, seen := tr.do(t, request(t, http.MethodPost, tr.URL))

	check(t, "requests", len(seen), 1)
	check(t, "reason", got.reason(), transport.ReasonUnsafe)
}

func TestTrap08MethodAfterARedirectIsTheHops(t *testing.T) {
	t.Parallel()

	srv := retrytest.NewServer(t,
		retrytest.Answer(303).With("Location", "/orders/1"), retrytest.Answer(503), retrytest.Answer(200).Text("order"))
	got := do(t, transport.New(newBase(t), quiet, quick), request(t, http.MethodPost, srv.URL+"/orders"))
	seen := srv.Requests()

	check(t, "body", got.body, "order")
	check(t, "requests", len(seen), 3)

	for i, want := range []string{"POST /orders", "GET /orders/1", "GET /orders/1"} {
		check(t, "request", seen[i].Method+" "+seen[i].Path, want)
	}
}

func TestTrap09WaitKnowsTheCause(t *testing.T) {
	t.Parallel()

	waits := func(step retrytest.Step) time.Duration {
		var wait time.Duration

		tr := newTrap(t, steps(step, retrytest.Answer(200)), transport.WithRandom(worst),
			transport.WithBackoff(retry.Backoff{Base: 10 * time.Millisecond, ThrottleBase: 90 * time.Millisecond}),
			transport.WithHook(func(_ context.Context, e transport.Event) { wait = max(wait, e.Wait) }))
		_, _ = tr.do(t, request(t, http.MethodGet, tr.URL))

		return wait
	}

	check(t, "after a reset", waits(retrytest.Reset()), 10*time.Millisecond)
	check(t, "after a 429", waits(retrytest.Answer(429)), 90*time.Millisecond)
}

func TestTrap10LastAnswerIsHandedBack(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(503).Text("no room").With("X-Request-Id", "r1")))
	resp, err := tr.rt.RoundTrip(request(t, http.MethodGet, tr.URL))
	if err != nil {
		t.Fatal(err)
	}

	te := transport.ErrorOf(resp)

	check(t, "status", te.StatusCode, 503)
	check(t, "body", string(te.Body), "no room")
	check(t, "header", te.Header.Get("X-Request-Id"), "r1")
	check(t, "attempts", te.Attempts, 3)
	check(t, "reason", te.Reason, transport.ReasonAttempts)
	check(t, "text", te.Error(), "GET : 503 Service Unavailable (attempts: 3, stopped by: attempts)")
}

func TestTrap11BodyThatCannotBeRewound(t *testing.T) {
	t.Parallel()

	broken := errors.New("the file is gone")
	srv := retrytest.NewServer(t, retrytest.Answer(429).Text("later"))
	req := request(t, http.MethodPost, srv.URL)
	opened := 0
	req.GetBody = func() (io.ReadCloser, error) {
		opened++

		return nil, broken
	}

	got := do(t, transport.New(newBase(t), quiet, quick), req)

	var te *transport.Error

	check(t, "requests", len(srv.Requests()), 1)
	check(t, "cause", errors.Is(got.err, broken), true)
	check(t, "as Error", errors.As(got.err, &te), true)
	check(t, "last answer", te.StatusCode, 429)
	check(t, "its body", string(te.Body), "later")
}

func TestTrap12LastAttemptPaysNothing(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(503)), transport.WithMaxAttempts(4))
	_, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "requests", len(seen), 4)
	check(t, "paid", tr.charges.paid, 3)
}

func TestTrap13BodiesAreDrainedInBoundedTime(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(503).Text(strings.Repeat("x", 100<<10))), transport.WithMaxAttempts(10))
	_, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "requests", len(seen), 10)
	check(t, "connections", tr.Connections(), 1)

	stalled := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "and then")
		_ = http.NewResponseController(w).Flush()

		<-r.Context().Done()
	}))
	defer stalled.Close()

	start := time.Now()
	resp, err := transport.New(newBase(t), quiet, quick).RoundTrip(request(t, http.MethodGet, stalled.URL))
	if err != nil {
		t.Fatal(err)
	}

	_ = resp.Body.Close()

	check(t, "status", resp.StatusCode, 503)
	check(t, "two drains of a quarter second", time.Since(start) < 5*time.Second, true)
}

func TestTrap14IdleConnectionsSurviveFailures(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, nil)

	for _, step := range steps(retrytest.Answer(503), retrytest.Answer(429), retrytest.Answer(404), retrytest.Answer(200)) {
		tr.Play(step)
		_, _ = tr.do(t, request(t, http.MethodGet, tr.URL))
	}

	check(t, "connections", tr.Connections(), 1)
}

func TestTrap15ReadersAreRewoundOrSentOnce(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "upload")
	if err := os.WriteFile(path, []byte("head:the rest"), 0o600); err != nil {
		t.Fatal(err)
	}

	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}

	_, _ = file.Seek(5, io.SeekStart)

	tr := newTrap(t, steps(retrytest.Answer(429), retrytest.Answer(503), retrytest.Answer(200)))
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, tr.URL, file)
	_, seen := tr.do(t, req)

	check(t, "file: requests", len(seen), 3)

	for _, r := range seen {
		check(t, "file: body", r.Body, "the rest")
	}

	_, err = file.Stat()
	check(t, "file: closed at the end", errors.Is(err, os.ErrClosed), true)

	// A stream cannot be rewound: once, whole, and no empty second try.
	tr.Play(retrytest.Answer(429))

	req, _ = http.NewRequestWithContext(t.Context(), http.MethodPut, tr.URL, io.MultiReader(strings.NewReader("once")))
	got, seen := tr.do(t, req)

	check(t, "stream: requests", len(seen), 1)
	check(t, "stream: body", seen[0].Body, "once")
	check(t, "stream: reason", got.reason(), transport.ReasonBody)
}

func TestTrap16EmptyBodyHasALength(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(429), retrytest.Answer(200)), transport.WithKeyedMethods(http.MethodPost))

	for _, body := range []io.Reader{bytes.NewReader(nil), strings.NewReader("")} {
		tr.Play(retrytest.Answer(429), retrytest.Answer(200))

		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, tr.URL, body)
		_, seen := tr.do(t, req)

		check(t, "requests", len(seen), 2)

		for _, r := range seen {
			check(t, "length", r.Header.Get("Content-Length"), "0")
			check(t, "chunks", r.Header.Get("Transfer-Encoding"), "")
		}
	}
}

func TestTrap17RedirectsKeepBodyAndKey(t *testing.T) {
	t.Parallel()

	for _, status := range []int{307, 308} {
		srv := retrytest.NewServer(t,
			retrytest.Answer(status).With("Location", "/moved"), retrytest.Answer(503), retrytest.Answer(201))
		rt := transport.New(newBase(t), quiet, quick, transport.WithKeyedMethods(http.MethodPost))
		got := do(t, rt, request(t, http.MethodPost, srv.URL+"/orders"))
		seen := srv.Requests()

		check(t, "status", got.status, 201)
		check(t, "requests", len(seen), 3)
		check(t, "key", got.outcome.IdempotencyKey, seen[0].Header.Get("Idempotency-Key"))

		for _, r := range seen {
			check(t, "method", r.Method, http.MethodPost)
			check(t, "body", r.Body, payload)
			check(t, "key", r.Header.Get("Idempotency-Key"), seen[0].Header.Get("Idempotency-Key"))
		}
	}
}

func TestTrap18ErrorsKeepTheirChain(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Stall()), transport.WithAttemptTimeout(60*time.Millisecond), transport.WithMaxAttempts(1))
	got, _ := tr.do(t, request(t, http.MethodGet, tr.URL))

	var timeout net.Error

	check(t, "as net.Error", errors.As(got.err, &timeout), true)
	check(t, "a timeout", timeout.Timeout(), true)

	tr.Play(retrytest.Drop())
	got, _ = tr.do(t, request(t, http.MethodGet, tr.URL))
	check(t, "EOF", errors.Is(got.err, io.EOF), true)
	check(t, "one url.Error", strings.Count(got.err.Error(), "Get "), 1)
}

func TestTrap19RequestIsLeftAsItWas(t *testing.T) {
	t.Parallel()

	srv := retrytest.NewServer(t, retrytest.Answer(429), retrytest.Answer(200))
	rt := transport.New(newBase(t), quiet, quick, transport.WithKeyedMethods(http.MethodPut),
		transport.WithAttemptHeader("X-Attempt"), transport.WithTimeLeftHeader("X-Time-Left"))
	req := request(t, http.MethodGet, srv.URL)
	req.Header.Set("X-Mine", "1")

	var wg sync.WaitGroup

	for range 8 {
		wg.Go(func() { _ = do(t, rt, req) })
	}

	wg.Wait()
	check(t, "headers", len(req.Header), 1)
	check(t, "requests", len(srv.Requests()) >= 9, true)
}

func TestTrap20LogShowsNoSecrets(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer

	logger := slog.New(slog.NewTextHandler(&out, nil))
	tr := newTrap(t, steps(retrytest.Answer(503), retrytest.Answer(200)), transport.WithLogger(logger))
	call := transport.WithCall(t.Context(), transport.WithIdempotencyKey("order-confirm-4711"))
	_, _ = tr.do(t, request(t, http.MethodPost, tr.URL+"/orders?token=hidden").WithContext(call))

	text := out.String()

	for _, shown := range []string{"level=WARN", `operation="POST /orders"`, "attempt=1", `cause="Service Unavailable"`, "wait=", "budget=", "key=order-co..."} {
		check(t, "shows "+shown, strings.Contains(text, shown), true)
	}

	for _, hidden := range []string{"token", "hidden", payload, "4711"} {
		check(t, "hides "+hidden, strings.Contains(text, hidden), false)
	}

	check(t, "one line", strings.Count(text, "\n"), 1)

	out.Reset()
	tr.Play(retrytest.Answer(200))
	_, _ = tr.do(t, request(t, http.MethodGet, tr.URL))
	check(t, "success is silent", out.Len(), 0)
}

func TestTrap21OnlyKnownFailuresAreRetried(t *testing.T) {
	t.Parallel()

	for _, status := range []int{501, 505, 507, 599, 418} {
		tr := newTrap(t, steps(retrytest.Answer(status)))
		_, seen := tr.do(t, request(t, http.MethodGet, tr.URL))
		check(t, fmt.Sprint(status), len(seen), 1)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	var served sync.WaitGroup

	conns := 0

	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			conns++

			_, _ = conn.Read(make([]byte, 1024))
			_, _ = io.WriteString(conn, "this is not HTTP\r\n\r\n")
			_ = conn.Close()
		}
	})

	got := do(t, transport.New(newBase(t), quiet, quick), request(t, http.MethodGet, "http://"+listener.Addr().String()))
	_ = listener.Close()

	served.Wait()
	check(t, "malformed: connections", conns, 1)
	check(t, "malformed: counted", got.attempts(), 1)
	check(t, "malformed: reason", got.reason(), transport.ReasonNotRetryable)
}

func TestTrap22WaitsAreJittered(t *testing.T) {
	t.Parallel()

	seen := make(map[time.Duration]bool)

	tr := newTrap(t, steps(retrytest.Answer(503)), transport.WithMaxAttempts(12),
		transport.WithBackoff(retry.Backoff{Base: 8 * time.Millisecond, Cap: 8 * time.Millisecond}),
		transport.WithHook(func(_ context.Context, e transport.Event) {
			if e.Kind == transport.EventRetry {
				seen[e.Wait] = true
			}
		}))
	_, _ = tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "different waits", len(seen) >= 10, true)
}

func TestTrap23BodyCutShortIsRetried(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Cut("the whole answer"), retrytest.Answer(200).Text("the whole answer")),
		transport.WithOperation(&transport.Operation{ID: "read"}))
	got, seen := tr.do(t, request(t, http.MethodGet, tr.URL))

	check(t, "requests", len(seen), 2)
	check(t, "body", got.body, "the whole answer")
}

func TestTrap24PolicyIsPerCall(t *testing.T) {
	t.Parallel()

	tr := newTrap(t, steps(retrytest.Answer(503)), transport.WithMaxAttempts(2))
	_, seen := tr.do(t, request(t, http.MethodGet, tr.URL))
	check(t, "the client's", len(seen), 2)

	call := transport.WithCall(t.Context(), transport.WithMaxAttempts(5))
	_, seen = tr.do(t, request(t, http.MethodGet, tr.URL).WithContext(call))
	check(t, "the call's", len(seen), 5)

	call = transport.WithCall(call, transport.WithMaxAttempts(1))
	_, seen = tr.do(t, request(t, http.MethodGet, tr.URL).WithContext(call))
	check(t, "the inner call's", len(seen), 1)
}

func TestTrap25ZeroValuesDoNotPanic(t *testing.T) {
	t.Parallel()

	srv := retrytest.NewServer(t, retrytest.Answer(503), retrytest.Answer(200))
	rt := transport.New(nil, transport.WithLogger(nil), transport.WithBudget(nil), transport.WithHook(nil),
		transport.WithRefresh(nil), transport.WithBackoff(retry.Backoff{}), transport.WithMaxAttempts(0),
		transport.WithOperation(nil), transport.WithKeySource(nil), transport.WithEventKey(nil))

	defer rt.CloseIdleConnections()

	check(t, "less than one attempt is one", do(t, rt, request(t, http.MethodGet, srv.URL)).status, 503)

	req := request(t, http.MethodGet, srv.URL)
	req.Header = nil
	check(t, "no header", do(t, rt, req).status, 200)
}

func TestTrap26NothingIsLeftRunning(t *testing.T) {
	tr := newTrap(t, steps(retrytest.Answer(503), retrytest.Reset()), transport.WithAttemptTimeout(time.Hour), transport.WithDeadline(2*time.Hour))
	existing := goleak.IgnoreCurrent()

	for range 40 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		_ = do(t, tr.rt, request(t, http.MethodGet, tr.URL).WithContext(ctx))

		cancel()
	}

	tr.rt.CloseIdleConnections()
	goleak.VerifyNone(t, existing, goleak.IgnoreTopFunction("net/http.(*conn).serve"),
		goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"))
}
