package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// The answer is lost after the effect; the same key brings the answer back and has no second effect.
func TestLostAnswerIsReplayed(t *testing.T) {
	s := start(t, shop.Options{})
	c := client(t)
	header := []string{"Idempotency-Key", "k1", shop.FaultHeader, "drop-after"}
	if response, _, err := send(t, c, http.MethodPost, s.URL+"/orders", orderBody("lost"), header...); err == nil {
		t.Fatalf("got an answer: %s", response.Status)
	}
	response, body, err := send(t, c, http.MethodPost, s.URL+"/orders", orderBody("lost"), header...)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusCreated || response.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s %v %s", response.Status, response.Header, body)
	}
	if got := s.Effects().Orders["lost"]; got != 1 {
		t.Errorf("%d effects, want 1", got)
	}
	// Without a key the same retry doubles the order.
	for range 2 {
		_, _, _ = send(t, c, http.MethodPost, s.URL+"/orders", orderBody("doubled"), shop.FaultHeader, "drop-after")
	}
	if got := shop.Surplus(s.Effects().Orders); got != 1 {
		t.Errorf("%d surplus effects without a key, want 1", got)
	}
}

func TestKeyRules(t *testing.T) {
	s := start(t, shop.Options{})
	c := client(t)
	tests := []struct {
		name, path, body, key string
		status                int
		code                  string
	}{
		{"first", "/orders", orderBody("a"), "k", 201, ""},
		{"other body", "/orders", orderBody("b"), "k", 409, "idempotency_key_reused"},
		{"key missing", "/order-confirmations", `{"order_ref":"a"}`, "", 400, "idempotency_key_required"},
		{"refused", "/payments", `{"amount":0}`, "p", 422, "invalid"},
		{"corrected under the same key", "/payments", `{"order_id":"ord_1","amount":5,"currency":"EUR","method":{"type":"bank_transfer","iban":"x"}}`, "p", 201, ""},
	}
	for _, test := range tests {
		var header []string
		if test.key != "" {
			header = []string{"Idempotency-Key", test.key}
		}
		response, body, err := send(t, c, http.MethodPost, s.URL+test.path, test.body, header...)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != test.status || !strings.Contains(string(body), test.code) {
			t.Errorf("%s: %s %s, want %d %s", test.name, response.Status, body, test.status, test.code)
		}
	}
}
