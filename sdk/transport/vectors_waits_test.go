package transport_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// wait is one Retry-After and what is made of it; want < 0: no wait is asked.
type wait struct {
	value string
	want  float64
}

func (w wait) check(t *testing.T, at time.Time) {
	t.Helper()

	got, ok := retry.After(http.Header{"Retry-After": {w.value}}, at)
	check(t, "asked", ok, w.want >= 0)
	check(t, "seconds", got.Seconds(), max(w.want, 0))
}

// Facts: openai-python @e43b4224, tests/test_client.py; a wait up to 120 s is
// obeyed there, a longer one replaced by the backoff.
func vectorsOpenAI(s *suite) {
	at := time.Date(2023, 9, 29, 16, 26, 37, 0, time.UTC)

	for _, w := range []wait{
		{"20", 20},
		{"0", 0},
		{"-10", -1},
		{"60", 60},
		{"61", 61},
		{"120", 120},
		{"Fri, 29 Sep 2023 16:26:57 GMT", 20},
		{"Fri, 29 Sep 2023 16:26:37 GMT", -1},
		{"Fri, 29 Sep 2023 16:26:27 GMT", -1},
		{"Fri, 29 Sep 2023 16:27:37 GMT", 60},
		{"Fri, 29 Sep 2023 16:27:38 GMT", 61},
		{"Fri, 29 Sep 2023 16:28:37 GMT", 120},
		{"99999999999999999999999999999999999", -1},
		{"inf", -1},
		{"nan", -1},
		{"Zun, 29 Sep 2023 16:26:27 GMT", -1},
		{"Fri, 29 Sep 100000 16:26:57 GMT", -1},
		{"", -1},
	} {
		s.run(w.value, func(t *testing.T) { w.check(t, at) })
	}

	for _, w := range []wait{{"121", 121}, {"Fri, 29 Sep 2023 16:28:38 GMT", 121}} {
		s.differ(w.value, "a wait above the ceiling ends the call; it is not replaced by a shorter one", func(t *testing.T) {
			w.check(t, at)

			got := retry.DefaultPolicy().Decide(retry.Verdict{Class: retry.Throttled}, retry.Progress{Attempts: 1, Replayable: true, Left: time.Hour}, 121*time.Second, true, 1)
			check(t, "reason", got.Reason, retry.ReasonRetryAfter)
		})
	}

	half := retry.Backoff{Base: 500 * time.Millisecond, Cap: 8 * time.Second}
	for i, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 1100: 8 * time.Second} {
		s.run(fmt.Sprint("backoff ", i), func(t *testing.T) { check(t, "wait", half.Delay(i, false, 0, 1), want) })
	}
}

// Facts: urllib3 @6a8536b6, test/test_retry.py.
func vectorsURLLib3(s *suite) {
	at := time.Date(2019, 6, 3, 11, 0, 0, 0, time.UTC)

	for _, w := range []wait{
		{"0", 0},
		{"1000", 1000},
		{"\t42 ", 42},
		{"3600", 3600},
		{"Mon, 03 Jun 2019 11:30:12 GMT", 1812},
		{"Monday, 03-Jun-19 11:30:12 GMT", 1812},
		{"Mon Jun  3 11:30:12 2019", 1812},
		{"Mon, 03 Jun 2019 11:00:00 GMT", -1},
		{"-1", -1},
		{"+1", -1},
		{"\u00b2", -1},
	} {
		s.run(w.value, func(t *testing.T) { w.check(t, at) })
	}

	s.differ("1.0", "fractions are tolerated: servers send them", func(t *testing.T) { wait{"1.0", 1}.check(t, at) })
	s.differ("Mon, 3 Jun 2019 12:00:00 UTC", "not one of the three forms of RFC 9110", func(t *testing.T) {
		wait{"Mon, 3 Jun 2019 12:00:00 UTC", -1}.check(t, at)
	})
	s.run("a read timeout of a POST", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			base := retrytest.NewTransport(retrytest.Stall())
			_ = do(t, transport.New(base, quiet), request(t, http.MethodPost, api))
			check(t, "requests", len(base.Requests()), 1)
		})
	})
}

// Facts: smithy-typescript @6815d3e9, parseRetryAfterHeader.spec.ts.
func vectorsSmithy(s *suite) {
	at := time.Date(2019, 6, 3, 11, 0, 0, 0, time.UTC)

	for _, w := range []wait{
		{"120", 120}, {"Mon, 03 Jun 2019 11:01:00 GMT", 60}, {"not-a-number", -1}, {"Invalid Date GMT", -1}, {"10", 10},
	} {
		s.run(w.value, func(t *testing.T) { w.check(t, at) })
	}

	s.differ("a date, then 45", "two values in one line are no value", func(t *testing.T) {
		wait{"Mon, 03 Jun 2019 11:00:30 GMT, 45", -1}.check(t, at)
	})
	s.differ("ISO 8601", "not one of the three forms of RFC 9110", func(t *testing.T) { wait{"2019-06-03T11:00:30Z", -1}.check(t, at) })

	for _, value := range []string{"5000", "abc"} {
		s.differ("X-Amz-Retry-After "+value, "a header of one vendor; Retry-After-Ms is read", func(t *testing.T) {
			_, ok := retry.After(http.Header{"X-Amz-Retry-After": {value}}, at)
			check(t, "asked", ok, false)
		})
	}
}

// Facts: go-retryablehttp v0.7.8, client_test.go, and what it was measured to do.
func vectorsRetryableHTTP(s *suite) {
	at := time.Date(1999, 12, 31, 23, 59, 57, 0, time.UTC)

	for _, w := range []wait{
		{"2", 2},
		{"Fri, 31 Dec 1999 23:59:59 GMT", 2},
		{"", -1},
		{"-2", -1},
		{"Fri, 32 Dec 1999 23:59:59 GMT", -1},
		{"badbadbad", -1},
		{"120", 120},
		{"0", 0},
		{"-5", -1},
		{"9223372036", 9223372036},
		{"99999999999999999999", -1},
	} {
		s.run(w.value, func(t *testing.T) { w.check(t, at) })
	}

	s.run("two headers: the first", func(t *testing.T) {
		got, ok := retry.After(http.Header{"Retry-After": {"2", "3"}}, at)
		check(t, "asked", ok, true)
		check(t, "wait", got, 2*time.Second)
	})

	for _, w := range []struct {
		wait
		reason string
	}{
		{wait{"Fri, 31 Dec 1999 23:59:50 GMT", -1}, "a date that passed asks for no wait, and the backoff holds"},
		{wait{"1.5", 1.5}, "fractions are tolerated"},
		{wait{"+7", -1}, "a sign is no digit"},
		{wait{"9223372037", -1}, "what does not fit is no wait, instead of a negative one"},
		{wait{"9223372036854775807", -1}, "what does not fit is no wait, instead of a negative one"},
		{wait{"Fri, 31 Dec 1999 23:59:59 EST", -1}, "a date of HTTP is in GMT"},
		{wait{"Friday, 31-Dec-99 23:59:59 GMT", 2}, "the form of RFC 850 must be accepted"},
		{wait{"Fri Dec 31 23:59:59 1999", 2}, "the form of asctime must be accepted"},
		{wait{"Fri, 31 Dec 2555 23:59:59 GMT", -1}, "what does not fit is no wait"},
	} {
		s.differ(w.value, w.reason, func(t *testing.T) { w.check(t, at) })
	}

	s.differ("on 502, 504, 500, 409, 408", "the header is read on every answer that is retried; see TestTrap03", func(t *testing.T) {
		retrytest.FakeTime(t, func(t *testing.T) {
			start := time.Now()
			_, n := play(t, steps(retrytest.Answer(502).With("Retry-After", "9"), retrytest.Answer(200)))
			check(t, "requests", n, 2)
			check(t, "waited", time.Since(start), 9*time.Second)
		})
	})
}

// Facts: Polly @173d6d1d, RetryHelperTests.cs.
func vectorsPolly(s *suite) {
	second := retry.Backoff{Base: time.Second, Cap: time.Hour}

	s.run("exponential", func(t *testing.T) {
		for i, want := range []int{1, 2, 4} {
			check(t, "wait", second.Delay(i, false, 0, 1), time.Duration(want)*time.Second)
		}
	})
	s.run("base above the cap", func(t *testing.T) {
		check(t, "wait", retry.Backoff{Base: 10 * time.Second, Cap: time.Second}.Delay(2, false, 0, 1), time.Second)
	})
	s.run("attempt 1000, no cap", func(t *testing.T) {
		check(t, "wait", retry.Backoff{Base: 24 * time.Hour, Cap: 1<<63 - 1}.Delay(1000, false, 0, 1), 1<<63-1)
	})
	s.run("attempt 1000, capped", func(t *testing.T) {
		check(t, "wait", retry.Backoff{Base: 24 * time.Hour, Cap: 48 * time.Hour}.Delay(1000, false, 0, 1), 48*time.Hour)
	})
	s.run("high attempts with jitter", func(t *testing.T) {
		b := retry.Backoff{Base: 2 * time.Second, Cap: 30 * time.Second}
		for _, i := range []int{1, 2, 3, 4, 10, 100, 1000, 1024, 1025} {
			wait := b.Delay(i, false, 0, 0.3)
			check(t, "within", wait > 0 && wait <= b.Cap, true)
		}
	})

	for _, name := range []string{"linear", "constant with jitter", "linear with jitter"} {
		s.differ(name, "only exponential waits with full or decorrelated jitter are offered", func(t *testing.T) {
			check(t, "full jitter begins at 0", second.Delay(0, false, 0, 0), 0)
		})
	}
}

// Facts: resilience4j @af9e7c97, IntervalFunctionTest.java.
func vectorsResilience4j(s *suite) {
	b := retry.Backoff{Base: 100 * time.Millisecond, Cap: 100 * time.Second}

	s.run("exponential to a cap", func(t *testing.T) {
		last := time.Duration(0)
		for i := range 14 {
			wait := b.Delay(i, false, 0, 1)
			check(t, "grows", wait > last || wait == b.Cap, true)
			last = wait
		}

		check(t, "cap", last, b.Cap)
	})
	s.run("attempt 0 is the first", func(t *testing.T) {
		check(t, "wait", b.Delay(-1, false, 0, 1), b.Delay(0, false, 0, 1))
	})
	s.run("a factor outside of 0 to 1", func(t *testing.T) {
		check(t, "below", b.Delay(0, false, 0, -0.0001), 0)
		check(t, "above", b.Delay(0, false, 0, 1.0001), b.Base)
	})

	for _, name := range []string{"randomised by half", "exponential, randomised by half"} {
		s.differ(name, "jitter is full: from 0 to the bound", func(t *testing.T) {
			check(t, "least", b.Delay(3, false, 0, 0), 0)
			check(t, "most", b.Delay(3, false, 0, 1), 800*time.Millisecond)
		})
	}
}

// Facts: tenacity @c650fb45, tests/test_tenacity.py.
func vectorsTenacity(s *suite) {
	for _, tc := range []struct {
		name string
		b    retry.Backoff
		at   []int
		want []int
	}{
		{"exponential", retry.Backoff{Base: time.Second, Cap: time.Hour}, []int{1, 2, 3, 4, 5, 6, 7, 8}, []int{1, 2, 4, 8, 16, 32, 64, 128}},
		{"to 40", retry.Backoff{Base: time.Second, Cap: 40 * time.Second}, []int{1, 2, 3, 4, 5, 6, 7, 8, 50}, []int{1, 2, 4, 8, 16, 32, 40, 40, 40}},
		{"from 20", retry.Backoff{Base: time.Second, Cap: 1 << 62, Min: 20 * time.Second}, []int{1, 5, 6, 7, 8, 20}, []int{20, 20, 32, 64, 128, 524288}},
	} {
		s.run(tc.name, func(t *testing.T) {
			for i, at := range tc.at {
				check(t, "wait", tc.b.Delay(at-1, false, 0, 1), time.Duration(tc.want[i])*time.Second)
			}
		})
	}

	s.differ("exponential plus up to a second", "jitter is full: from 0 to the bound", func(t *testing.T) {
		check(t, "most", retry.Backoff{Base: time.Second, Cap: time.Minute}.Delay(6, false, 0, 1), time.Minute)
	})
	s.run("no wait that crosses the deadline", func(t *testing.T) {
		p := retry.DefaultPolicy()
		p.AttemptTimeout = 0 // no room asked, as there

		for _, tc := range []struct {
			elapsed, upcoming float64
			stop              bool
		}{{0.999, 0.0001, false}, {1, 0.001, true}, {1, 1, true}, {0.999, 0, false}, {1.001, 0, true}} {
			left := time.Duration((1 - tc.elapsed) * 1e9)
			got := p.Decide(retry.Verdict{Class: retry.Throttled}, retry.Progress{Attempts: 1, Replayable: true, Left: left},
				time.Duration(tc.upcoming*1e9), true, 0)
			check(t, fmt.Sprint(tc.elapsed, " ", tc.upcoming), got.Reason == retry.ReasonDeadline, tc.stop)
		}
	})
}

// Facts: draft-ietf-httpapi-idempotency-key-header @dab060c5.
func vectorsKeyDraft(s *suite) {
	conflict := retrytest.Answer(409).Text(`{"type":"https://developer.test/problems/request-in-progress"}`)
	reused := retrytest.Answer(422).Text(`{"type":"https://developer.test/problems/idempotency-key-reused"}`)

	s.run("in progress: same key, same payload", func(t *testing.T) {
		base := retrytest.NewTransport(conflict, retrytest.Answer(201))
		got := do(t, transport.New(base, quiet, quick, transport.WithOperation(keyed())), request(t, http.MethodPost, api))
		seen := base.Requests()
		check(t, "status", got.status, 201)
		check(t, "key", seen[1].Header.Get(keyHeader), seen[0].Header.Get(keyHeader))
		check(t, "body", seen[1].Body, seen[0].Body)
	})
	s.run("reused: not again", func(t *testing.T) {
		base := retrytest.NewTransport(reused)
		_ = do(t, transport.New(base, quiet, quick, transport.WithOperation(keyed())), request(t, http.MethodPost, api))
		check(t, "requests", len(base.Requests()), 1)
	})
	s.run("missing: not again", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(400))
		_ = do(t, transport.New(base, quiet, quick), request(t, http.MethodPost, api))
		check(t, "requests", len(base.Requests()), 1)
	})
	s.run("a stored answer is accepted", func(t *testing.T) {
		base := retrytest.NewTransport(retrytest.Answer(201).With("Idempotent-Replayed", "true"))
		got := do(t, transport.New(base, quiet, transport.WithOperation(keyed())), request(t, http.MethodPost, api))
		check(t, "replayed", got.outcome.Replayed, true)
	})
}

// Facts: draft-ietf-httpapi-ratelimit-headers @0669b82c.
func vectorsRateLimitDraft(s *suite) {
	at := time.Date(2019, 6, 3, 11, 0, 0, 0, time.UTC)

	s.run("a date wins", func(t *testing.T) {
		got, _ := retry.After(http.Header{"Ratelimit": {`"default";r=0;t=9`}, "Retry-After": {"Mon, 03 Jun 2019 11:00:05 GMT"}}, at)
		check(t, "wait", got, 5*time.Second)
	})
	s.run("seconds win", func(t *testing.T) {
		got, _ := retry.After(http.Header{"Ratelimit": {`"dynamic";r=15;t=40`}, "Retry-After": {"20"}}, at)
		check(t, "wait", got, 20*time.Second)
	})
	s.differ("without Retry-After", "the draft is not read: a reset is no request to wait, and its units differ among vendors", func(t *testing.T) {
		_, ok := retry.After(http.Header{"Ratelimit": {`"problemPolicy";r=0;t=10`}}, at)
		check(t, "asked", ok, false)
	})
}
