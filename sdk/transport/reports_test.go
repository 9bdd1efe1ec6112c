package transport_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// The tests of this file are faults that users of other SDKs reported; each
// names the report.

// Report b01, external-dns-unifi-webhook#233: a create that was committed is
// sent again after a 502 and creates twice.
func TestReportCreateAfterCommitted502(t *testing.T) {
	t.Parallel()

	committed := retrytest.Answer(502)
	srv := retrytest.NewServer(t, committed, retrytest.Answer(201).Text(`{"id":2}`))
	got := do(t, transport.New(newBase(t), quiet, quick), request(t, http.MethodPost, srv.URL+"/records"))

	check(t, "without a key: requests", len(srv.Requests()), 1)
	check(t, "without a key: status", got.status, 502)
	check(t, "without a key: reason", got.reason(), transport.ReasonUnsafe)

	srv = retrytest.NewServer(t, committed, retrytest.Answer(201).Text(`{"id":2}`))
	rt := transport.New(newBase(t), quiet, quick, transport.WithKeyedMethods(http.MethodPost))
	got = do(t, rt, request(t, http.MethodPost, srv.URL+"/records"))
	seen := srv.Requests()

	check(t, "with a key: requests", len(seen), 2)
	check(t, "with a key: status", got.status, 201)
	check(t, "one key", seen[0].Header.Get("Idempotency-Key"), seen[1].Header.Get("Idempotency-Key"))
	check(t, "a UUID", len(seen[0].Header.Get("Idempotency-Key")), 36)
}

// Report b05, go-retryablehttp#295: Retry-After is obeyed past the ceiling.
func TestReportRetryAfterPastTheCeiling(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name     string
		status   int
		after    string
		requests int
	}{
		{"an hour", 429, "3600", 1},
		{"a date in an hour", 503, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 1},
		{"a second", 429, "1", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			srv := retrytest.NewServer(t, retrytest.Answer(tc.status).With("Retry-After", tc.after), retrytest.Answer(200))
			rt := transport.New(newBase(t), quiet, quick, transport.WithRetryAfterLimit(2*time.Second))
			start := time.Now()
			got := do(t, rt, request(t, http.MethodGet, srv.URL))
			seen := srv.Requests()

			check(t, "requests", len(seen), tc.requests)

			if tc.requests == 1 {
				check(t, "status", got.status, tc.status)
				check(t, "at once", time.Since(start) < 100*time.Millisecond, true)
				check(t, "wait in the outcome", got.outcome.RetryAfter.Round(time.Minute), time.Hour)
				check(t, "reason", got.reason(), transport.ReasonRetryAfter)

				return
			}

			check(t, "status", got.status, 200)
			check(t, "waited", seen[1].At.Sub(seen[0].At) >= time.Second, true)
		})
	}
}

// Report b06, openai-java#878: a negative or past Retry-After gives a negative
// wait.
func TestReportRetryAfterNonsense(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		after string
		least time.Duration
	}{
		{"-1", time.Millisecond},
		{"Thu, 21 Oct 1999 07:28:00 GMT", time.Millisecond},
		{"", time.Millisecond},
		{"soon", time.Millisecond},
		{"0.5", 500 * time.Millisecond},
		{"1.5", 1500 * time.Millisecond},
	} {
		t.Run(tc.after, func(t *testing.T) {
			t.Parallel()
			retrytest.FakeTime(t, func(t *testing.T) {
				base := retrytest.NewTransport(retrytest.Answer(429).With("Retry-After", tc.after), retrytest.Answer(200))
				got := do(t, transport.New(base, quiet, quick), request(t, http.MethodGet, "http://api.test/"))
				seen := base.Requests()
				gap := seen[1].At.Sub(seen[0].At)

				check(t, "status", got.status, 200)
				check(t, "requests", len(seen), 2)

				if gap < tc.least || tc.least == time.Millisecond && gap > 40*time.Millisecond {
					t.Errorf("waited %s", gap)
				}
			})
		})
	}
}

// Report b08, aws-sdk-rust#1234: the shared quota was not in force.
func TestReportBudgetIsSharedByTheCallsOfAClient(t *testing.T) {
	t.Parallel()

	srv := retrytest.NewServer(t, retrytest.Answer(503))
	tokens := budget.NewTokenBucket(budget.BucketConfig{Capacity: 10, TransientCost: 1, ThrottleCost: 1})
	rt := transport.New(newBase(t), quiet, quick, transport.WithMaxAttempts(4), transport.WithBudget(tokens))

	var (
		wg     sync.WaitGroup
		wrong  atomic.Int64
		budget atomic.Int64
	)

	for range 10 {
		wg.Go(func() {
			for range 10 {
				got := do(t, rt, request(t, http.MethodGet, srv.URL))
				if got.status != 503 {
					wrong.Add(1)
				}

				if got.reason() == transport.ReasonBudget {
					budget.Add(1)
				}
			}
		})
	}

	wg.Wait()

	check(t, "requests", len(srv.Requests()), 110)
	check(t, "calls that did not return the 503", wrong.Load(), 0)
	check(t, "calls that say why", budget.Load() >= 90, true)
}

// Report b09, openai-go#495: bodies of retried answers leak connections.
func TestReportBodiesOfRetriedAnswersAreClosed(t *testing.T) {
	t.Parallel()

	big := retrytest.Answer(503).Text(strings.Repeat("x", 2048))
	srv := retrytest.NewServer(t)
	base := newBase(t)
	base.MaxConnsPerHost = 1
	rt := transport.New(&counting{next: base}, quiet, quick, transport.WithMaxAttempts(4), transport.WithBudget(nil))

	before := runtime.NumGoroutine()

	for range 50 {
		srv.Play(big, big, retrytest.Answer(200).Text("ok"))
		check(t, "body", do(t, rt, request(t, http.MethodGet, srv.URL)).body, "ok")
	}

	check(t, "requests", len(srv.Requests()), 150)
	check(t, "connections", srv.Connections(), 1)
	check(t, "open bodies", openBodies.Load(), 0)
	check(t, "goroutines grow", runtime.NumGoroutine() > before+50, false)
}

var openBodies atomic.Int64

// counting counts the bodies that are open.
type counting struct{ next http.RoundTripper }

func (c *counting) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if err == nil {
		openBodies.Add(1)

		resp.Body = &countedBody{ReadCloser: resp.Body}
	}

	return resp, err
}

type countedBody struct {
	io.ReadCloser
	once sync.Once
}

func (c *countedBody) Close() error {
	c.once.Do(func() { openBodies.Add(-1) })

	return c.ReadCloser.Close()
}

// Report b10, go-retryablehttp#201: a certificate that can never be trusted is
// retried to the end.
func TestReportUntrustedCertificate(t *testing.T) {
	t.Parallel()

	var requests, conns atomic.Int64

	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	srv.Config.ErrorLog = nil
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Config.ErrorLog = silent()
	srv.StartTLS()
	t.Cleanup(srv.Close)

	got := do(t, transport.New(newBase(t), quiet, quick), request(t, http.MethodGet, srv.URL))

	var unknown x509.UnknownAuthorityError

	check(t, "as x509", errors.As(got.err, &unknown), true)
	check(t, "connections", conns.Load(), 1)
	check(t, "requests", requests.Load(), 0)
	check(t, "attempts", got.attempts(), 1)
}

// Report b12, aws-sdk-go-v2#533: a header of the attempt is changed after
// signing.
func TestReportSignatureCoversWhatIsSent(t *testing.T) {
	t.Parallel()

	srv := retrytest.NewServer(t,
		retrytest.Answer(429).With("Retry-After", "0"), retrytest.Answer(503), retrytest.Answer(201))
	rt := transport.New(newBase(t), quiet, quick, transport.WithKeyedMethods(http.MethodPost), transport.WithMaxAttempts(4),
		transport.WithAttemptHeader("X-Attempt"), transport.WithAttemptMiddleware(signer))
	got := do(t, rt, request(t, http.MethodPost, srv.URL+"/records"))
	seen := srv.Requests()

	check(t, "requests", len(seen), 3)
	check(t, "status", got.status, 201)

	for i, r := range seen {
		check(t, "attempt header", r.Header.Get("X-Attempt"), strconv.Itoa(i+1))
		check(t, "key", r.Header.Get("Idempotency-Key"), seen[0].Header.Get("Idempotency-Key"))
		check(t, "signature", r.Header.Get("X-Signature"),
			sign(r.Method, r.Path, r.Body, r.Header.Get("X-Attempt"), r.Header.Get("Idempotency-Key")))
	}

	auto := seen[0].Header.Get("Idempotency-Key")

	srv.Play(retrytest.Drop(), retrytest.Answer(201))

	ctx := transport.WithCall(t.Context(), transport.WithIdempotencyKey("order-17"))
	got = do(t, rt, request(t, http.MethodPost, srv.URL+"/records").WithContext(ctx))
	seen = srv.Requests()[3:]

	check(t, "own key: requests", len(seen), 2)
	check(t, "own key: status", got.status, 201)
	check(t, "own key: first", seen[0].Header.Get("Idempotency-Key"), "order-17")
	check(t, "own key: second", seen[1].Header.Get("Idempotency-Key"), "order-17")

	srv.Play(retrytest.Answer(201))

	_ = do(t, rt, request(t, http.MethodPost, srv.URL+"/records"))
	check(t, "two calls share a key", srv.Requests()[5].Header.Get("Idempotency-Key") == auto, false)
}

func sign(parts ...string) string {
	mac := hmac.New(sha256.New, []byte("secret"))
	_, _ = io.WriteString(mac, strings.Join(parts, "\n"))

	return hex.EncodeToString(mac.Sum(nil))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// signer signs as a careful author would: on a copy, reading the body through
// GetBody.
func signer(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}

		text, _ := io.ReadAll(body)
		signed := req.Clone(req.Context())
		signed.Header.Set("X-Signature", sign(req.Method, req.URL.RequestURI(), string(text),
			req.Header.Get("X-Attempt"), req.Header.Get("Idempotency-Key")))

		return next.RoundTrip(signed)
	})
}

// Report b14, golang/go#39086: after an HTTP/2 GOAWAY the request is sent again
// without its body.
func TestReportGoAway(t *testing.T) {
	t.Parallel()

	handled := make(chan string, 4)
	srv := newH2(t, func(c *h2conn, stream uint32, nth int) {
		if nth == 1 {
			c.goAway(0) // this stream was not processed
			_ = c.Close()

			return
		}

		handled <- "once"

		c.created(stream)
	})
	got := do(t, transport.New(srv.base(t), quiet, quick), request(t, http.MethodPost, srv.url))
	_, _, bodies := srv.seen()

	check(t, "not processed: status", got.status, 201)
	check(t, "not processed: handled", len(handled), 1)
	check(t, "not processed: body", bodies[len(bodies)-1], payload)

	srv = newH2(t, func(c *h2conn, stream uint32, _ int) {
		c.goAway(stream) // this one may have been
		_ = c.Close()
	})
	got = do(t, transport.New(srv.base(t), quiet, quick), request(t, http.MethodPost, srv.url))
	streams, _, _ := srv.seen()

	check(t, "maybe processed: handled", streams, 1)
	check(t, "maybe processed: reason", got.reason(), transport.ReasonUnsafe)
	check(t, "maybe processed: error", got.err != nil, true)
}

// Report b15, terraform-provider-posthog#156: one timeout is spread over all
// attempts.
func TestReportTimeoutOfAnAttemptIsItsOwn(t *testing.T) {
	t.Parallel()
	retrytest.FakeTime(t, func(t *testing.T) {
		slow := retrytest.Answer(200).After(500 * time.Millisecond)
		rt := func(base http.RoundTripper) *transport.Transport {
			return transport.New(base, quiet, quick, transport.WithMaxAttempts(4),
				transport.WithAttemptTimeout(100*time.Millisecond))
		}

		base := retrytest.NewTransport(slow, retrytest.Answer(200).Text("ok"))
		start := time.Now()
		got := do(t, rt(base), request(t, http.MethodGet, "http://api.test/x"))

		check(t, "requests", len(base.Requests()), 2)
		check(t, "status", got.status, 200)
		check(t, "in time", time.Since(start) <= 250*time.Millisecond, true)

		base = retrytest.NewTransport(slow)
		start = time.Now()
		call := transport.WithCall(t.Context(), transport.WithDeadline(250*time.Millisecond))
		got = do(t, rt(base), request(t, http.MethodGet, "http://api.test/y").WithContext(call))
		n := len(base.Requests())

		check(t, "2 or 3 requests", n == 2 || n == 3, true)
		check(t, "is deadline", errors.Is(got.err, context.DeadlineExceeded), true)
		check(t, "in time", time.Since(start) <= 300*time.Millisecond, true)
	})
}

// Report b16, golang/go#19943: a POST on a kept connection that the server
// closes. See also TestHiddenResends and TestNothingWrittenIsFree.
func TestReportKeptConnectionClosed(t *testing.T) {
	t.Parallel()

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }))
	defer srv.Close()

	closed := make(chan struct{}, 8)
	base := newBase(t)
	base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer

		conn, err := d.DialContext(ctx, network, addr)

		return &noticed{Conn: conn, closed: closed}, err
	}
	rt := transport.New(base, quiet, quick)

	// Closed while idle: net/http notices and dials anew.
	_ = do(t, rt, request(t, http.MethodGet, srv.URL))

	srv.CloseClientConnections()
	<-closed

	got := do(t, rt, request(t, http.MethodPost, srv.URL))
	check(t, "closed while idle", got.status, 201)

	d, url := newDropper(t, 1)
	keyed := transport.New(newBase(t), quiet, quick, transport.WithKeyedMethods(http.MethodPost))
	_ = do(t, keyed, request(t, http.MethodGet, url))
	got = do(t, keyed, request(t, http.MethodPost, url))
	requests, keys := d.seen()
	if len(keys) != 3 {
		t.Fatalf("got %+v, seen %v", got, requests)
	}

	check(t, "read and dropped: handled", len(requests)-1, 2)
	check(t, "read and dropped: one key", keys[1], keys[2])
	check(t, "read and dropped: reported", got.attempts(), 2)
	check(t, "read and dropped: status", got.status, 200)
}

// noticed tells when net/http closes a connection.
type noticed struct {
	net.Conn
	closed chan struct{}
}

func (n *noticed) Close() error {
	n.closed <- struct{}{}

	return n.Conn.Close()
}

// Report b17, qdrant/go-client#153: the wait overflows.
func TestReportWaitsAtHighAttempts(t *testing.T) {
	t.Parallel()

	b := retry.Backoff{Base: 100 * time.Millisecond, Min: 100 * time.Millisecond, Cap: 5 * time.Second}

	for _, attempt := range []int{0, 1, 10, 36, 37, 62, 63, 64, 100, 1000} {
		for _, random := range []float64{0, 0.5, 1} {
			wait := b.Delay(attempt, false, 0, random)
			if wait < b.Min || wait > b.Cap {
				t.Errorf("attempt %d: %s", attempt, wait)
			}
		}

		if attempt >= 10 {
			check(t, "cap", b.Delay(attempt, false, 0, 1), b.Cap)
		}
	}
}
