package shop_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/contract"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// call is one request of the walk through the document.
type call struct {
	method, path, body string
	want               int
	header             []string
	save               string // name under which the answer's id is kept, for {name} in later paths and bodies
}

// TestEveryOperationFollowsTheDocument calls each operation in a sensible order and some in a wrong one. The checker
// holds requests and answers against openapi.yaml.
func TestEveryOperationFollowsTheDocument(t *testing.T) {
	now := time.Date(2026, 2, 28, 9, 30, 0, 0, time.UTC)
	s, err := shop.New(t.Context(), shop.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	checker := contract.New(t, s)
	server := httptest.NewServer(checker)
	defer server.Close()

	form, formType := upload(t)
	apiKey := []string{"X-Api-Key", "k", "Authorization", ""}
	calls := []call{
		{method: "GET", path: "/health", want: 200},
		{method: "GET", path: "/categories", want: 200},
		{method: "GET", path: "/products?page=2&per_page=10", want: 200},
		{method: "GET", path: "/products?tags=garden%7Csale", want: 200},
		{method: "GET", path: "/products?page=0", want: 422},
		{method: "GET", path: "/products/chair%2Foak", want: 200},
		{method: "GET", path: "/products/none", want: 404},
		{method: "PUT", path: "/products/lamp-1/stock", body: `{"AMS1": 40}`, want: 200, header: apiKey},
		{method: "PUT", path: "/products/lamp-1/stock", body: `{"AMS1": 40}`, want: 401},
		{method: "POST", path: "/products/lamp-1/stock-adjustments", body: `{"request_id":"a1","warehouse":"AMS1","delta":-3,"reason":"damaged"}`, want: 200, header: apiKey},
		{method: "POST", path: "/products/lamp-1/stock-adjustments", body: `{"warehouse":"AMS1","delta":-3000}`, want: 422, header: apiKey},

		{method: "POST", path: "/customers", want: 201, save: "customer", body: `{"name":"Ada Example","email":"ada@example.com","birth_date":"1990-12-10","address":{"line1":"1 Long Street","city":"Utrecht","country":"NL"},"metadata":{"crm_id":"4711"},"password":"long enough for a shop"}`},
		{method: "POST", path: "/customers", want: 201, save: "other", body: `{"name":"Bo Example","email":"bo@example.com","kind":"company"}`},
		{method: "POST", path: "/customers", want: 409, body: `{"name":"Ada Example","email":"ADA@example.com"}`},
		{method: "POST", path: "/customers", want: 422, body: `{"name":"","email":"x"}`},
		{method: "POST", path: "/customers", want: 422, body: `{`},
		{method: "GET", path: "/customers?limit=1", want: 200},
		{method: "GET", path: "/customers?email=bo@example.com", want: 200},
		{method: "GET", path: "/customers/{customer}", want: 200},
		{method: "GET", path: "/customers/cus_0", want: 404},
		{method: "PATCH", path: "/customers/{customer}", want: 200, body: `{"phone":"+31 30 1234567","birth_date":null}`, header: []string{"If-Match", `"1"`}},
		{method: "PATCH", path: "/customers/{customer}", want: 412, body: `{"phone":null}`, header: []string{"If-Match", `"1"`}},
		{method: "PATCH", path: "/customers/{customer}", want: 422, body: `{"phone":7}`},
		{method: "POST", path: "/customers/search", want: 200, body: `{"filters":[{"field":"metadata.crm_id","operator":"equals","value":"4711"},{"field":"name","operator":"contains","value":"zz"}],"match":"any"}`},
		{method: "POST", path: "/customers/search", want: 422, body: `{"filters":[]}`},
		{method: "PUT", path: "/customers/{customer}/notes", want: 200, body: `[{"text":"Called about the broken lamp.","author":"sam"}]`},
		{method: "POST", path: "/customers/{customer}/documents", want: 201, body: form, header: []string{"Content-Type", formType}, save: "document"},
		{method: "GET", path: "/documents/{document}/content?disposition=inline", want: 200},
		{method: "GET", path: "/documents/doc_0/content", want: 404},

		{method: "POST", path: "/orders", want: 201, body: orderBody("web-1"), save: "order"},
		{method: "POST", path: "/orders", want: 201, body: orderBody("web-2"), save: "second"},
		{method: "POST", path: "/orders", want: 422, body: `{"order_ref":"x","customer_id":"c","currency":"EUR","lines":[{"sku":"no","quantity":0}]}`},
		{method: "GET", path: "/orders?limit=1&status=draft&status=paid&created%5Bfrom%5D=2026-01-01T00:00:00Z", want: 200},
		{method: "GET", path: "/orders?cursor=b3JkXzQ", want: 200},
		{method: "POST", path: "/order-confirmations", want: 200, body: `{"order_ref":"web-1"}`, header: []string{"Idempotency-Key", "order-confirm-web-1"}},
		{method: "POST", path: "/order-confirmations", want: 409, body: `{"order_ref":"web-1"}`, header: []string{"Idempotency-Key", "another"}},
		{method: "POST", path: "/order-confirmations", want: 404, body: `{"order_ref":"none"}`, header: []string{"Idempotency-Key", "order-confirm-none"}},
		{method: "POST", path: "/orders/{order}/reminders", want: 202},
		{method: "POST", path: "/payments", want: 402, body: `{"order_id":"{order}","amount":1,"currency":"EUR","method":{"type":"card","number":"4000000000000002"}}`},
		{method: "POST", path: "/payments", want: 422, body: `{"order_id":"{order}","amount":1,"currency":"EUR","method":{"type":"shells"}}`},
		{method: "POST", path: "/payments", want: 201, save: "payment", body: `{"order_id":"{order}","amount":5980,"currency":"EUR","method":{"type":"card","number":"4242424242424242","expiry_month":12,"expiry_year":2030}}`},
		{method: "POST", path: "/payments", want: 201, save: "reserved", body: `{"order_id":"{second}","amount":5980,"currency":"EUR","capture":false,"method":{"type":"bank_transfer","iban":"NL91ABNA0417164300"}}`},
		{method: "POST", path: "/payments/{reserved}/capture", want: 200, body: `{"amount":2990}`},
		{method: "POST", path: "/payments/{reserved}/capture", want: 409},
		{method: "GET", path: "/payments/{payment}", want: 200},
		{method: "GET", path: "/orders/{order}?expand=customer,payments", want: 200},
		{method: "POST", path: "/payments/{payment}/refunds", want: 201, body: `{"amount":990,"reason":"damaged"}`},
		{method: "POST", path: "/payments/{payment}/refunds", want: 201, body: `{"amount":1000}`},
		{method: "POST", path: "/payments/{payment}/refunds", want: 409, body: `{"amount":100000}`},
		{method: "GET", path: "/refunds?limit=1", want: 200},
		{method: "GET", path: "/ledger/entries?day=2026-02-28", want: 200},
		{method: "POST", path: "/orders/{second}/cancellation", want: 200, body: `{"reason":"fraud"}`, header: []string{"Idempotency-Key", "order-cancel-2"}},
		{method: "POST", path: "/orders/{second}/cancellation", want: 409, header: []string{"Idempotency-Key", "another"}},
		{method: "POST", path: "/exports", want: 202, body: `{"kind":"orders","format":"csv","from":"2026-01-01"}`, save: "export"},
		{method: "GET", path: "/exports/{export}", want: 200},
		{method: "GET", path: "/exports/{export}", want: 200},
		{method: "DELETE", path: "/customers/{customer}", want: 204},
		{method: "DELETE", path: "/customers/{customer}", want: 204},
	}
	saved := []string{}
	for _, call := range calls {
		fill := strings.NewReplacer(saved...)
		header := call.header
		if call.body != "" && !strings.HasPrefix(call.body, "--") {
			header = append([]string{"Content-Type", "application/json"}, header...)
		}
		path := fill.Replace(call.path)
		response, body, err := send(t, server.Client(), call.method, server.URL+"/v1"+path, fill.Replace(call.body), header...)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != call.want {
			t.Errorf("%s %s: %d, want %d\n%s", call.method, path, response.StatusCode, call.want, body)
		}
		if call.save != "" {
			var made struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(body, &made); err != nil {
				t.Fatal(err)
			}
			saved = append(saved, "{"+call.save+"}", made.ID)
		}
	}
	// The stream of order events does not end; TestWatchOrders reads it.
	if unseen := checker.Unseen("watchOrders"); len(unseen) > 0 {
		t.Errorf("not called: %v", unseen)
	}
}

// upload is a multipart body with its content type.
func upload(t *testing.T) (body, contentType string) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part, err := form.CreateFormFile("file", "contract.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, "%PDF-1.7 and so on")
	_ = form.WriteField("kind", "contract")
	_ = form.WriteField("labels", `["signed"]`)
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.String(), form.FormDataContentType()
}

func TestWatchOrders(t *testing.T) {
	s := start(t, shop.Options{})
	for _, ref := range []string{"one", "two"} {
		if _, _, err := send(t, http.DefaultClient, http.MethodPost, s.URL+"/orders", orderBody(ref)); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/order-events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer t")
	request.Header.Set("Last-Event-Id", "1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, 5)
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "id: 2" {
		t.Errorf("%q %v, want the event after the first", first, err)
	}
}
