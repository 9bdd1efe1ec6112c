package transport_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

type ctxt = context.Context

const keyHeader = "Idempotency-Key"

func keyed() *transport.Operation {
	return &transport.Operation{ID: "createOrder", Key: &transport.KeyRule{Header: keyHeader, MaxLength: 64}}
}

func post(t *testing.T, body string, opts ...transport.Option) *http.Request {
	t.Helper()

	req, err := http.NewRequestWithContext(transport.WithCall(t.Context(), opts...), http.MethodPost, "http://api.test/orders", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	return req
}

func TestKeyPrecedence(t *testing.T) {
	t.Parallel()

	caller := transport.WithIdempotencyKey("callers")
	source := transport.WithKeySource(keys.Event("source", "1"))
	event := transport.WithEventKey(keys.Event("event", "2"))

	for _, tc := range []struct {
		name  string
		opts  []transport.Option
		scope bool
		hand  string
		want  string
	}{
		{"caller's", []transport.Option{event, source, caller}, true, "by hand", "callers"},
		{"by hand", []transport.Option{event, source}, true, "by-hand", "by-hand"},
		{"source", []transport.Option{event, source}, true, "", "source-1"},
		{"event", []transport.Option{event}, true, "", "event-2"},
		{"scope", nil, true, "", "createOrder-message.7--1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			base := retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(200))
			rt := transport.New(base, quiet, quick, transport.WithOperation(keyed()))
			req := post(t, payload, tc.opts...)

			if tc.scope {
				req = req.WithContext(keys.WithRequest(req.Context(), "message.7"))
			}

			if tc.hand != "" {
				req.Header.Set(keyHeader, tc.hand)
			}

			got := do(t, rt, req)
			seen := base.Requests()

			check(t, "attempts", len(seen), 2)
			check(t, "first", seen[0].Header.Get(keyHeader), tc.want)
			check(t, "second", seen[1].Header.Get(keyHeader), tc.want)
			check(t, "outcome", got.outcome.IdempotencyKey, tc.want)
		})
	}
}

func TestBadKeyIsAnErrorBeforeAnyRequest(t *testing.T) {
	t.Parallel()

	for _, key := range []string{"two words", "line\r\nbreak", "gr\u00fc\u00df", strings.Repeat("k", 65)} {
		base := retrytest.NewTransport()
		rt := transport.New(base, quiet, transport.WithOperation(keyed()))
		got := do(t, rt, post(t, payload, transport.WithIdempotencyKey(key)))

		var invalid *keys.InvalidError

		check(t, "invalid", errors.As(got.err, &invalid), true)
		check(t, "requests", len(base.Requests()), 0)
		check(t, "attempts", got.attempts(), 0)
	}
}

func TestKeyForAnOperationThatTakesNone(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport()
	rt := transport.New(base, quiet, transport.WithOperation(&transport.Operation{ID: "ping"}))
	got := do(t, rt, post(t, payload, transport.WithIdempotencyKey("k")))

	check(t, "error", errors.Is(got.err, transport.ErrNoKeyTaken), true)
	check(t, "requests", len(base.Requests()), 0)
}

func TestNoKeyIsSentUnasked(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport()
	_ = do(t, transport.New(base, quiet), post(t, payload))
	_ = do(t, transport.New(base, quiet, transport.WithOperation(&transport.Operation{ID: "ping"})), post(t, payload))

	for _, r := range base.Requests() {
		check(t, "key", r.Header.Get(keyHeader), "")
	}
}

func TestKeyInTheBodyIsNotSentInAHeader(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(200))
	op := &transport.Operation{ID: "pay", Key: &transport.KeyRule{}}
	got := do(t, transport.New(base, quiet, quick, transport.WithOperation(op)), post(t, `{"key":"k-1"}`, transport.WithIdempotencyKey("k-1")))

	check(t, "attempts", len(base.Requests()), 2)
	check(t, "header", base.Requests()[0].Header.Get(keyHeader), "")
	check(t, "outcome", got.outcome.IdempotencyKey, "k-1")
}

func TestSameKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Answer(201))
	rt := transport.New(base, quiet, transport.WithOperation(keyed()))
	key := transport.WithIdempotencyKey("order-1")

	check(t, "first", do(t, rt, post(t, "one", key)).status, 201)
	check(t, "again", do(t, rt, post(t, "one", key)).status, 201)

	got := do(t, rt, post(t, "two", key))
	check(t, "another body", errors.Is(got.err, keys.ErrReused), true)
	check(t, "requests", len(base.Requests()), 2)
}

func TestRejectedKeyIsFreeForACorrectedRequest(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		step retrytest.Step
		free bool
	}{
		{retrytest.Answer(400), true},
		{retrytest.Answer(422), true},
		{retrytest.Answer(401), true},
		{retrytest.Answer(429), true},
		{retrytest.Refuse(), true},
		{retrytest.Answer(503), false},
		{retrytest.Answer(500), false},
		{retrytest.Reset(), false},
		{retrytest.Answer(409).Text(`{"code":"idempotency_in_progress"}`), false},
	} {
		base := retrytest.NewTransport(tc.step)
		rt := transport.New(base, quiet, quick, transport.WithOperation(keyed()))
		key := transport.WithIdempotencyKey("order-1")
		_ = do(t, rt, post(t, "wrong", key))

		base.Play(retrytest.Answer(201))

		got := do(t, rt, post(t, "corrected", key))
		check(t, "free", got.status == 201, tc.free)
		check(t, "refused", errors.Is(got.err, keys.ErrReused), !tc.free)
	}
}

// TestResumeAfterACrash: what a caller needs to take a call up again is on the
// error.
func TestResumeAfterACrash(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Drop())
	got := do(t, transport.New(base, quiet, quick, transport.WithOperation(keyed())), post(t, payload))

	var te *transport.Error
	if !errors.As(got.err, &te) {
		t.Fatal(got.err)
	}

	check(t, "attempts", te.Attempts, 3)

	// Another process, another transport, the same key.
	base.Play(retrytest.Answer(201))

	rt := transport.New(base, quiet, transport.WithOperation(keyed()))
	check(t, "resumed", do(t, rt, post(t, payload, transport.WithIdempotencyKey(te.IdempotencyKey))).status, 201)
	check(t, "one key", base.Requests()[3].Header.Get(keyHeader), base.Requests()[0].Header.Get(keyHeader))
}

func TestRedirectToGetDropsTheKey(t *testing.T) {
	t.Parallel()

	for _, status := range []int{301, 302, 303} {
		for _, byHand := range []bool{false, true} {
			base := retrytest.NewTransport(retrytest.Answer(status).With("Location", "/orders/1"), retrytest.Answer(200))
			rt := transport.New(base, quiet, transport.WithKeyedMethods(http.MethodPost))
			req := post(t, payload)

			if byHand {
				req.Header.Set(keyHeader, "mine")
			}

			_ = do(t, rt, req)
			seen := base.Requests()

			check(t, "method", seen[1].Method, http.MethodGet)
			check(t, "key before", seen[0].Header.Get(keyHeader) != "", true)
			check(t, "key after", seen[1].Header.Get(keyHeader), "")
		}
	}
}

func TestCredentialsStayWithTheirHost(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(
		retrytest.Answer(307).With("Location", "http://sub.api.test/orders"),
		retrytest.Answer(307).With("Location", "http://api.test/orders"),
		retrytest.Answer(201))
	rt := transport.New(base, quiet, transport.WithOperation(keyed()), transport.WithCredentialHeaders("X-Api-Key"))
	req := post(t, payload)
	req.Header.Set("Authorization", "Bearer secret")
	req.Header.Set("X-Api-Key", "secret")

	got := do(t, rt, req)
	seen := base.Requests()

	check(t, "status", got.status, 201)
	check(t, "other host", seen[1].Host, "sub.api.test")
	check(t, "authorization", seen[1].Header.Get("Authorization"), "")
	check(t, "API key", seen[1].Header.Get("X-Api-Key"), "")
	check(t, "idempotency key", seen[1].Header.Get(keyHeader), seen[0].Header.Get(keyHeader))
	check(t, "body", seen[1].Body, payload)
}

func TestRedirectKeepsTheDeadline(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		base := retrytest.NewTransport(
			retrytest.Answer(307).With("Location", "/b").After(4e9), retrytest.Stall())
		rt := transport.New(base, quiet, transport.WithDeadline(10e9), transport.WithAttemptTimeout(0), transport.WithOperation(keyed()))
		start := now()
		got := do(t, rt, post(t, payload))

		check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
		check(t, "elapsed", since(start), 10e9)
	})
}
