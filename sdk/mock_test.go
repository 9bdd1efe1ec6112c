package sdk_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/retrysafe/retrysafe/sdk"
)

// mocked gives a client whose requests a mock transport answers.
func mocked(t *testing.T) (*sdk.Client, *httpmock.MockTransport) {
	t.Helper()
	mock := httpmock.NewMockTransport()
	client, err := sdk.New(sdk.WithBaseURL("https://shop.example"), sdk.WithBearerToken("token"), sdk.WithTransport(mock))
	if err != nil {
		t.Fatal(err)
	}
	return client, mock
}

// TestServicesSendOneKeyThroughFailures calls keyed operations of several services; the first answer of each is lost.
func TestServicesSendOneKeyThroughFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		path, answer string
		call         func(*sdk.Client) error
	}{
		"orders create": {"/orders", `{"id":"ord_1","order_ref":"web-1","status":"draft","total":{"amount":10,"currency":"EUR"}}`, func(c *sdk.Client) error {
			_, err := c.Orders.Create(t.Context(), sdk.CreateOrderRequest{OrderRef: "web-1", CustomerID: "cus_1", Currency: "EUR"})
			return err
		}},
		"customers create": {"/customers", `{"id":"cus_1","name":"Ada","email":"ada@example.com"}`, func(c *sdk.Client) error {
			_, err := c.Customers.Create(t.Context(), sdk.CreateCustomerRequest{Name: "Ada", Email: "ada@example.com"})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			client, mock := mocked(t)
			var keys []string
			mock.RegisterResponder(http.MethodPost, "https://shop.example"+tc.path, func(r *http.Request) (*http.Response, error) {
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				if len(keys) == 1 {
					return httpmock.NewStringResponse(http.StatusServiceUnavailable, ""), nil
				}
				resp := httpmock.NewStringResponse(http.StatusCreated, tc.answer)
				resp.Header.Set("Content-Type", "application/json")
				return resp, nil
			})
			if err := tc.call(client); err != nil {
				t.Fatal(err)
			}
			if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
				t.Errorf("keys %q, want one key two times", keys)
			}
		})
	}
}

// TestServiceWithoutKeyIsNotRepeated calls an operation that takes no key; its outcome stays unknown.
func TestServiceWithoutKeyIsNotRepeated(t *testing.T) {
	client, mock := mocked(t)
	mock.RegisterResponder(http.MethodPost, "https://shop.example/orders/ord_1/reminders", httpmock.NewStringResponder(http.StatusBadGateway, ""))
	mock.RegisterNoResponder(httpmock.NewNotFoundResponder(t.Log))
	_, err := client.Orders.Remind(t.Context(), "ord_1")
	var failed *sdk.Error
	if !errors.As(err, &failed) || failed.StatusCode != http.StatusBadGateway || failed.Attempts != 1 || failed.IdempotencyKey != "" {
		t.Errorf("got %v", err)
	}
	if n := mock.GetTotalCallCount(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}
