package retry_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/quick"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

func TestDelayStaysWithinItsBounds(t *testing.T) {
	t.Parallel()

	property := func(base, throttle, limit, least, previous uint32, i uint16, random float64, throttled, decorrelated bool) bool {
		b := retry.Backoff{
			Base: time.Duration(base), ThrottleBase: time.Duration(throttle), Cap: time.Duration(limit) + 1,
			Min: time.Duration(least) % (time.Duration(limit) + 1), Decorrelated: decorrelated,
		}
		wait := b.Delay(int(i), throttled, time.Duration(previous), random)

		return wait >= b.Min && wait <= b.Cap
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestDecorrelatedGrowsFromThePreviousWait(t *testing.T) {
	t.Parallel()

	b := retry.Backoff{Base: time.Second, Cap: 20 * time.Second, Decorrelated: true}
	for _, tc := range []struct{ previous, least, most time.Duration }{
		{0, time.Second, 3 * time.Second},
		{time.Second, time.Second, 3 * time.Second},
		{4 * time.Second, time.Second, 12 * time.Second},
		{15 * time.Second, time.Second, 20 * time.Second},
	} {
		if got := b.Delay(5, false, tc.previous, 0); got != tc.least {
			t.Errorf("after %s: least %s, want %s", tc.previous, got, tc.least)
		}

		if got := b.Delay(5, false, tc.previous, 1).Round(time.Millisecond); got != tc.most {
			t.Errorf("after %s: most %s, want %s", tc.previous, got, tc.most)
		}
	}
}

func TestDateCountsFromTheServersClock(t *testing.T) {
	t.Parallel()

	// This side's clock is a day off.
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	header := http.Header{
		"Date":        {"Thu, 01 Jan 2026 00:00:00 GMT"},
		"Retry-After": {"Thu, 01 Jan 2026 00:00:07 GMT"},
	}

	if got, ok := retry.After(header, at); !ok || got != 7*time.Second {
		t.Errorf("got %s, %v", got, ok)
	}
}

func FuzzAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "0.5", "-1", "9223372037", "Fri, 31 Dec 1999 23:59:59 GMT", "1e9", "inf", "..", "\x00"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			wait, ok := retry.After(http.Header{name: {value}}, time.Unix(1e9, 0))
			if wait < 0 || !ok && wait != 0 {
				t.Errorf("%s %q: %s, %v", name, value, wait, ok)
			}
		}
	})
}

func FuzzClassifyResponse(f *testing.F) {
	f.Add(409, []byte(`{"error":{"code":"idempotency_in_progress"}}`))
	f.Add(422, []byte(`{"errors":[{"code":"x"}]}`))
	f.Add(503, []byte(`[`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		verdict := retry.ClassifyResponse(status, http.Header{}, body, retry.Rules{}, time.Time{})
		if status < 400 && verdict.Class != retry.Success {
			t.Errorf("%d is %s", status, verdict.Class)
		}

		if verdict.Class == retry.InFlight && status != http.StatusConflict {
			t.Errorf("%d is in flight", status)
		}
	})
}

func TestMachineCodes(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		body string
		want retry.Class
	}{
		{`{"code":"idempotency_in_progress"}`, retry.InFlight},
		{`{"code":"IDEMPOTENCY_KEY_IN_USE"}`, retry.InFlight},
		{`{"type":"https://shop.test/problems/idempotency-in-progress"}`, retry.InFlight},
		{`{"error":"request_in_progress"}`, retry.InFlight},
		{`{"error":{"type":"idempotency_error"}}`, retry.KeyReused},
		{`{"errors":[{"code":"IDEMPOTENCY_KEY_REUSED"}]}`, retry.KeyReused},
		{`{"name":"IdempotentParameterMismatch"}`, retry.KeyReused},
		{`{"code":"duplicate"}`, retry.Permanent},
		{`{"code":17}`, retry.Permanent},
		{`not JSON`, retry.Permanent},
		{``, retry.Permanent},
	} {
		got := retry.ClassifyResponse(409, http.Header{}, []byte(tc.body), retry.Rules{}, time.Time{})
		if got.Class != tc.want {
			t.Errorf("%s: %s, want %s", tc.body, got.Class, tc.want)
		}
	}

	own := retry.Rules{ReusedCodes: []string{"K-1"}, InProgressCodes: []string{"K-2"}}
	for body, want := range map[string]retry.Class{
		`{"code":"K-1"}`: retry.KeyReused, `{"code":"K-2"}`: retry.InFlight, `{"code":"idempotency_in_progress"}`: retry.Permanent,
	} {
		if got := retry.ClassifyResponse(409, http.Header{}, []byte(body), own, time.Time{}); got.Class != want {
			t.Errorf("%s: %s, want %s", body, got.Class, want)
		}
	}
}

func TestStatusesReplaceTheTable(t *testing.T) {
	t.Parallel()

	rules := retry.Rules{Statuses: []int{404, 429, 500}}
	for status, want := range map[int]retry.Class{
		404: retry.Unknown, 429: retry.Throttled, 500: retry.Unknown, 503: retry.Permanent, 401: retry.Unauthorized, 200: retry.Success,
	} {
		if got := retry.ClassifyResponse(status, http.Header{}, nil, rules, time.Time{}); got.Class != want {
			t.Errorf("%d: %s, want %s", status, got.Class, want)
		}
	}
}

func TestErrorsOfUnknownKindArePermanent(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		err  error
		sent retry.Sent
		want retry.Class
	}{
		{nil, retry.SentMaybe, retry.Success},
		{errors.New("no credentials"), retry.SentNothing, retry.Permanent},
		{io.EOF, retry.SentMaybe, retry.Unknown},
		{io.EOF, retry.SentNothing, retry.NeverSent},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, retry.SentNothing, retry.Permanent},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, retry.SentNothing, retry.NeverSent},
		{&net.OpError{Op: "read", Err: errors.New("x")}, retry.SentMaybe, retry.Unknown},
	} {
		if got := retry.ClassifyError(tc.err, tc.sent); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.err, got, tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	for class := retry.Success; class <= retry.Canceled; class++ {
		if class.String() == "" {
			t.Errorf("class %d has no name", class)
		}
	}

	if got := retry.Class(200).String(); got != "invalid class" {
		t.Error(got)
	}
}
