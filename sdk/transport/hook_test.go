package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func now() time.Time { return time.Now() }

func since(start time.Time) time.Duration { return time.Since(start) }

func TestHookSeesEveryStep(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		var events []transport.Event

		base := retrytest.NewTransport(retrytest.Answer(429), retrytest.Reset(), retrytest.Answer(200))
		rt := transport.New(base, quiet, transport.WithRandom(worst), transport.WithOperation(keyed()),
			transport.WithHook(func(_ context.Context, e transport.Event) { events = append(events, e) }))
		_ = do(t, rt, post(t, payload, transport.WithIdempotencyKey("order-1")))

		told := make([]string, 0, len(events))
		for _, e := range events {
			told = append(told, fmt.Sprintf("%s %d %d %s %s %d", e.Kind, e.Attempt, e.StatusCode, e.Class, e.Wait, e.Budget.Available))

			check(t, "operation", e.Operation, "createOrder")
			check(t, "method", e.Method, http.MethodPost)
			check(t, "host", e.Host, "api.test")
			check(t, "key", e.IdempotencyKey, "order-1")
		}

		want := []string{
			"attempt 1 429 throttled 0s 500",
			"retry 1 429 throttled 1s 495",
			"attempt 2 0 outcome unknown 0s 495",
			"retry 2 0 outcome unknown 100ms 481",
			"attempt 3 200 success 0s 481",
			"success 3 200 success 0s 495",
		}
		if !slices.Equal(told, want) {
			t.Errorf("got\n%q\nwant\n%q", told, want)
		}

		check(t, "elapsed", events[5].Elapsed, 1100*time.Millisecond)
	})
}

func TestHookIsToldWhyACallGaveUp(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		step   retrytest.Step
		opts   []transport.Option
		reason transport.Reason
	}{
		{retrytest.Answer(404), nil, transport.ReasonNotRetryable},
		{retrytest.Answer(503), nil, transport.ReasonAttempts},
		{retrytest.Answer(429).With("Retry-After", "20"), []transport.Option{transport.WithDeadline(time.Second)}, transport.ReasonDeadline},
		{retrytest.Answer(429).With("Retry-After", "120"), nil, transport.ReasonRetryAfter},
		{retrytest.Answer(503), []transport.Option{transport.WithBudget(budget.NewTokenBucket(budget.BucketConfig{Capacity: 1}))}, transport.ReasonBudget},
	} {
		var last transport.Event

		rt := transport.New(retrytest.NewTransport(tc.step), append(tc.opts, quiet, quick,
			transport.WithHook(func(_ context.Context, e transport.Event) { last = e }))...)
		_ = do(t, rt, request(t, http.MethodGet, "http://api.test/"))

		check(t, "kind", last.Kind, transport.EventGiveUp)
		check(t, "reason", last.Reason, tc.reason)
	}
}

func TestExhaustedBudgetSaysSo(t *testing.T) {
	t.Parallel()

	tokens := budget.NewTokenBucket(budget.BucketConfig{Capacity: 20})
	rt := transport.New(retrytest.NewTransport(retrytest.Answer(503)), quiet, quick, transport.WithBudget(tokens))
	resp, err := rt.RoundTrip(request(t, http.MethodGet, "http://api.test/"))
	if err != nil {
		t.Fatal(err)
	}

	var (
		failed    error = transport.ErrorOf(resp)
		exhausted *budget.ExhaustedError
		te        *transport.Error
	)

	check(t, "is exhausted", errors.Is(failed, budget.ErrExhausted), true)
	check(t, "as exhausted", errors.As(failed, &exhausted), true)
	check(t, "as Error", errors.As(failed, &te), true)
	check(t, "status", te.StatusCode, 503)
	check(t, "cost", exhausted.Cost, 14)
	check(t, "left", exhausted.State.Available, 6)
	check(t, "allowed after", exhausted.Successes, 8)
	check(t, "text", failed.Error(), "GET /: 503 Service Unavailable; retry held back by the client's own budget: "+
		"it costs 14, 6 of 20 left, allowed after 8 successful calls (attempts: 2, stopped by: budget)")
}

func TestOneBudgetForManyClients(t *testing.T) {
	t.Parallel()

	tokens := budget.NewTokenBucket(budget.BucketConfig{Capacity: 28})
	total := 0

	for range 5 {
		base := retrytest.NewTransport(retrytest.Answer(503))
		_ = do(t, transport.New(base, quiet, quick, transport.WithBudget(tokens)), request(t, http.MethodGet, "http://api.test/"))
		total += len(base.Requests())
	}

	check(t, "requests", total, 5+2)
	check(t, "refused", tokens.State(time.Now()).Refused, 4)
}

func TestTypedFailureHasNoAnswer(t *testing.T) {
	t.Parallel()

	rt := transport.New(retrytest.NewTransport(retrytest.Refuse()), quiet, quick)
	got := do(t, rt, request(t, http.MethodGet, "http://api.test/orders?token=secret"))

	var te *transport.Error

	check(t, "as Error", errors.As(got.err, &te), true)
	check(t, "text", te.Error(), "GET /orders: dial tcp: connection refused (attempts: 3, stopped by: attempts)")
	check(t, "status", te.StatusCode, 0)
	check(t, "class", retry.ClassifyError(te.Err, retry.SentMaybe), retry.NeverSent)
}

func TestHookIsToldThatTheCallerLeft(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		var last transport.Event

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)

		base := retrytest.NewTransport(retrytest.Answer(429).With("Retry-After", "5"))
		rt := transport.New(base, quiet, transport.WithHook(func(_ context.Context, e transport.Event) { last = e }))
		got := do(t, rt, request(t, http.MethodGet, "http://api.test/").WithContext(ctx))

		check(t, "is canceled", errors.Is(got.err, context.Canceled), true)
		check(t, "kind", last.Kind, transport.EventGiveUp)
		check(t, "reason", last.Reason, transport.ReasonCaller)
	})
}
