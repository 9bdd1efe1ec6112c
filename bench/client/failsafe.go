package main

import (
	"context"
	"net/http"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/timeout"
)

func failsafe() []contender {
	return []contender{
		{"failsafehttp", does{retries: true}, func(base http.RoundTripper, url string) send {
			retries := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).Build() //nolint:bodyclose // builds a policy
			client := &http.Client{Transport: failsafehttp.NewRoundTripper(base, retries)}

			return func(body []byte) error {
				req, err := request(context.Background(), url, body)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
		{"failsafehttp, timeouts, key", does{retries: true, deadline: true, attempt: true, key: true}, func(base http.RoundTripper, url string) send {
			retries := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).Build() //nolint:bodyclose // builds a policy
			limit := timeout.New[*http.Response](attemptTimeout)                              //nolint:bodyclose // builds a policy
			client := &http.Client{Transport: failsafehttp.NewRoundTripper(base, retries, limit)}

			return func(body []byte) error {
				return within(func(ctx context.Context) error {
					req, err := request(ctx, url, body)
					if err != nil {
						return err
					}

					stamp(req.Header, body)

					return finish(client.Do(req))
				})
			}
		}},
	}
}
