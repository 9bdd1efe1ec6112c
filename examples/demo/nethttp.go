package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// plain is net/http as most programs use it: a timeout, and an error is an error.
func plain(s settings) maker {
	return func(baseURL string) (buyer, error) { return newHTTPBuyer(baseURL, s, 1), nil }
}

// naive is the loop that most programs have around it: on any error, once more.
func naive(s settings) maker {
	return func(baseURL string) (buyer, error) { return newHTTPBuyer(baseURL, s, s.attempts), nil }
}

type httpBuyer struct {
	client   *http.Client
	baseURL  string
	attempts int
}

func newHTTPBuyer(baseURL string, s settings, attempts int) buyer {
	transport := &http.Transport{MaxIdleConnsPerHost: s.workers}
	b := &httpBuyer{client: &http.Client{Transport: transport, Timeout: s.timeout}, baseURL: baseURL, attempts: attempts}
	return buyer{order: b.order, pay: b.pay, close: transport.CloseIdleConnections}
}

func (b *httpBuyer) order(ctx context.Context, intent string) (string, error) {
	body := map[string]any{
		"order_ref": intent, "customer_id": "cus_1", "currency": "EUR",
		"lines": []map[string]any{{"sku": sku, "quantity": quantity}},
	}
	var order struct{ ID string }
	err := b.post(ctx, "/orders", intent, body, &order)
	return order.ID, err
}

func (b *httpBuyer) pay(ctx context.Context, intent, orderID string) error {
	body := map[string]any{
		"order_id": orderID, "amount": price, "currency": "EUR", "metadata": map[string]string{"intent": intent},
		"method": map[string]string{"type": "bank_transfer", "iban": "NL91ABNA0417164300"},
	}
	return b.post(ctx, "/payments", intent, body, nil)
}

// post sends until it works or the attempts are used up, with a wait that grows.
func (b *httpBuyer) post(ctx context.Context, path, intent string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err = b.once(ctx, path, intent, text, into)
		if err == nil || attempt >= b.attempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *httpBuyer) once(ctx context.Context, path, intent string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.baseURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(shop.IntentHeader, intent)
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s", response.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
