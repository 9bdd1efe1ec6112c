package shop

import (
	"fmt"
	"net/http"
	"strings"
)

// routes is the table of the document's operations. Where an operation takes a key, its row says under which name the
// key's claim is kept.
func (s *Shop) routes(authorized func(http.Handler, ...func(*http.Request) bool) http.Handler) http.Handler {
	mux := http.NewServeMux()
	open := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), h) }
	bearer := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), authorized(h, s.byBearer)) }
	either := func(pattern string, h http.HandlerFunc) {
		mux.Handle(version(pattern), authorized(h, s.byBearer, byAPIKey))
	}
	apiKey := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), authorized(h, byAPIKey)) }

	open("GET /health", getHealth)
	open("GET /categories", getCategories)
	either("GET /products", s.in(listProducts))
	either("GET /products/{sku}", s.in(getProduct))
	apiKey("PUT /products/{sku}/stock", s.in(setStock))
	apiKey("POST /products/{sku}/stock-adjustments", s.in(adjustStock))

	bearer("GET /customers", s.in(listCustomers))
	bearer("POST /customers", s.keyed("createCustomer", s.in(createCustomer)))
	bearer("POST /customers/search", s.in(searchCustomers))
	bearer("GET /customers/{customer_id}", s.in(getCustomer))
	bearer("PATCH /customers/{customer_id}", s.keyed("updateCustomer", s.in(updateCustomer)))
	bearer("DELETE /customers/{customer_id}", s.in(deleteCustomer))
	bearer("PUT /customers/{customer_id}/notes", s.in(appendNotes))
	bearer("POST /customers/{customer_id}/documents", s.keyed("uploadDocument", s.in(uploadDocument)))
	bearer("GET /documents/{document_id}/content", s.downloadDocument)

	bearer("GET /orders", s.in(listOrders))
	bearer("POST /orders", s.keyed("createOrder", s.in(createOrder)))
	bearer("GET /orders/{order_id}", s.in(getOrder))
	bearer("POST /orders/{order_id}/cancellation", s.keyed("cancelOrder", s.in(cancelOrder)))
	bearer("POST /orders/{order_id}/reminders", s.in(remindOrder))
	bearer("POST /order-confirmations", s.keyed("confirmOrder", s.in(confirmOrder)))
	bearer("GET /order-events", s.watchOrders)

	bearer("POST /payments", s.keyed("createPayment", s.createPayment))
	bearer("GET /payments/{payment_id}", s.in(getPayment))
	bearer("POST /payments/{payment_id}/capture", s.keyed("capturePayment", s.in(capturePayment)))
	bearer("POST /payments/{payment_id}/refunds", s.keyed("createRefund", s.in(createRefund)))
	bearer("GET /refunds", s.in(listRefunds))
	bearer("GET /ledger/entries", s.streamLedger)

	bearer("POST /exports", s.keyed("createExport", s.in(createExport)))
	bearer("GET /exports/{export_id}", s.in(getExport))

	mux.HandleFunc("POST /oauth/token", s.issueToken)
	mux.HandleFunc("GET /debug/effects", s.getEffects)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { notFound(w, "address", r.URL.Path) })
	return mux
}

// version puts the API's version before the path of a pattern.
func version(pattern string) string { return strings.Replace(pattern, " /", " /v1/", 1) }

// withRequestID numbers the answers.
func (s *Shop) withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(requestIDHeader, fmt.Sprintf("req_%06d", s.requests.Load()))
		next.ServeHTTP(w, r)
	})
}

func getHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok"))
}
