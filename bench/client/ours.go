package main

import (
	"context"
	"net/http"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// oursName is the row that the bars are for.
const oursName = "**retrysafe**, all defaults, key"

func ours() []contender {
	return []contender{
		{oursName, does{retries: true, deadline: true, attempt: true, key: true}, func(base http.RoundTripper, url string) send {
			client := &http.Client{Transport: transport.New(base, transport.WithKeyedMethods(http.MethodPost))}

			return func(body []byte) error {
				req, err := request(context.Background(), url, body)
				if err != nil {
					return err
				}

				return finish(client.Do(req))
			}
		}},
	}
}
