package transport_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// failing is a base whose first attempt fails with err.
type failing struct {
	err  error
	next http.RoundTripper
	used bool
}

func (f *failing) RoundTrip(req *http.Request) (*http.Response, error) {
	if f.used {
		return f.next.RoundTrip(req)
	}

	f.used = true
	if req.Body != nil {
		_ = req.Body.Close()
	}

	return nil, f.err
}

// TestFailureTable goes through every row of the failure table: how often a
// failure is tried for a GET, for a POST that takes no key, and for a POST
// whose operation declares one. After the failure the server is well again.
func TestFailureTable(t *testing.T) {
	t.Parallel()

	const (
		never, always = 1, 2
	)

	step := retrytest.Answer
	rows := []struct {
		name             string
		step             retrytest.Step
		err              error
		get, post, keyed int
		cost             int
	}{
		{"dial refused", retrytest.Refuse(), nil, always, always, always, 14},
		{"dial timeout", retrytest.Step{}, &net.OpError{Op: "dial", Err: timeoutError{}}, always, always, always, 14},
		{"TLS handshake timeout", retrytest.Step{}, errors.New("net/http: TLS handshake timeout"), always, always, always, 14},
		{"DNS temporary", retrytest.Step{}, dialing(&net.DNSError{IsTemporary: true}), always, always, always, 14},
		{"HTTP/2 refused stream", retrytest.Step{}, streamError{Code: 7}, always, always, always, 14},
		{"HTTP/2 other stream error", retrytest.Step{}, streamError{Code: 2}, always, never, always, 14},
		{"NXDOMAIN", retrytest.Step{}, dialing(&net.DNSError{IsNotFound: true}), never, never, never, 0},
		{"certificate not trusted", retrytest.Step{}, x509.UnknownAuthorityError{}, never, never, never, 0},
		{"unsupported scheme", retrytest.Step{}, errors.New(`unsupported protocol scheme "gopher"`), never, never, never, 0},
		{"429", step(429), nil, always, always, always, 5},
		{"503 with a wait", step(503).With("Retry-After", "1"), nil, always, never, always, 5},
		{"reset", retrytest.Reset(), nil, always, never, always, 14},
		{"EOF", retrytest.Drop(), nil, always, never, always, 14},
		{"write error", retrytest.Step{}, &net.OpError{Op: "write", Err: syscall.EPIPE}, always, never, always, 14},
		{"attempt timeout", retrytest.Stall(), nil, always, never, always, 14},
		{"body cut short", retrytest.Cut("1234"), nil, always, never, always, 14},
		{"502", step(502), nil, always, never, always, 14},
		{"503", step(503), nil, always, never, always, 14},
		{"504", step(504), nil, always, never, always, 14},
		{"408", step(408), nil, always, never, always, 14},
		{"425", step(425), nil, always, never, always, 14},
		{"500", step(500), nil, always, never, always, 14},
		{"500 stored", step(500).With("Idempotent-Replayed", "true"), nil, never, never, never, 0},
		{"409 in progress", step(409).Text(`{"code":"idempotency_in_progress"}`), nil, always, never, always, 5},
		{"409 key reused", step(409).Text(`{"error":{"code":"idempotency_key_reused"}}`), nil, never, never, never, 0},
		{"422 key reused", step(422).Text(`{"type":"https://e.test/errors#idempotency-key-reused"}`), nil, never, never, never, 0},
		{"409 other", step(409).Text(`{"code":"taken"}`), nil, never, never, never, 0},
		{"401", step(401), nil, never, never, never, 0},
		{"400", step(400), nil, never, never, never, 0},
		{"404", step(404), nil, never, never, never, 0},
		{"501", step(501), nil, never, never, never, 0},
		{"505", step(505), nil, never, never, never, 0},
		{"507", step(507), nil, never, never, never, 0},
		{"told to, 400", step(400).With("X-Should-Retry", "true"), nil, always, never, always, 14},
		{"told not to, 429", step(429).With("X-Should-Retry", "false"), nil, never, never, never, 0},
		{"told not to, 503", step(503).With("X-Should-Retry", "false"), nil, never, never, never, 0},
	}

	for _, row := range rows {
		for _, kind := range []struct {
			name     string
			method   string
			key      *transport.KeyRule
			attempts int
		}{
			{"GET", http.MethodGet, nil, row.get},
			{"POST", http.MethodPost, nil, row.post},
			{"POST keyed", http.MethodPost, &transport.KeyRule{Header: "Idempotency-Key"}, row.keyed},
		} {
			t.Run(row.name+"/"+kind.name, func(t *testing.T) {
				t.Parallel()
				retrytest.FakeTime(t, func(t *testing.T) {
					script := retrytest.NewTransport(row.step, retrytest.Answer(200).Text("well"))

					var base http.RoundTripper = script

					failed := 0
					if row.err != nil {
						script.Play(retrytest.Answer(200).Text("well"))
						base, failed = &failing{err: row.err, next: script}, 1
					}

					tokens := bucket()
					rt := transport.New(base, quiet, transport.WithBudget(tokens), transport.WithOperation(&transport.Operation{
						ID: "op", Key: kind.key, OverrideHeader: "X-Should-Retry",
					}))
					got := do(t, rt, request(t, kind.method, "http://api.test/records?token=secret"))

					check(t, "attempts", got.attempts(), kind.attempts)
					check(t, "requests seen", len(script.Requests())+failed, kind.attempts)

					if kind.attempts == never {
						check(t, "tokens", left(tokens), 500)

						if got.reason() == transport.ReasonNone {
							t.Error("the failure has no reason")
						}

						return
					}

					check(t, "status", got.status, 200)
					check(t, "body", got.body, "well")
					check(t, "tokens", left(tokens), 500)
					charged(t, row.step, row.err, kind.method, kind.key, row.cost)
				})
			})
		}
	}
}

// charged checks what a failure that stays costs: one retry and no refund.
func charged(t *testing.T, step retrytest.Step, err error, method string, key *transport.KeyRule, cost int) {
	t.Helper()

	var base http.RoundTripper = retrytest.NewTransport(step, retrytest.Answer(404))
	if err != nil {
		base = &failing{err: err, next: retrytest.NewTransport(retrytest.Answer(404))}
	}

	tokens := bucket()
	rt := transport.New(base, quiet, transport.WithBudget(tokens), transport.WithOperation(&transport.Operation{
		ID: "op", Key: key, OverrideHeader: "X-Should-Retry",
	}))
	_ = do(t, rt, request(t, method, "http://api.test/records"))
	check(t, "tokens spent", 500-left(tokens), cost)
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// streamError has the shape of net/http's.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream error" }

func (e streamError) As(target any) bool {
	// What net/http does by reflection for any struct of this shape.
	return asStream(e, target)
}

func dialing(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func TestServerErrorIsRetriedOncePerCall(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(500))
		got := do(t, transport.New(base, quiet, transport.WithMaxAttempts(5)), request(t, http.MethodGet, "http://api.test/"))
		check(t, "attempts", got.attempts(), 2)
		check(t, "reason", got.reason(), transport.ReasonNotRetryable)

		// Listed by the operation it is retried like any other.
		base = retrytest.NewTransport(retrytest.Answer(500))
		rt := transport.New(base, quiet, transport.WithMaxAttempts(5),
			transport.WithOperation(&transport.Operation{RetryStatuses: []int{500}}))
		check(t, "attempts when listed", do(t, rt, request(t, http.MethodGet, "http://api.test/")).attempts(), 5)
	})
}

func TestUnauthorizedIsRetriedOnceAfterRefresh(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(401))
		refreshed := 0
		rt := transport.New(base, quiet, transport.WithRefresh(
			func(_ context.Context, req *http.Request, resp *http.Response) (bool, error) {
				refreshed++

				check(t, "status seen", resp.StatusCode, 401)
				req.Header.Set("Authorization", "Bearer fresh")

				return true, nil
			}))

		req := request(t, http.MethodPost, "http://api.test/")
		req.Header.Set("Authorization", "Bearer stale")

		start := time.Now()
		got := do(t, rt, req)

		check(t, "status", got.status, 401)
		check(t, "attempts", got.attempts(), 2)
		check(t, "refreshes", refreshed, 1)
		check(t, "first", base.Requests()[0].Header.Get("Authorization"), "Bearer stale")
		check(t, "second", base.Requests()[1].Header.Get("Authorization"), "Bearer fresh")
		check(t, "caller's header", req.Header.Get("Authorization"), "Bearer stale")
		check(t, "body of the second", base.Requests()[1].Body, payload)
		check(t, "waited", time.Since(start), 0)
	})
}

func TestRefreshThatFailsEndsTheCall(t *testing.T) {
	t.Parallel()

	broken := errors.New("token endpoint is down")
	base := retrytest.NewTransport(retrytest.Answer(401))
	rt := transport.New(base, quiet, transport.WithRefresh(
		func(context.Context, *http.Request, *http.Response) (bool, error) { return true, broken }))
	got := do(t, rt, request(t, http.MethodGet, "http://api.test/"))

	check(t, "status", got.status, 401)
	check(t, "attempts", got.attempts(), 1)
	check(t, "cause kept", errors.Is(got.outcome.Err, broken), true)
}

func TestCallerEndsTheCall(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		given := errors.New("the user closed the window")
		ctx, cancel := context.WithCancelCause(t.Context())
		base := retrytest.NewTransport(retrytest.Answer(429).With("Retry-After", "7").Text("slow down"))

		time.AfterFunc(3*time.Second, func() { cancel(given) })

		start := time.Now()
		got := do(t, transport.New(base, quiet), request(t, http.MethodGet, "http://api.test/").WithContext(ctx))

		var te *transport.Error
		if !errors.As(got.err, &te) {
			t.Fatalf("got %v", got.err)
		}

		check(t, "elapsed", time.Since(start), 3*time.Second)
		check(t, "is canceled", errors.Is(got.err, context.Canceled), true)
		check(t, "cause kept", errors.Is(got.err, given), true)
		check(t, "last answer", te.StatusCode, 429)
		check(t, "its body", string(te.Body), "slow down")
		check(t, "its wait", te.RetryAfter, 7*time.Second)
		check(t, "attempts", te.Attempts, 1)
		check(t, "reason", te.Reason, transport.ReasonCaller)
	})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(503))
		tokens := bucket()
		rt := transport.New(base, quiet, transport.WithRandom(worst), transport.WithBudget(tokens))
		got := do(t, rt, request(t, http.MethodGet, "http://api.test/"))
		seen := base.Requests()

		check(t, "attempts", len(seen), retry.DefaultAttempts)
		check(t, "status", got.status, 503)
		check(t, "reason", got.reason(), transport.ReasonAttempts)
		check(t, "first wait", seen[1].At.Sub(seen[0].At), 50*time.Millisecond)
		check(t, "second wait", seen[2].At.Sub(seen[1].At), 100*time.Millisecond)
		check(t, "tokens: the last attempt pays nothing", left(tokens), 500-2*14)
	})
}

func TestDefaultTimeouts(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Stall())
		start := time.Now()
		got := do(t, transport.New(base, quiet, transport.WithRandom(worst)), request(t, http.MethodGet, "http://api.test/"))
		seen := base.Requests()

		check(t, "attempts", len(seen), 3)
		check(t, "attempt timeout", seen[1].At.Sub(seen[0].At), 10*time.Second+50*time.Millisecond)
		check(t, "deadline", time.Since(start), 30*time.Second)
		check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
	})
}

func TestBodyReadFailureOfAStreamIsTheCallers(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Cut("1234"))
	got := do(t, transport.New(base, quiet), request(t, http.MethodGet, "http://api.test/"))

	check(t, "attempts", len(base.Requests()), 1)
	check(t, "read so far", got.body, "12")
	check(t, "error", errors.Is(got.err, io.ErrUnexpectedEOF), true)
}
