package main

import (
	"context"
	"net/http"

	"resty.dev/v3"
)

// restyV3 has its own limit of an attempt only: the client leaves that out when the context has a deadline, so the two
// cannot be had together.
func restyV3() []contender {
	return []contender{
		{"resty v3, attempt timeout, key", does{retries: true, attempt: true, key: true}, func(base http.RoundTripper, url string) send {
			client := resty.New().
				SetTransport(base).
				SetRetryCount(attempts-1).
				SetRetryAllowNonIdempotent(true).
				AddRetryConditions(resty.RetryConditionStatusTooManyRequests, resty.RetryConditionStatus5XX).
				SetTimeout(attemptTimeout).
				SetResponseDoNotParse(true)

			return func(body []byte) error {
				req := client.R().SetContext(context.Background())
				if body != nil {
					req.SetHeader("Content-Type", "application/json").SetBody(body)
					stamp(req.Header, body)
				}

				resp, err := req.Execute(methodOf(body), url)
				if err != nil {
					return err
				}

				return finish(&http.Response{Body: resp.Body}, nil)
			}
		}},
	}
}
