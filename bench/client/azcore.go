package main

import (
	"bytes"
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
)

func azcoreRetry() []contender {
	return []contender{
		{"azcore, timeouts, key", does{retries: true, deadline: true, attempt: true, key: true}, func(base http.RoundTripper, url string) send {
			pipeline := runtime.NewPipeline("bench", "v1.0.0", runtime.PipelineOptions{}, &policy.ClientOptions{
				Transport: &http.Client{Transport: base},
				Telemetry: policy.TelemetryOptions{Disabled: true},
				Retry:     policy.RetryOptions{MaxRetries: attempts - 1, TryTimeout: attemptTimeout},
			})

			return func(body []byte) error {
				return within(func(ctx context.Context) error {
					req, err := runtime.NewRequest(ctx, methodOf(body), url)
					if err != nil {
						return err
					}

					if body != nil {
						err = req.SetBody(streaming.NopCloser(bytes.NewReader(body)), "application/json")
						if err != nil {
							return err
						}

						stamp(req.Raw().Header, body)
					}

					return finish(pipeline.Do(req))
				})
			}
		}},
	}
}
