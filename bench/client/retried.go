package main

import (
	"context"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/retrysafe/retrysafe/bench/internal/page"
	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// flaky answers 503 to every other request. It is not safe for concurrent use.
type flaky struct{ failed bool }

func (f *flaky) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := stub{}.RoundTrip(req)
	if f.failed = !f.failed; err == nil && f.failed {
		resp.StatusCode = http.StatusServiceUnavailable
	}

	return resp, err
}

// once are clients that send a GET, wait next to nothing, and send it again. Nobody logs.
func once() []contender {
	return []contender{
		{"net/http, two calls", does{}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func([]byte) error {
				for {
					req, err := request(context.Background(), url, nil)
					if err != nil {
						return err
					}

					resp, err := client.Do(req)
					if err := finish(resp, err); err != nil || resp.StatusCode == http.StatusOK {
						return err
					}
				}
			}
		}},
		{"go-retryablehttp, quiet", does{}, func(base http.RoundTripper, url string) send {
			client := silent(base, 0)
			client.Backoff = func(time.Duration, time.Duration, int, *http.Response) time.Duration { return 1 }

			return func([]byte) error { return retryable(context.Background(), client, url, nil, false) }
		}},
		{"go-retryablehttp, a client for each call", does{}, func(base http.RoundTripper, url string) send {
			shared := &http.Client{Transport: base}

			return func([]byte) error {
				client := retryablehttp.Client{
					HTTPClient: shared, RetryMax: attempts - 1, CheckRetry: retryablehttp.DefaultRetryPolicy,
					Backoff: func(time.Duration, time.Duration, int, *http.Response) time.Duration { return 1 },
				}

				return retryable(context.Background(), &client, url, nil, false)
			}
		}},
		{"failsafehttp", does{}, func(base http.RoundTripper, url string) send {
			retries := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).Build() //nolint:bodyclose // builds a policy
			client := &http.Client{Transport: failsafehttp.NewRoundTripper(base, retries)}

			return func([]byte) error {
				req, err := request(context.Background(), url, nil)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
		{oursName, does{}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: transport.New(
				base,
				transport.WithBackoff(retry.Backoff{Base: 1, ThrottleBase: 1, Cap: 1}),
				transport.WithBudget(budget.NewTokenBucket(budget.BucketConfig{})),
				transport.WithLogger(nil),
			)}

			return func([]byte) error {
				req, err := request(context.Background(), url, nil)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
	}
}

// retried is the cost of a call with one retry in it.
func retried(e effort) (string, error) {
	e.ops = max(e.ops/4, 1)

	field := once()
	calls := make([]subject, 0, len(field))

	for _, c := range field {
		call := c.make(&flaky{}, "http://stub.test/orders")
		calls = append(calls, subject{name: c.name, run: func() error { return call(nil) }})
	}

	costs, err := measure(calls, field[0].name, e)
	if err != nil {
		return "", err
	}

	rows := make([][]string, 0, len(field))
	for _, c := range field {
		got := costs[c.name]
		rows = append(rows, []string{c.name, number(got.allocs), number(got.bytes), ratio(got.ratio), nanos(got.cpu)})
	}

	return page.Table([]string{"client", "allocs", "bytes", "CPU", "CPU time"}, rows), nil
}
