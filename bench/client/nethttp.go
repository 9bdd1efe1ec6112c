package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// The rows that the bars of the issue are measured from.
const (
	bareName = "net/http"
	twoName  = "net/http, two timeouts"
)

func netHTTP() []contender {
	return []contender{
		{bareName, does{}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func(body []byte) error {
				req, err := request(context.Background(), url, body)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
		{twoName, does{deadline: true, attempt: true, byHand: true}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func(body []byte) error {
				return within(func(ctx context.Context) error { return limited(ctx, client, url, body, false) })
			}
		}},
		{twoName + " and key", does{deadline: true, attempt: true, byHand: true, key: true}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: base}

			return func(body []byte) error {
				return within(func(ctx context.Context) error { return limited(ctx, client, url, body, true) })
			}
		}},
	}
}

// limited is one attempt under its own limit, inside that of ctx.
func limited(ctx context.Context, client *http.Client, url string, body []byte, key bool) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()

	req, err := request(ctx, url, body)
	if err != nil {
		return err
	}

	if key {
		stamp(req.Header, body)
	}

	return finish(client.Do(req))
}

// request makes the request as a caller of net/http does.
func request(ctx context.Context, url string, body []byte) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}

	req, err := http.NewRequestWithContext(ctx, methodOf(body), url, content)
	if err != nil {
		return nil, err
	}

	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	return req, nil
}
