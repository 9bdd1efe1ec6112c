package idempotency_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

func Example() {
	guard := idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil }, // set by your authentication
		Failures: idempotency.StoreFailures,
	})
	orders := 0
	mux := http.NewServeMux()
	mux.Handle("POST /orders", guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		orders++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "order %d", orders)
	})))

	for range 2 { // the client's first answer got lost, so it sends again
		r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader(`{"item":"tea"}`))
		r.Header.Set("X-Account", "acct_1")
		r.Header.Set("Idempotency-Key", "order-confirm-42")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body, "replayed:", w.Header().Get("Idempotent-Replayed") == "true")
	}
	fmt.Println("orders made:", orders)
	// Output:
	// 201 order 1 replayed: false
	// 201 order 1 replayed: true
	// orders made: 1
}
