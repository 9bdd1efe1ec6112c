package main

import (
	"context"
	"net/http"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// generated is a stand-in until the generated package is there.
func generated(s settings, t *tally, done func(*call)) maker {
	return func(baseURL string) (buyer, error) {
		rt := transport.New(nil, transport.WithHook(t.hook), transport.WithLogger(nil), transport.WithAttemptTimeout(s.timeout), transport.WithKeyedMethods("POST"))
		b := &httpBuyer{client: &http.Client{Transport: rt}, baseURL: baseURL, attempts: 1}
		traced := func(ctx context.Context, intent string, f func(ctx context.Context) error) error {
			c := &call{intent: intent}
			c.failure = f(context.WithValue(ctx, callKey{}, c))
			done(c)
			return c.failure
		}
		return buyer{
			order: func(ctx context.Context, intent string) (id string, err error) {
				err = traced(ctx, intent, func(ctx context.Context) error {
					id, err = b.order(ctx, intent)
					return err
				})
				return id, err
			},
			pay: func(ctx context.Context, intent, orderID string) error {
				return traced(ctx, intent, func(ctx context.Context) error { return b.pay(ctx, intent, orderID) })
			},
			close: rt.CloseIdleConnections,
		}, nil
	}
}
