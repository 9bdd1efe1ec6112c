package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cenkalti/backoff/v5"
)

// cenkalti has the loop only; the timeouts of its second row are net/http's, written around it by hand.
func cenkalti() []contender {
	return []contender{
		{"cenkalti/backoff v5", does{retries: true}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func(body []byte) error {
				return again(context.Background(), func() error {
					req, err := request(context.Background(), url, body)
					if err != nil {
						return err
					}

					return finish(refuse(client.Do(req)))
				})
			}
		}},
		{"cenkalti/backoff v5, timeouts, key", does{retries: true, deadline: true, attempt: true, byHand: true, key: true}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func(body []byte) error {
				header := make(http.Header, 1) // the key is made once, outside the loop
				stamp(header, body)

				return within(func(ctx context.Context) error {
					return again(ctx, func() error {
						ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
						defer cancel()

						req, err := request(ctx, url, body)
						if err != nil {
							return err
						}

						if body != nil {
							req.Header[keyHeader] = header[keyHeader]
						}

						return finish(refuse(client.Do(req)))
					})
				})
			}
		}},
	}
}

func again(ctx context.Context, try func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, try() }, backoff.WithMaxTries(attempts))

	return err
}

// refuse makes an error of an answer that is worth a retry, for clients that look at errors only.
func refuse(resp *http.Response, err error) (*http.Response, error) {
	if err != nil || resp.StatusCode < http.StatusInternalServerError {
		return resp, err
	}

	if err := resp.Body.Close(); err != nil {
		return nil, err
	}

	return nil, statusError(resp.StatusCode)
}

type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// HTTPStatusCode is what the AWS retryer asks an error for.
func (e statusError) HTTPStatusCode() int { return int(e) }
