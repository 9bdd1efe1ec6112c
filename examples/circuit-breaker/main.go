// Command circuit-breaker stacks other guards below the SDK's retries, in this order:
//
//	retry -> circuit breaker -> rate limiter -> bulkhead -> network
//
// Retries are outermost, so that the breaker sees each attempt and an open breaker costs the server nothing. An open
// breaker ends the call at once: waiting for it to close takes longer than any backoff. The rate limiter is below the
// breaker, so that refused attempts take no permit; the bulkhead is innermost and counts only what is on the wire.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	breaker := gobreaker.NewCircuitBreaker[*http.Response](gobreaker.Settings{ //nolint:bodyclose // a type argument, no answer
		Name: "shop", Timeout: time.Minute,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 5 },
	})
	network := &http.Transport{MaxIdleConnsPerHost: 10}
	defer network.CloseIdleConnections()
	stack := withBreaker(breaker, withRate(rate.NewLimiter(200, 20), withBulkhead(10, network)))
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"), sdk.WithTransport(stack), sdk.WithLogger(nil))
	if err != nil {
		return err
	}
	for n := range 4 {
		// Each of these calls meets a 503 in every attempt.
		_, err = client.Orders.List(ctx, sdk.ListOrdersParams{}, sdk.WithHeader("X-Shop-Fault", "503, 503, 503"), sdk.WithHeader("X-Shop-Intent", strconv.Itoa(n)))
		if failed, ok := errors.AsType[*sdk.Error](err); ok {
			fmt.Fprintf(out, "call %d: %d attempts, breaker open: %t\n", n+1, failed.Attempts, errors.Is(err, gobreaker.ErrOpenState))
		}
	}
	fmt.Fprintln(out, "breaker:", breaker.State())
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// errServer makes an answer count as a failure for the breaker.
var errServer = errors.New("the server failed")

func withBreaker(breaker *gobreaker.CircuitBreaker[*http.Response], next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := breaker.Execute(func() (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err == nil && response.StatusCode >= http.StatusInternalServerError {
				err = errServer
			}
			return response, err
		})
		if errors.Is(err, errServer) {
			return response, nil // the retries want to see it
		}
		return response, err
	})
}

func withRate(limiter *rate.Limiter, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if err := limiter.Wait(r.Context()); err != nil {
			return nil, err
		}
		return next.RoundTrip(r)
	})
}

// withBulkhead lets n requests be on the wire at the same time. Its place is free again when the answer's head is in.
func withBulkhead(n int, next http.RoundTripper) http.RoundTripper {
	places := make(chan struct{}, n)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			return next.RoundTrip(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
}
