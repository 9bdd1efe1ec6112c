package transport_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

const api = "http://api.test/"

// play makes one GET against a script, with all waits short.
func play(t *testing.T, steps []retrytest.Step, opts ...transport.Option) (ended, int) {
	t.Helper()

	base := retrytest.NewTransport(steps...)
	got := do(t, transport.New(base, append([]transport.Option{quiet, quick}, opts...)...), request(t, http.MethodGet, api))

	return got, len(base.Requests())
}

// Facts: grpc-go v1.85.0 TestRetryThrottling, proposal A6.
func vectorsGRPCThrottling(s *suite) {
	s.differ("tokens at half and below forbid retries", "the bucket pays for each retry instead of counting failures; both stop retries while most calls fail, and neither counts the last attempt as a retry", func(t *testing.T) {
		tokens := budget.NewTokenBucket(budget.BucketConfig{Capacity: 10, TransientCost: 1, Reward: 1})
		base := retrytest.NewTransport(retrytest.Answer(503))
		rt := transport.New(base, quiet, quick, transport.WithMaxAttempts(4), transport.WithBudget(tokens))

		for range 20 {
			_ = do(t, rt, request(t, http.MethodGet, api))
		}

		check(t, "requests", len(base.Requests()), 20+10)
	})
}

// Facts: grpc-go v1.85.0 TestRetryUnary; retryable is 503 here, INTERNAL 501.
func vectorsGRPCUnary(s *suite) {
	s.run("seven calls on one server", func(t *testing.T) {
		no, yes, ok := retrytest.Answer(501), retrytest.Answer(503), retrytest.Answer(200)
		base := retrytest.NewTransport(ok, yes, ok, yes, yes, ok, no, yes, no, yes, yes, no, yes)
		rt := transport.New(base, quiet, quick, transport.WithMaxAttempts(4), transport.WithBudget(nil))

		for _, want := range []struct{ status, seen int }{{200, 1}, {200, 3}, {200, 6}, {501, 7}, {501, 9}, {501, 12}, {503, 16}} {
			check(t, "status", do(t, rt, request(t, http.MethodGet, api)).status, want.status)
			check(t, "requests so far", len(base.Requests()), want.seen)
		}
	})
}

// Facts: grpc-go v1.85.0 TestRetryStreaming.
func vectorsGRPCPushback(s *suite) {
	busy, ok := retrytest.Answer(503), retrytest.Answer(200)
	four := transport.WithMaxAttempts(4)

	for _, tc := range []struct {
		name     string
		steps    []retrytest.Step
		attempts int
		status   int
	}{
		{"not retryable", steps(retrytest.Answer(501)), 1, 501},
		{"one retry", steps(busy, ok), 2, 200},
		{"all four", steps(busy), 4, 503},
	} {
		s.run(tc.name, func(t *testing.T) {
			base := retrytest.NewTransport(tc.steps...)
			got := do(t, transport.New(base, quiet, quick, four, transport.WithAttemptHeader("X-Attempt")), request(t, http.MethodGet, api))
			check(t, "status", got.status, tc.status)
			check(t, "requests", len(base.Requests()), tc.attempts)

			for i, r := range base.Requests() {
				check(t, "attempt", r.Header.Get("X-Attempt"), fmt.Sprint(i+1))
			}
		})
	}

	s.run("a stream that broke after it was handed over", func(t *testing.T) {
		got, n := play(t, steps(busy, retrytest.Cut("1234")), four, transport.WithOperation(&transport.Operation{Stream: true}))
		check(t, "requests", n, 2)
		check(t, "error", errors.Is(got.err, io.ErrUnexpectedEOF), true)
	})
	s.run("a stream that broke after its headers", func(t *testing.T) {
		got, n := play(t, steps(retrytest.Cut("12")), four, transport.WithOperation(&transport.Operation{Stream: true}))
		check(t, "requests", n, 1)
		check(t, "error", errors.Is(got.err, io.ErrUnexpectedEOF), true)
	})

	for _, value := range []string{"-1", "xxx", "100,10"} {
		s.differ("pushback "+value, "a wait that is none is ignored, as HTTP clients do; the server's no is X-Should-Retry: false", func(t *testing.T) {
			_, n := play(t, steps(busy.With("Retry-After-Ms", value)), four)
			check(t, "requests", n, 4)

			_, n = play(t, steps(busy.With("X-Should-Retry", "false")), four, transport.WithOperation(&transport.Operation{OverrideHeader: "X-Should-Retry"}))
			check(t, "requests when told not to", n, 1)
		})
	}

	s.run("pushback of a second", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			start := time.Now()
			got, n := play(t, steps(busy.With("Retry-After-Ms", "1000"), ok), four)
			check(t, "status", got.status, 200)
			check(t, "requests", n, 2)
			check(t, "waited", time.Since(start) >= time.Second, true)
		})
	})
	s.run("a request above the buffer", func(t *testing.T) {
		base := retrytest.NewTransport(busy)
		_ = do(t, transport.New(base, quiet, quick, four, transport.WithBodyBuffer(200)), upload(t, api, once(strings.Repeat("x", 500))))
		check(t, "requests", len(base.Requests()), 1)
	})
}

// Facts: grpc-go v1.85.0 TestMaxCallAttempts; the service's limit is the
// operation's.
func vectorsGRPCMaxAttempts(s *suite) {
	for _, tc := range []struct{ service, client, theirs, ours int }{{9, 4, 4, 4}, {9, 7, 7, 7}, {3, 0, 3, 3}} {
		s.run(fmt.Sprint(tc), func(t *testing.T) { attemptsOf(t, tc.service, tc.client, tc.ours) })
	}

	s.differ("the client allows more than the service", "options of the client win over the document", func(t *testing.T) { attemptsOf(t, 3, 10, 10) })
	s.differ("more than five", "there is no limit of five; the document's number holds", func(t *testing.T) { attemptsOf(t, 8, 0, 8) })
}

func attemptsOf(t *testing.T, service, client, want int) {
	t.Helper()

	opts := []transport.Option{transport.WithOperation(&transport.Operation{Attempts: service}), transport.WithBudget(nil)}
	if client > 0 {
		opts = append(opts, transport.WithMaxAttempts(client))
	}

	_, n := play(t, steps(retrytest.Answer(503)), opts...)
	check(t, "requests", n, want)
}

// Facts: grpc-go v1.85.0 TestParseRetryPolicy.
func vectorsGRPCConfig(s *suite) {
	s.run("a whole policy", func(t *testing.T) {
		b := retry.Backoff{Base: 2 * time.Second, Cap: 10 * time.Second}
		for i, want := range []int{2, 4, 8, 10} {
			check(t, "wait", b.Delay(i, false, 0, 1), time.Duration(want)*time.Second)
		}
	})

	for _, name := range []string{"attempts -1", "no attempts", "base 0", "cap 0", "multiplier 0", "no codes"} {
		s.differ(name, "zero values are the defaults and a number below 1 counts as 1: no configuration fails", func(t *testing.T) {
			_, n := play(t, steps(retrytest.Answer(503)), transport.WithMaxAttempts(-1), transport.WithBackoff(retry.Backoff{}))
			check(t, "attempts", n, 1)
			check(t, "base", retry.Backoff{Base: -1, Cap: -1}.Delay(0, false, 0, 1), retry.DefaultBase)
		})
	}
}

// Facts: googleapis/conformance-tests @998891a8, storage/v1/retry_tests.json. A
// precondition there is a key here.
func vectorsGCS(s *suite) {
	busy, reset, ok := retrytest.Answer(503), retrytest.Reset(), retrytest.Answer(200).Text("ok")
	safe := &transport.Operation{Idempotency: transport.Idempotent}
	conditional := &transport.Operation{Idempotency: transport.NotIdempotent, Key: &transport.KeyRule{Header: keyHeader}}
	unsafe := &transport.Operation{Idempotency: transport.NotIdempotent}

	for _, tc := range []struct {
		name  string
		op    *transport.Operation
		cases [][]retrytest.Step
		ok    bool
		tries []int
	}{
		{"1: always idempotent", safe, [][]retrytest.Step{{busy, busy, ok}, {reset, reset, ok}, {reset, busy, ok}}, true, []int{3, 3, 3}},
		{"2: with the precondition", conditional, [][]retrytest.Step{{busy, busy, ok}, {reset, reset, ok}, {reset, busy, ok}}, true, []int{3, 3, 3}},
		{"3: without it", unsafe, [][]retrytest.Step{{busy, ok}, {reset, ok}}, false, []int{1, 1}},
		{"4: not idempotent", unsafe, [][]retrytest.Step{{busy, ok}, {reset, ok}}, false, []int{1, 1}},
		{"5: not retryable", safe, [][]retrytest.Step{{retrytest.Answer(400), ok}, {retrytest.Answer(401), ok}}, false, []int{1, 1}},
		{"6: retryable, then not", safe, [][]retrytest.Step{{busy, retrytest.Answer(400), ok}, {reset, retrytest.Answer(401), ok}}, false, []int{2, 2}},
		{"7: resumable upload", conditional, [][]retrytest.Step{{reset, busy, ok}, {retrytest.Answer(408), ok}}, true, []int{3, 2}},
		{"8: broken download", safe, [][]retrytest.Step{{retrytest.Cut("1234"), retrytest.Cut("1234"), ok}}, true, []int{3}},
	} {
		s.run(tc.name, func(t *testing.T) {
			for i, script := range tc.cases {
				for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
					base := retrytest.NewTransport(script...)
					got := do(t, transport.New(base, quiet, quick, transport.WithOperation(tc.op)), request(t, method, api))
					check(t, fmt.Sprint(method, " case ", i, ": success"), got.status == 200, tc.ok)
					check(t, fmt.Sprint(method, " case ", i, ": requests"), len(base.Requests()), tc.tries[i])
				}
			}
		})
	}
}

// Facts: Finagle @4feb34cb, RetryBudgetTest.scala; 10000 requests, each
// followed by a try to retry.
func vectorsFinagle(s *suite) {
	at := time.Unix(0, 0)
	grants := func(cfg budget.ShareConfig) int {
		share, n := budget.NewShare(cfg), 0
		for range 10000 {
			share.Request(at)

			if share.Withdraw(at, budget.Transient) == nil {
				n++
			}
		}

		return n
	}

	for _, tc := range []struct {
		ttl       int
		perSecond float64
		ratio     float64
		want      int
	}{
		{60, -1, 0.1, 1000},
		{60, -1, 0.5, 5000},
		{60, -1, 0.25, 2500},
		{60, -1, 0.75, 7500},
		{60, -1, 0.99, 9900},
		{60, -1, 0.999, 9990},
		{60, -1, 0.9999, 9999},
		{60, -1, 0.01, 100},
		{60, -1, 0.001, 10},
		{60, -1, 0.0001, 1},
		{1, 10, -1, 10},
		{2, 5, -1, 10},
		{1, 10, 0.1, 1010},
		{2, 5, 0.5, 5010},
	} {
		s.run(fmt.Sprint(tc), func(t *testing.T) {
			got := grants(budget.ShareConfig{Ratio: tc.ratio, Window: time.Duration(tc.ttl) * time.Second, PerSecond: tc.perSecond})
			if got < tc.want-1 || got > tc.want+1 {
				t.Errorf("got %d, want %d within 1", got, tc.want)
			}
		})
	}

	s.run("a ratio above 1", func(t *testing.T) {
		share := budget.NewShare(budget.ShareConfig{Ratio: 2, PerSecond: -1})
		for range 10000 {
			share.Request(at)
		}

		check(t, "balance", share.State(at).Available, 20000)
	})
	s.run("nothing allowed", func(t *testing.T) { check(t, "grants", grants(budget.ShareConfig{Ratio: -1, PerSecond: -1}), 0) })

	for _, tc := range []struct {
		name string
		cfg  budget.ShareConfig
	}{
		{"ttl 0", budget.ShareConfig{}},
		{"ttl 61 s", budget.ShareConfig{Window: 61 * time.Second}},
		{"floor -1", budget.ShareConfig{PerSecond: -1}},
		{"ratio -1", budget.ShareConfig{Ratio: -1}},
	} {
		s.differ(tc.name, "no configuration fails: 0 is the default, negative is none", func(t *testing.T) {
			check(t, "a budget", budget.NewShare(tc.cfg) != nil, true)
		})
	}
}

// Facts: tower @8358ee71 tps_budget.rs, as linkerd2-proxy uses it.
func vectorsTower(s *suite) {
	for _, tc := range []struct {
		name  string
		ratio float64
		floor float64
		ops   string
	}{
		{"empty", 1, -1, "w-"},
		{"leaky", 1, -1, "d 3000 w-"},
		{"slots", 0.5, -1, "d d 901 w+ 2001 d 301 d 801 d w+"},
		{"reserve", 1, 5, "w+ w+ w+ w+ w+ w-"},
	} {
		s.run(tc.name, func(t *testing.T) {
			at := time.Unix(100, 0)
			share := budget.NewShare(budget.ShareConfig{Ratio: tc.ratio, Window: time.Second, PerSecond: tc.floor})

			// The windows there begin with the budget.
			_ = share.State(at)

			for i, op := range strings.Fields(tc.ops) {
				switch op[0] {
				case 'd':
					share.Request(at)
				case 'w':
					check(t, fmt.Sprint("op ", i), share.Withdraw(at, budget.Transient) == nil, op == "w+")
				default:
					ms, _ := time.ParseDuration(op + "ms")
					at = at.Add(ms)
				}
			}
		})
	}
}

// Facts: Envoy @01c2c1fa, resource_manager_impl_test.cc.
func vectorsEnvoy(s *suite) {
	for _, name := range []string{"25 % of 100 active", "a floor of 5 with none active", "budget over max_retries"} {
		s.differ(name, "concurrent retries are not limited: a proxy sees all calls of a host, a client only its own", func(t *testing.T) {
			share := budget.NewShare(budget.ShareConfig{Ratio: 0.25, PerSecond: -1})
			at := time.Unix(0, 0)

			for range 100 {
				share.Request(at)
			}

			n := 0
			for share.Withdraw(at, budget.Transient) == nil {
				n++
			}

			check(t, "retries for 100 requests in the window", n, 25)
		})
	}
}

// Facts: failsafe-go v0.9.8, test/budget_test.go, failsafehttp/client_test.go.
func vectorsFailsafe(s *suite) {
	for n := range 3 {
		s.differ(fmt.Sprint("concurrency budget ", n), "concurrent retries are not limited; the share is of requests in a window", func(t *testing.T) {
			share := budget.NewShare(budget.ShareConfig{Ratio: 0.5, PerSecond: -1})
			at := time.Unix(0, 0)
			share.Request(at)
			share.Request(at)
			check(t, "first", share.Withdraw(at, budget.Transient), nil)
			check(t, "second", errors.Is(share.Withdraw(at, budget.Transient), budget.ErrExhausted), true)
		})
	}

	busy := retrytest.Answer(429)
	for _, tc := range []struct {
		name     string
		steps    []retrytest.Step
		status   int
		attempts int
	}{
		{"429 429 200", steps(busy, busy, retrytest.Answer(200)), 200, 3},
		{"429 to the end", steps(busy), 429, 3},
	} {
		s.run(tc.name, func(t *testing.T) {
			got, n := play(t, tc.steps)
			check(t, "status", got.status, tc.status)
			check(t, "requests", n, tc.attempts)
		})
	}

	s.run("refused to the end", func(t *testing.T) {
		got, n := play(t, steps(retrytest.Refuse()))
		check(t, "requests", n, 3)
		check(t, "ECONNREFUSED", errors.Is(got.err, syscall.ECONNREFUSED), true)
	})
	s.run("a loop of redirects", func(t *testing.T) {
		got, n := play(t, steps(retrytest.Answer(302).With("Location", "/again")))
		check(t, "requests", n, 10)
		check(t, "error", strings.Contains(got.err.Error(), "stopped after 10 redirects"), true)
	})
	s.run("unsupported scheme", func(t *testing.T) {
		got := do(t, transport.New(newBase(t), quiet), request(t, http.MethodGet, "gopher://api.test/"))
		check(t, "attempts", got.attempts(), 1)
		check(t, "error", got.err != nil, true)
	})
}

// Facts: azcore v1.24.0, policy_retry_test.go.
func vectorsAzcore(s *suite) {
	fail, ok := retrytest.Answer(503), retrytest.Answer(200)

	for _, tc := range []struct {
		name   string
		steps  []retrytest.Step
		opts   []transport.Option
		n      int
		status int
	}{
		{"success", steps(ok), nil, 1, 200},
		{"failure to the end keeps the body", steps(fail.Text("kept")), nil, 4, 503},
		{"408, failure, success", steps(retrytest.Answer(408), fail, ok), nil, 3, 200},
		{"no retries", steps(retrytest.Answer(408)), []transport.Option{transport.WithMaxAttempts(1)}, 1, 408},
		{"408, error, failure, 202", steps(retrytest.Answer(408), retrytest.Reset(), fail, retrytest.Answer(202)), nil, 4, 202},
		{"a wait above the ceiling", steps(retrytest.Answer(429).With("Retry-After", "300")), nil, 1, 429},
	} {
		s.run(tc.name, func(t *testing.T) {
			opts := append([]transport.Option{transport.WithMaxAttempts(4)}, tc.opts...)
			got, n := play(t, tc.steps, opts...)
			check(t, "requests", n, tc.n)
			check(t, "status", got.status, tc.status)

			if tc.n == 4 && tc.status == 503 {
				check(t, "body", got.body, "kept")
			}
		})
	}

	s.run("waits of 429", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			start := time.Now()
			wait := retrytest.Answer(429).With("Retry-After", "1")
			got, n := play(t, steps(wait, wait, ok))
			check(t, "requests", n, 3)
			check(t, "status", got.status, 200)
			check(t, "waited", time.Since(start) >= 2*time.Second, true)
		})
	})
	s.differ("POST without a key after an error", "a request that may have been processed is not sent again", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Reset())
		_ = do(t, transport.New(base, quiet, quick, transport.WithMaxAttempts(4)), request(t, http.MethodPost, api))
		check(t, "requests", len(base.Requests()), 1)
	})
	s.differ("the deadline ends in the first wait", "a wait that cannot fit is not begun", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			defer cancel()

			start := time.Now()
			rt := transport.New(retrytest.NewTransport(retrytest.Reset()), quiet, transport.WithBackoff(retry.Backoff{Base: time.Second, Min: time.Second}))
			got := do(t, rt, request(t, http.MethodGet, api).WithContext(ctx))
			check(t, "elapsed", time.Since(start), 0)
			check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
		})
	})
	s.run("an error that says not to retry", func(t *testing.T) {
		got := do(t, transport.New(&failing{err: errors.New("no")}, quiet, quick), request(t, http.MethodGet, api))
		check(t, "attempts", got.attempts(), 1)
	})
	vectorsAzcoreWaits(s)
}

// Facts: azcore v1.24.0, internal/shared/shared_test.go.
func vectorsAzcoreWaits(s *suite) {
	for _, tc := range []struct {
		header string
		want   time.Duration
		ok     bool
	}{
		{"Retry-After: 300", 300 * time.Second, true},
		{"Retry-After: invalid", 0, false},
		{"Retry-After-Ms: 500", 500 * time.Millisecond, true},
		{"X-Ms-Retry-After-Ms: 400", 400 * time.Millisecond, true},
		{"Retry-After-Ms: 500, X-Ms-Retry-After-Ms: 400, Retry-After: 300", 500 * time.Millisecond, true},
		{"X-Ms-Retry-After-Ms: 400, Retry-After: 300", 400 * time.Millisecond, true},
		{"Retry-After-Ms: invalid", 0, false},
		{"Retry-After: Sat, 01 Jan 2000 00:10:00 GMT", 600 * time.Second, true},
	} {
		s.run(tc.header, func(t *testing.T) {
			header := http.Header{}

			for pair := range strings.SplitSeq(tc.header, ", R") {
				name, value, _ := strings.Cut(pair, ": ")
				if strings.HasPrefix(name, "etry") {
					name = "R" + name
				}

				for i, part := range strings.Split(value, ", X-Ms-Retry-After-Ms: ") {
					if i > 0 {
						name = "X-Ms-Retry-After-Ms"
					}

					header.Set(name, part)
				}
			}

			wait, ok := retry.After(header, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
			check(t, "wait", wait, tc.want)
			check(t, "asked", ok, tc.ok)
		})
	}
}

// Facts: stripe-go @a1e3932f, stripe_test.go.
func vectorsStripe(s *suite) {
	op := transport.WithOperation(&transport.Operation{OverrideHeader: "Stripe-Should-Retry", Key: &transport.KeyRule{Header: keyHeader}})
	ok := retrytest.Answer(200)

	for _, tc := range []struct {
		name string
		step retrytest.Step
		n    int
	}{
		{"400", retrytest.Answer(400), 1},
		{"409 told not to", retrytest.Answer(409).With("Stripe-Should-Retry", "false"), 1},
		{"400 told to", retrytest.Answer(400).With("Stripe-Should-Retry", "true"), 2},
		{"409 in progress", retrytest.Answer(409).Text(`{"error":{"code":"idempotency_key_in_use"}}`), 2},
		{"429 lock timeout", retrytest.Answer(429).Text(`{"error":{"code":"lock_timeout"}}`), 2},
		{"500", retrytest.Answer(500), 2},
		{"503", retrytest.Answer(503), 2},
	} {
		s.run(tc.name, func(t *testing.T) {
			_, n := play(t, steps(tc.step, ok), op)
			check(t, "requests", n, tc.n)
		})
	}

	s.run("attempts used up", func(t *testing.T) {
		_, n := play(t, steps(retrytest.Answer(503)), op)
		check(t, "requests", n, 3)
	})
	s.run("the caller is gone", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()

		base := retrytest.NewTransport(retrytest.Answer(503))
		got := do(t, transport.New(base, quiet), request(t, http.MethodGet, api).WithContext(ctx))
		check(t, "is canceled", errors.Is(got.err, context.Canceled), true)
		check(t, "requests", len(base.Requests()) <= 1, true)
	})
	s.run("too many redirects", func(t *testing.T) {
		_, n := play(t, steps(retrytest.Answer(302).With("Location", "/again")), op)
		check(t, "requests", n, 10)
	})

	for name, err := range map[string]error{
		"unsupported scheme": errors.New(`unsupported protocol scheme "x"`), "unknown authority": x509.UnknownAuthorityError{},
	} {
		s.run(name, func(t *testing.T) {
			got := do(t, transport.New(&failing{err: err}, quiet, quick), request(t, http.MethodGet, api))
			check(t, "attempts", got.attempts(), 1)
		})
	}

	s.run("another failure of the network", func(t *testing.T) {
		_, n := play(t, steps(retrytest.Reset(), ok), op)
		check(t, "requests", n, 2)
	})
	s.differ("any 429 but the lock timeout", "a 429 was not processed, so it is retried", func(t *testing.T) {
		_, n := play(t, steps(retrytest.Answer(429), ok), op)
		check(t, "requests", n, 2)
	})
	s.differ("any 409", "only a 409 that says that the request is in progress is retried", func(t *testing.T) {
		_, n := play(t, steps(retrytest.Answer(409), ok), op)
		check(t, "requests", n, 1)
	})
	s.run("POST with a key keeps its body", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(409).Text(`{"error":{"code":"idempotency_key_in_use"}}`), ok)
		got := do(t, transport.New(base, quiet, quick, op), request(t, http.MethodPost, api))
		check(t, "status", got.status, 200)
		check(t, "body", base.Requests()[1].Body, base.Requests()[0].Body)
	})
	s.run("POST with a key after a read timeout", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			base := retrytest.NewTransport(retrytest.Stall())
			_ = do(t, transport.New(base, quiet, op, transport.WithMaxAttempts(2)), request(t, http.MethodPost, api))
			check(t, "requests", len(base.Requests()), 2)

			base = retrytest.NewTransport(retrytest.Stall())
			_ = do(t, transport.New(base, quiet, transport.WithMaxAttempts(2)), request(t, http.MethodPost, api))
			check(t, "without a key", len(base.Requests()), 1)
		})
	})
}
