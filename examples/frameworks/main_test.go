package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEachFrameworkCollapsesRepeats(t *testing.T) {
	for name, router := range routers() {
		t.Run(name, func(t *testing.T) {
			var effects atomic.Int64
			handler := router(&effects)
			post := func(key, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(http.MethodPost, "/orders/web-1", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer t")
				r.Header.Set("Idempotency-Key", key)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			first, again := post("k1", "a"), post("k1", "a")
			if first.Code != http.StatusCreated || first.Body.String() != "order web-1, effect 1" {
				t.Fatalf("first: %d %s", first.Code, first.Body)
			}
			if again.Code != first.Code || again.Body.String() != first.Body.String() || again.Header().Get("Idempotent-Replayed") != "true" ||
				again.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
				t.Errorf("again: %d %s %v", again.Code, again.Body, again.Header())
			}
			if got := post("k1", "b"); got.Code != http.StatusConflict || !strings.Contains(got.Body.String(), "idempotency_key_reused") {
				t.Errorf("another body: %d %s", got.Code, got.Body)
			}
			if got := post("k2", "a"); got.Body.String() != "order web-1, effect 2" {
				t.Errorf("another key: %d %s", got.Code, got.Body)
			}
			if got := effects.Load(); got != 2 {
				t.Errorf("%d effects, want 2", got)
			}
		})
	}
}
