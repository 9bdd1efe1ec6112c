package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// awsRetry is the retry middleware of the AWS SDK alone: no signing, no serializer, no endpoint rules.
func awsRetry() []contender {
	return []contender{
		{"aws-sdk-go-v2 retry, timeouts, key", does{retries: true, deadline: true, attempt: true, key: true}, func(base http.RoundTripper, address string) send {
			client := &http.Client{Transport: base, Timeout: attemptTimeout}
			loop := retry.NewAttemptMiddleware(retry.NewStandard(), smithyhttp.RequestCloner)
			attempt := middleware.FinalizeHandlerFunc(func(ctx context.Context, in middleware.FinalizeInput) (
				out middleware.FinalizeOutput, _ middleware.Metadata, err error,
			) {
				req, ok := in.Request.(*smithyhttp.Request)
				if !ok {
					return out, middleware.Metadata{}, fmt.Errorf("request of type %T", in.Request)
				}

				out.Result, err = refuse(client.Do(req.Build(ctx))) //nolint:bodyclose // finish closes it

				return out, middleware.Metadata{}, err
			})

			return func(body []byte) error {
				return within(func(ctx context.Context) error {
					req, err := smithyRequest(address, body)
					if err != nil {
						return err
					}

					out, _, err := loop.HandleFinalize(ctx, middleware.FinalizeInput{Request: req}, attempt)
					if err != nil {
						return err
					}

					resp, ok := out.Result.(*http.Response)
					if !ok {
						return fmt.Errorf("result of type %T", out.Result)
					}

					return finish(resp, nil)
				})
			}
		}},
	}
}

func smithyRequest(address string, body []byte) (*smithyhttp.Request, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, err
	}

	req, ok := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	if !ok {
		return nil, errors.New("the stack's request is of another type")
	}

	req.Method, req.URL = methodOf(body), target

	if body == nil {
		return req, nil
	}

	req, err = req.SetStream(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	stamp(req.Header, body)

	return req, nil
}
