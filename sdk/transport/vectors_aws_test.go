package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/transport/pace"
)

// sequence is a list of answers and what follows each of them, over one client:
//
//	500>50/486     an answer of 500, a retry after 50 ms, 486 tokens left
//	502!472        an answer of 502, no retry, 472 tokens left
//	200=486        a success; the next step is another call
type sequence struct {
	name     string
	tokens   int // when the sequence starts; -1: none
	attempts int
	base     time.Duration
	limit    time.Duration
	random   float64
	steps    string
	header   string // of every failure, "Name: value"
}

// retryAll makes a 500 as retryable as a 503, as these tables have it.
var retryAll = &transport.Operation{ID: "op", RetryStatuses: []int{429, 500, 502, 503, 504}, OverrideHeader: "X-Should-Retry"}

func (q sequence) check(t *testing.T, cfg budget.BucketConfig, backoff retry.Backoff) {
	t.Helper()
	retrytest.FakeTime(t, func(t *testing.T) {
		tokens := budget.NewTokenBucket(cfg)

		for q.tokens != 0 && tokens.State(time.Time{}).Available > max(q.tokens, 0) {
			drainTo(tokens, max(q.tokens, 0))
		}

		backoff.Base = max(q.base, backoff.Base)
		backoff.Cap = q.limit

		base := retrytest.NewTransport()

		var waits []time.Duration

		var left []int

		rt := transport.New(base, quiet, transport.WithBudget(tokens), transport.WithOperation(retryAll),
			transport.WithBackoff(backoff), transport.WithMaxAttempts(max(q.attempts, 3)),
			transport.WithRandom(func() float64 { return q.random }), transport.WithDeadline(time.Hour),
			transport.WithHook(func(_ context.Context, e transport.Event) {
				if e.Kind == transport.EventRetry {
					waits = append(waits, e.Wait)
					left = append(left, e.Budget.Available)
				}
			}))

		for call := range strings.SplitSeq(q.steps, "|") {
			waits, left = nil, nil

			tokensOf := strings.Fields(call)
			script := make([]retrytest.Step, 0, len(tokensOf))

			for _, step := range tokensOf {
				status, _ := strconv.Atoi(step[:3])

				answer := retrytest.Answer(status)
				if name, value, ok := strings.Cut(q.header, ": "); ok && status >= 400 {
					answer = answer.With(name, value)
				}

				script = append(script, answer)
			}

			base.Play(script...)

			before := len(base.Requests())
			_ = do(t, rt, request(t, http.MethodGet, "http://api.test/"))
			seen := base.Requests()[before:]

			check(t, "attempts", len(seen), len(tokensOf))

			for i, step := range tokensOf {
				rest := step[4:]

				switch step[3] {
				case '>':
					wait, quota, _ := strings.Cut(rest, "/")

					if i >= len(waits) {
						t.Fatalf("step %d: no retry", i)
					}

					check(t, fmt.Sprintf("step %d: wait", i), fmt.Sprint(waits[i].Milliseconds()), wait)
					check(t, fmt.Sprintf("step %d: tokens", i), fmt.Sprint(left[i]), quota)
				default:
					check(t, "tokens at the end", fmt.Sprint(tokens.State(time.Time{}).Available), rest)
				}
			}
		}
	})
}

// drainTo spends tokens down to the given level.
func drainTo(b *budget.TokenBucket, level int) {
	for b.State(time.Time{}).Available > 0 {
		b.Charge(time.Time{}, budget.Transient)
	}

	for range level {
		b.Success(budget.None)
	}
}

// Facts: aws-sdk-go-v2 v1.48.0, aws/retry/retry2026_test.go (retry behaviour
// 2.1); the same table stands in smithy-typescript and smithy-rs.
func vectorsStandard21(s *suite) {
	for _, q := range []sequence{
		{name: "third attempt succeeds", random: 1, steps: "500>50/486 500>100/472 200=486"},
		{name: "attempts used up", random: 1, steps: "502>50/486 502>100/472 502!472"},
		{name: "tokens for one retry", tokens: 14, random: 1, steps: "500>50/0 500!0"},
		{name: "no tokens", tokens: -1, random: 1, steps: "500!0"},
		{name: "waits double", attempts: 5, random: 1, steps: "500>50/486 500>100/472 500>200/458 500>400/444 500!444"},
		{name: "waits are capped", attempts: 5, limit: 200 * time.Millisecond, random: 1, steps: "500>50/486 500>100/472 500>200/458 500>200/444 500!444"},
		{name: "tokens run out in a call", tokens: 20, attempts: 5, random: 1, steps: "500>50/6 502!6"},
		{name: "tokens come back", tokens: 30, attempts: 5, random: 1, steps: "500>50/16 502>100/2 200=16|500>50/2 200=16"},
		{name: "429 is a throttle", random: 1, steps: "429>1000/495 200=500"},
		{name: "429 with a code of its own", random: 1, steps: "429>1000/495 200=500"},
		{name: "429 with a generic error", random: 1, steps: "429>1000/495 200=500"},
		{name: "429 with a throttling error", random: 1, steps: "429>1000/495 200=500"},
		{name: "429 that says not to", random: 1, header: "X-Should-Retry: false", steps: "429!500"},
		{name: "shorter base, four attempts", base: 25 * time.Millisecond, attempts: 4, random: 1, steps: "500>25/486 500>50/472 500>100/458 500!458"},
		{name: "two attempts", attempts: 2, random: 1, steps: "500>50/486 200=500"},
		{name: "not found", random: 1, steps: "404!500"},
		{name: "a wait in milliseconds", random: 0.5, header: "Retry-After-Ms: 1500", steps: "500>1500/486 200=500"},
		{name: "a wait of 0", random: 1, header: "Retry-After-Ms: 0", steps: "500>50/486 200=500"},
		{name: "a wait that is none", random: 1, header: "Retry-After-Ms: invalid", steps: "500>50/486 200=500"},
	} {
		s.run(q.name, func(t *testing.T) { q.check(t, budget.BucketConfig{}, retry.Backoff{}) })
	}

	s.run("two attempts used up", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			rt := transport.New(retrytest.NewTransport(retrytest.Answer(500)), quiet, transport.WithMaxAttempts(2), transport.WithOperation(retryAll))
			start := time.Now()
			check(t, "attempts", do(t, rt, request(t, http.MethodGet, "http://api.test/")).attempts(), 2)
			check(t, "no wait after the last", time.Since(start) <= 50*time.Millisecond, true)
		})
	})

	s.differ("400 with the code Throttling", "codes of one vendor are not read; such an API lists 400 in x-retry statuses", func(t *testing.T) {
		sequence{random: 1, steps: "400!500"}.check(t, budget.BucketConfig{}, retry.Backoff{})
	})
	s.differ("429 with a modelled error that is not retryable", "a 429 is retried unless the answer's override header says no", func(t *testing.T) {
		sequence{random: 1, steps: "429>1000/495 200=500"}.check(t, budget.BucketConfig{}, retry.Backoff{})
	})

	for _, status := range []string{"500", "429"} {
		s.differ("long polling with no tokens, "+status, "an empty budget returns at once; a poller has its own pace", func(t *testing.T) {
			retrytest.FakeTime(t, func(t *testing.T) {
				start := time.Now()
				sequence{tokens: -1, random: 1, steps: status + "!0"}.inBubble(t)
				check(t, "waited", time.Since(start), 0)
			})
		})
	}

	s.differ("a wait above the backoff by more than 5 s", "a server's wait is never shortened", func(t *testing.T) {
		sequence{random: 1, header: "Retry-After-Ms: 10000", steps: "500>10000/486 200=500"}.check(t, budget.BucketConfig{}, retry.Backoff{})
	})
}

// inBubble is a call with an empty budget.
func (q sequence) inBubble(t *testing.T) {
	t.Helper()

	tokens := bucket()
	drainTo(tokens, 0)

	status, _ := strconv.Atoi(q.steps[:3])
	rt := transport.New(retrytest.NewTransport(retrytest.Answer(status)), quiet, transport.WithBudget(tokens))
	check(t, "attempts", do(t, rt, request(t, http.MethodGet, "http://api.test/")).attempts(), 1)
}

// Facts: aws-sdk-go-v2 v1.48.0, aws/retry/standard_test.go.
func vectorsStandard21Extra(s *suite) {
	s.run("three calls on one bucket", func(t *testing.T) {
		sequence{random: 0.5, steps: "500>25/486 500>50/472 200=486|200=487|500>25/473 200=487"}.check(t, budget.BucketConfig{}, retry.Backoff{})
	})
	s.run("a full bucket grants 35 retries", func(t *testing.T) {
		tokens, grants := bucket(), 0
		for tokens.Withdraw(time.Time{}, budget.Transient) == nil {
			grants++
		}

		check(t, "grants", grants, 35)
		check(t, "left", tokens.State(time.Time{}).Available, 10)
	})
}

// Facts: the same test, and botocore @0e6e2404 test_standard_retry_v2_1.py.
func vectorsCosts(s *suite) {
	for _, tc := range []struct {
		name string
		step retrytest.Step
		cost int
	}{
		{"a failure of the network", retrytest.Reset(), 14},
		{"a timeout", retrytest.Stall(), 14},
		{"500", retrytest.Answer(500), 14},
		{"429", retrytest.Answer(429), 5},
	} {
		s.run(tc.name, func(t *testing.T) {
			retrytest.FakeTime(t, func(t *testing.T) { charged(t, tc.step, nil, http.MethodGet, nil, tc.cost) })
		})
	}

	for _, code := range []string{"ThrottlingException", "SlowDown"} {
		s.differ("the code "+code, "codes of one vendor are not read; with 503 and a wait it costs the same", func(t *testing.T) {
			retrytest.FakeTime(t, func(t *testing.T) {
				charged(t, retrytest.Answer(503).With("Retry-After", "1").Text(code), nil, http.MethodGet, nil, 5)
			})
		})
	}
}

// Facts: aws-sdk-go-v2 v1.48.0, jitter_backoff_test.go; attempts count from 1.
func vectorsBackoff21(s *suite) {
	for _, tc := range []struct {
		attempt  int
		random   float64
		throttle bool
		want     time.Duration
	}{
		{1, 0.5, false, 25 * time.Millisecond},
		{3, 0.5, false, 100 * time.Millisecond},
		{21, 0.5, false, 10 * time.Second},
		{1, 0.5, true, 500 * time.Millisecond},
		{2, 1, true, 2 * time.Second},
		{1, 1, true, time.Second},
	} {
		s.run(fmt.Sprint(tc), func(t *testing.T) {
			check(t, "wait", retry.Backoff{}.Delay(tc.attempt-1, tc.throttle, 0, tc.random), tc.want)
		})
	}

	s.run("a sequence", func(t *testing.T) {
		for i, want := range []float64{0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20} {
			check(t, "wait", retry.Backoff{}.Delay(i, false, 0, 1).Seconds(), want)
		}
	})
}

// Facts: botocore @0e6e2404; the first retry, worst jitter. X-Amz-Retry-After is
// read as Retry-After-Ms here.
func vectorsRetryAfter21(s *suite) {
	for header, want := range map[string]string{"1500": "1500", "0": "50", "invalid": "50", "-100": "50"} {
		s.run(header, func(t *testing.T) {
			sequence{random: 1, header: "Retry-After-Ms: " + header, steps: "500>" + want + "/486 200=500"}.check(t, budget.BucketConfig{}, retry.Backoff{})
		})
	}

	s.differ("10000", "a server's wait is never shortened", func(t *testing.T) {
		sequence{random: 1, header: "Retry-After-Ms: 10000", steps: "500>10000/486 200=500"}.check(t, budget.BucketConfig{}, retry.Backoff{})
	})
}

// Facts: smithy-typescript @6815d3e9, retries.integ.spec.ts. T is a transient
// failure, H a throttle; the first row of each there is the token of the first
// attempt and left out here.
func vectorsMixed(s *suite) {
	now := retry.Backoff{}
	old := retry.Backoff{Base: 100 * time.Millisecond, ThrottleBase: 500 * time.Millisecond}

	for _, tc := range []struct {
		name    string
		backoff retry.Backoff
		kinds   string
	}{
		{"8 transient mixed", now, "HHTTTHHT"},
		{"8 throttles mixed", now, "THHHTTHH"},
		{"12 throttles mixed, long polling", now, "THHHTTHHHHHH"},
		{"3 transient, 2.0", old, "TT"},
		{"3 throttles, 2.0", old, "HH"},
		{"8 transient, 2.0", old, "TTTTTTT"},
		{"8 throttles, 2.0", old, "HHHHHHH"},
		{"8 transient mixed, 2.0", old, "HHTTTHH"},
		{"8 throttles mixed, 2.0", old, "THHHTTH"},
	} {
		s.run(tc.name, func(t *testing.T) {
			for i, kind := range tc.kinds {
				base := tc.backoff.Base
				if base == 0 {
					base = 50 * time.Millisecond
				}

				if kind == 'H' {
					base = tc.backoff.ThrottleBase
					if base == 0 {
						base = time.Second
					}
				}

				// The exponent counts the retries of the call, whatever their kind.
				want := min(base*time.Duration(1<<i), 20*time.Second)
				check(t, fmt.Sprint("wait ", i), tc.backoff.Delay(i, kind == 'H', 0, 1), want)
			}
		})
	}
}

// Facts: aws-sdk-ruby @bac3491f, retry_errors_spec.rb; the rules before 2.1.
func vectorsStandard20(s *suite) {
	cfg := budget.BucketConfig{TransientCost: 5, ThrottleCost: 5}
	backoff := retry.Backoff{Base: time.Second}

	for _, q := range []sequence{
		{name: "third attempt succeeds", random: 1, steps: "500>1000/495 500>2000/490 200=495"},
		{name: "attempts used up", random: 1, steps: "500>1000/495 500>2000/490 500!490"},
		{name: "tokens for one retry", tokens: 5, random: 1, steps: "500>1000/0 500!0"},
		{name: "no tokens", tokens: -1, random: 1, steps: "500!0"},
		{name: "waits double", attempts: 5, random: 1, steps: "500>1000/495 500>2000/490 500>4000/485 500>8000/480 500!480"},
		{name: "waits are capped", attempts: 5, limit: 3 * time.Second, random: 1, steps: "500>1000/495 500>2000/490 500>3000/485 500>3000/480 500!480"},
	} {
		s.run(q.name, func(t *testing.T) { q.check(t, cfg, backoff) })
	}
}

// Facts: aws-sdk-go-v2 v1.30.0.
func vectorsStandard20Go(s *suite) {
	s.differ("a retried success gave the cost and one more", "2.1 gives the cost back, and no more", func(t *testing.T) {
		sequence{random: 0.5, steps: "500>500/495 500>1000/490 200=495"}.check(t, budget.BucketConfig{TransientCost: 5, ThrottleCost: 5}, retry.Backoff{Base: time.Second})
	})
}

// Facts: botocore @0e6e2404 test_standard.py.
func vectorsClassification(s *suite) {
	class := func(status int, code string) retry.Class {
		return retry.ClassifyResponse(status, http.Header{}, []byte(`{"code":"`+code+`"}`), retry.Rules{}, time.Time{}).Class
	}
	retryable := func(c retry.Class) bool { return c == retry.Unknown || c == retry.Cautious }

	for _, tc := range []struct {
		status              int
		code                string
		throttle, transient bool
	}{
		{400, "NotAThrottlingError", false, false},
		{500, "InternalServerError", false, true},
		{400, "", false, false},
		{500, "", false, true},
		{200, "", false, false},
		{500, "again", false, true},
		{502, "", false, true},
		{503, "", false, true},
		{504, "", false, true},
		{500, "InternalServiceError", false, true},
		{502, "BadError", false, true},
		{200, "again", false, false},
		{400, "Throttling", false, false},
		{400, "again", false, false},
	} {
		s.run(fmt.Sprint(tc.status, tc.code), func(t *testing.T) {
			check(t, "throttle", class(tc.status, tc.code).Throttle(), tc.throttle)
			check(t, "transient", retryable(class(tc.status, tc.code)), tc.transient)
		})
	}

	s.run("a failure of the network", func(t *testing.T) {
		check(t, "class", retry.ClassifyError(io.ErrUnexpectedEOF, retry.SentMaybe), retry.Unknown)
	})

	for _, tc := range []struct {
		status int
		code   string
		want   retry.Class
	}{
		{400, "Throttling", retry.Permanent},
		{400, "ThrottlingException", retry.Permanent},
		{400, "ThrottledException", retry.Permanent},
		{400, "RequestThrottledException", retry.Permanent},
		{400, "TooManyRequestsException", retry.Permanent},
		{400, "ProvisionedThroughputExceededException", retry.Permanent},
		{400, "TransactionInProgressException", retry.Permanent},
		{503, "RequestLimitExceeded", retry.Unknown},
		{509, "BandwidthLimitExceeded", retry.Permanent},
		{400, "LimitExceededException", retry.Permanent},
		{403, "RequestThrottled", retry.Permanent},
		{503, "SlowDown", retry.Unknown},
		{400, "PriorRequestNotComplete", retry.Permanent},
		{502, "EC2ThrottledException", retry.Unknown},
		{400, "RequestTimeout", retry.Permanent},
		{400, "RequestTimeoutException", retry.Permanent},
		{400, "PriorRequestNotComplete, transient", retry.Permanent},
	} {
		s.differ(fmt.Sprint(tc.status, tc.code), "codes of one vendor are not read; the status decides", func(t *testing.T) {
			check(t, "class", class(tc.status, tc.code), tc.want)
		})
	}
}

// Facts: aws-sdk-go-v2 v1.48.0, clockskew_test.go.
func vectorsClockSkew(s *suite) {
	for _, tc := range []struct {
		code  string
		cases int
	}{
		{"InvalidSignatureException", 6},
		{"SignatureDoesNotMatch", 1},
		{"AuthFailure", 1},
		{"RequestTimeTooSkewed", 4},
		{"AccessDeniedException", 1},
		{"ValidationException", 2},
		{"RequestExpired", 1},
		{"RequestInTheFuture", 1},
	} {
		for n := range tc.cases {
			s.differ(fmt.Sprint(tc.code, n), "no signing with a clock here: a signer that knows its skew can ask for a retry through WithRefresh on 401", func(t *testing.T) {
				class := retry.ClassifyResponse(403, http.Header{"Date": {"Mon, 01 Jan 2001 00:00:00 GMT"}}, []byte(`{"code":"`+tc.code+`"}`), retry.Rules{}, time.Now()).Class
				check(t, "class", class, retry.Permanent)
			})
		}
	}
}

// Facts: aws-sdk-go-v2 v1.48.0, adaptive_ratelimit_test.go; a last maximum of 10
// a second, throttled 5 s after the start.
func vectorsCubic(s *suite) {
	at := func(sec float64) time.Time { return time.Unix(0, int64(sec*1e9)) }

	s.run("recovery", func(t *testing.T) {
		c := pace.NewCubic(10, at(5))
		for i, want := range []float64{7.0, 9.64893600966, 10.000030849917364, 10.453284520772092, 13.408697022224185, 21.26626835427364, 36.425998516920465} {
			near(t, c.Recovered(at(float64(5+i))), want)
		}
	})
	s.run("throttled again at 7 and 8", func(t *testing.T) {
		c := pace.NewCubic(10, at(5))
		rate := 0.0

		for i, want := range []float64{7.0, 9.64893600966, 6.754255206761999, 4.727978644733399, 4.670125557970046, 4.770870456867401, 6.011819748005445, 10.792973431384178} {
			sec := float64(5 + i)
			if sec == 7 || sec == 8 {
				// The table goes on from the rate after the cut.
				rate = c.Throttled(rate, at(sec))
				c = pace.NewCubic(rate, at(sec))
			} else {
				rate = c.Recovered(at(sec))
			}

			near(t, rate, want)
		}
	})
	s.run("measured and filled", func(t *testing.T) {
		a := pace.NewAdaptive(at(0))
		for _, row := range []struct {
			ms        int
			throttled bool
			measured  float64
			rate      float64
		}{
			{200, false, 0, 0.5},
			{400, false, 0, 0.5},
			{600, false, 4.8, 0.5},
			{800, false, 4.8, 0.5},
			{1000, false, 4.16, 0.5},
			{1200, false, 4.16, 0.6912},
			{1400, false, 4.16, 1.0976},
			{1600, false, 5.632, 1.6384},
			{1800, false, 5.632, 2.3328},
			{2000, true, 4.3264, 3.02848},
			{2200, false, 4.3264, 3.4866391734702598},
			{2400, false, 4.3264, 3.8218744160402554},
			{2600, false, 5.66528, 4.053385727709987},
			{2800, false, 5.66528, 4.200373108479455},
			{3000, false, 4.333056, 4.282036558348658},
			{3200, true, 4.333056, 2.99742559084406},
			{3400, false, 4.333056, 3.4522263943863463},
		} {
			a.Ended(at(float64(row.ms)/1000), row.throttled)
			near(t, a.Measured(), row.measured)
			near(t, a.Rate(), row.rate)
		}
	})
}

func near(t *testing.T, got, want float64) {
	t.Helper()

	if diff := got - want; diff > 1e-6 || diff < -1e-6 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Facts: aws-sdk-go-v2 v1.48.0, middleware_test.go.
func vectorsLoop(s *suite) {
	s.run("retries", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(503), retrytest.Answer(200))
		check(t, "status", do(t, transport.New(base, quiet, quick), request(t, http.MethodGet, "http://api.test/")).status, 200)
		check(t, "attempts", len(base.Requests()), 3)
	})
	s.run("stops after the last attempt, with the last error in the chain", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Drop())
		got := do(t, transport.New(base, quiet, quick), request(t, http.MethodGet, "http://api.test/"))
		check(t, "attempts", got.attempts(), 3)
		check(t, "last error", errors.Is(got.err, io.EOF), true)
	})
	s.run("stops when the body cannot be rewound", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(503))
		got := do(t, transport.New(base, quiet, quick), upload(t, "http://api.test/", once("x")))
		check(t, "attempts", got.attempts(), 1)
		check(t, "reason", got.reason(), transport.ReasonBody)
	})
	s.run("stops at what is not retryable", func(t *testing.T) {
		own := errors.New("not retryable")
		got := do(t, transport.New(&failing{err: own}, quiet, quick), request(t, http.MethodGet, "http://api.test/"))
		check(t, "attempts", got.attempts(), 1)
		check(t, "that error", errors.Is(got.err, own), true)
	})
}
