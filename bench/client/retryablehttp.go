package main

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func retryableHTTP() []contender {
	whole := does{retries: true, deadline: true, attempt: true, key: true}

	return []contender{
		{"go-retryablehttp, quiet", does{retries: true}, func(base http.RoundTripper, url string) send {
			client := silent(base, 0)

			return func(body []byte) error { return retryable(context.Background(), client, url, body, false) }
		}},
		{"go-retryablehttp, StandardClient", does{retries: true}, func(base http.RoundTripper, url string) send {
			client := silent(base, 0).StandardClient()

			return func(body []byte) error {
				req, err := request(context.Background(), url, body)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
		{"go-retryablehttp, quiet, timeouts, key", whole, func(base http.RoundTripper, url string) send {
			client := silent(base, attemptTimeout)

			return func(body []byte) error {
				return within(func(ctx context.Context) error { return retryable(ctx, client, url, body, true) })
			}
		}},
		{"go-retryablehttp, StandardClient, timeouts, key", whole, func(base http.RoundTripper, url string) send {
			client := silent(base, attemptTimeout).StandardClient()

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

// silent is the library's client without its logger; its own limit of an attempt is that of the client inside it.
func silent(base http.RoundTripper, limit time.Duration) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: base, Timeout: limit}
	client.Logger = nil
	client.RetryMax = attempts - 1

	return client
}

func retryable(ctx context.Context, client *retryablehttp.Client, url string, body []byte, key bool) error {
	var raw any // a nil []byte would be a body
	if body != nil {
		raw = body
	}

	req, err := retryablehttp.NewRequestWithContext(ctx, methodOf(body), url, raw)
	if err != nil {
		return err
	}

	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	if key {
		stamp(req.Header, body)
	}

	return finish(client.Do(req))
}
