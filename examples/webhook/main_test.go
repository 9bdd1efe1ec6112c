package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/webhook"
)

const secret = "whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCBsb25nIGVub3VnaA=="

// delivery is one event as the shop sends it.
type delivery struct {
	header http.Header
	body   []byte
}

// deliveries are the events of an order that is confirmed and paid.
func deliveries(t *testing.T) []delivery {
	t.Helper()
	var sent []delivery
	server := exampletest.Shop(t, shop.Options{HookSecret: secret, Hook: func(header http.Header, body []byte) {
		sent = append(sent, delivery{header, body})
	}})
	client, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithBearerToken("t"))
	if err != nil {
		t.Fatal(err)
	}
	order, err := client.Orders.Create(t.Context(), sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Orders.Confirm(t.Context(), sdk.ConfirmOrderRequest{OrderRef: "web-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Payments.Create(t.Context(), sdk.CreatePaymentRequest{
		OrderID: order.ID, Amount: 2990, Currency: sdk.CurrencyEUR,
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	}); err != nil {
		t.Fatal(err)
	}
	return sent
}

func TestReceiver(t *testing.T) {
	verifier, err := webhook.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	handler := receiver(verifier, &out)
	deliver := func(d delivery) int {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(d.body))
		r.Header = d.header
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	for _, d := range deliveries(t) {
		for range 2 { // each is delivered twice
			if got := deliver(d); got != http.StatusNoContent {
				t.Errorf("answered %d, want 204", got)
			}
		}
		d.body = bytes.Replace(d.body, []byte("2990"), []byte("1"), 1)
		if got := deliver(d); got != http.StatusUnauthorized {
			t.Errorf("a forged event was answered %d, want 401", got)
		}
	}
	if got := strings.TrimSpace(out.String()); got != "confirmed: web-1\ncaptured: 2990" {
		t.Errorf("output:\n%s", got)
	}
}
