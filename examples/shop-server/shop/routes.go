package shop

import (
	"fmt"
	"net/http"
	"strings"
)

// routes is the table of the document's operations. Where an operation takes a key, its row says under which name the
// key's claim is kept.
func (s *Shop) routes() http.Handler {
	mux := http.NewServeMux()
	open := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), h) }
	bearer := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), authorized(h, s.byBearer)) }
	either := func(pattern string, h http.HandlerFunc) {
		mux.Handle(version(pattern), authorized(h, s.byBearer, byAPIKey))
	}
	apiKey := func(pattern string, h http.HandlerFunc) { mux.Handle(version(pattern), authorized(h, byAPIKey)) }

	open("GET /health", s.getHealth)
	open("GET /categories", s.getCategories)
	either("GET /products", s.listProducts)
	either("GET /products/{sku}", s.getProduct)
	apiKey("PUT /products/{sku}/stock", s.setStock)
	apiKey("POST /products/{sku}/stock-adjustments", s.adjustStock)

	bearer("GET /customers", s.listCustomers)
	bearer("POST /customers", s.keyed("createCustomer", s.createCustomer))
	bearer("POST /customers/search", s.searchCustomers)
	bearer("GET /customers/{customer_id}", s.getCustomer)
	bearer("PATCH /customers/{customer_id}", s.keyed("updateCustomer", s.updateCustomer))
	bearer("DELETE /customers/{customer_id}", s.deleteCustomer)
	bearer("PUT /customers/{customer_id}/notes", s.appendNotes)
	bearer("POST /customers/{customer_id}/documents", s.keyed("uploadDocument", s.uploadDocument))
	bearer("GET /documents/{document_id}/content", s.downloadDocument)

	bearer("GET /orders", s.listOrders)
	bearer("POST /orders", s.keyed("createOrder", s.createOrder))
	bearer("GET /orders/{order_id}", s.getOrder)
	bearer("POST /orders/{order_id}/cancellation", s.keyed("cancelOrder", s.cancelOrder))
	bearer("POST /orders/{order_id}/reminders", s.remindOrder)
	bearer("POST /order-confirmations", s.keyed("confirmOrder", s.confirmOrder))
	bearer("GET /order-events", s.watchOrders)

	bearer("POST /payments", s.keyed("createPayment", s.createPayment))
	bearer("GET /payments/{payment_id}", s.getPayment)
	bearer("POST /payments/{payment_id}/capture", s.keyed("capturePayment", s.capturePayment))
	bearer("POST /payments/{payment_id}/refunds", s.keyed("createRefund", s.createRefund))
	bearer("GET /refunds", s.listRefunds)
	bearer("GET /ledger/entries", s.streamLedger)

	bearer("POST /exports", s.keyed("createExport", s.createExport))
	bearer("GET /exports/{export_id}", s.getExport)

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

func (s *Shop) getHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok"))
}
