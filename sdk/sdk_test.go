package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/client/fakeserver"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/webhook"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// sentRequest is what a test server got.
type sentRequest struct {
	method, uri, key, body string
	header                 http.Header
}

type reply struct {
	status      int
	contentType string
	body        string
	header      map[string]string
}

func ok(body string) reply { return reply{status: 200, contentType: "application/json", body: body} }

// shop is a server that gives replies in turn, the last one again and again, and remembers what it was sent.
type shop struct {
	replies []reply
	sent    []sentRequest
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.sent = append(s.sent, sentRequest{r.Method, r.RequestURI, r.Header.Get("Idempotency-Key"), string(body), r.Header})
	answer := s.replies[min(len(s.sent), len(s.replies))-1]
	for name, value := range answer.header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", answer.contentType)
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.body)
}

func connect(t *testing.T, replies ...reply) (*sdk.Client, *shop) {
	t.Helper()
	handler := &shop{replies: replies}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithEnv(nil), sdk.WithLogger(nil), sdk.WithBearerToken("tok"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c, handler
}

const orderJSON = `{"id":"ord_1","order_ref":"ref-1","customer_id":"cus_1","status":"packed","lines":[],` +
	`"total":{"amount":1,"currency":"EUR"},"created_at":"2026-01-02T03:04:05Z","confirmed_at":null,"surprise":[1]}`

func TestCreateOrderIsRetriedUnderOneKey(t *testing.T) {
	c, s := connect(t, reply{status: 502}, reply{status: 502}, ok(orderJSON))
	var info sdk.ResponseInfo
	order, err := c.Orders.Create(t.Context(), sdk.CreateOrderRequest{CustomerID: "cus_1", OrderRef: "ref-1"}, sdk.WithResponse(&info))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.sent) != 3 || s.sent[0].key == "" || s.sent[1].key != s.sent[0].key || s.sent[2].key != s.sent[0].key || s.sent[2].body != s.sent[0].body {
		t.Errorf("sent %v", s.sent)
	}
	if info.Attempts != 3 || info.IdempotencyKey != s.sent[0].key || s.sent[0].header.Get("Authorization") != "Bearer tok" {
		t.Errorf("info %+v", info)
	}
	if order.Status != "packed" || string(order.ExtraFields["surprise"]) != "[1]" || order.ConfirmedAt != nil {
		t.Errorf("order %+v", order)
	}
	again, err := json.Marshal(order)
	if err != nil || !strings.Contains(string(again), `"surprise":[1]`) || !strings.Contains(string(again), `"confirmed_at":null`) {
		t.Errorf("%s %v", again, err)
	}
}

func TestKeyFollowsFromTheEvent(t *testing.T) {
	for range 2 { // two processes, as far as keys go
		c, s := connect(t, ok(orderJSON))
		if _, err := c.Orders.Confirm(t.Context(), sdk.ConfirmOrderRequest{OrderRef: "ref-7"}); err != nil {
			t.Fatal(err)
		}
		if s.sent[0].key != "order-confirm-ref-7" {
			t.Errorf("key %q", s.sent[0].key)
		}
		if _, err := c.Orders.Cancel(t.Context(), "ord_1", nil); err != nil {
			t.Fatal(err)
		}
		if s.sent[1].key != "order-cancel-ord_1" || s.sent[1].body != "" {
			t.Errorf("sent %+v", s.sent[1])
		}
	}
	c, s := connect(t, ok(orderJSON))
	if _, err := c.Orders.Confirm(t.Context(), sdk.ConfirmOrderRequest{OrderRef: "ref-8"}, sdk.WithIdempotencyKey("mine")); err != nil || s.sent[0].key != "mine" {
		t.Errorf("%v %v", s.sent, err)
	}
}

func TestUnknownOutcome(t *testing.T) {
	tests := []struct {
		name  string
		tries int
		call  func(context.Context, *sdk.Client) error
	}{
		{"takes a key", 3, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.Payments.Create(ctx, sdk.CreatePaymentRequest{OrderID: "o"})
			return err
		}},
		{"takes no key", 1, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.Orders.Remind(ctx, "ord_1")
			return err
		}},
		{"a POST that is safe", 3, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.Customers.Search(ctx, sdk.CustomerSearch{})
			return err
		}},
		{"a PUT that appends", 1, func(ctx context.Context, c *sdk.Client) error {
			_, err := c.Customers.AppendNotes(ctx, "cus_1", []sdk.Note{})
			return err
		}},
		{"a DELETE", 3, func(ctx context.Context, c *sdk.Client) error { return c.Customers.Delete(ctx, "cus_1") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, s := connect(t, reply{status: 504})
			err := tt.call(t.Context(), c)
			var failed *sdk.Error
			if !errors.As(err, &failed) || failed.StatusCode != 504 || failed.Attempts != tt.tries || len(s.sent) != tt.tries {
				t.Errorf("%d sent, %v", len(s.sent), err)
			}
		})
	}
}

func TestDeclaredErrors(t *testing.T) {
	c, _ := connect(t, reply{
		status: 422, contentType: "application/problem+json", header: map[string]string{"X-Request-Id": "req_9"},
		body: `{"type":"about:blank","title":"Not valid","status":422,"code":"invalid","errors":[{"field":"order_ref","message":"is empty"}]}`,
	})
	_, err := c.Orders.Create(t.Context(), sdk.CreateOrderRequest{})
	var failed *sdk.Error
	var invalid *sdk.ValidationProblem
	var sent *transport.Error
	if !errors.As(err, &failed) || !errors.As(err, &invalid) || !errors.As(err, &sent) {
		t.Fatal(err)
	}
	if failed.Code != "invalid" || failed.RequestID != "req_9" || failed.Operation != "createOrder" || failed.IdempotencyKey == "" || len(invalid.Errors) != 1 {
		t.Errorf("%+v %+v", failed, invalid)
	}
	if want := "shop: createOrder: 422 Unprocessable Entity (invalid): Not valid [request req_9]"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	c, _ = connect(t, reply{status: 404, contentType: "application/problem+json", body: `{"title":"None","status":404,"code":"not_found"}`})
	_, err = c.Orders.Get(t.Context(), "ord_1", sdk.GetOrderParams{})
	var problem *sdk.Problem
	if !errors.As(err, &problem) || errors.As(err, &invalid) || problem.Code != "not_found" {
		t.Errorf("%v", err)
	}
}

func TestListOverPages(t *testing.T) {
	c, s := connect(
		t,
		ok(`{"data":[`+orderJSON+`],"has_more":true,"next_cursor":"c2"}`),
		reply{status: 503},
		ok(`{"data":[`+orderJSON+`,`+orderJSON+`],"has_more":false,"next_cursor":null}`),
	)
	params := sdk.ListOrdersParams{Status: []sdk.OrderStatus{"paid", "shipped"}}
	n := 0
	for order, err := range c.Orders.All(t.Context(), params) {
		if err != nil || order.ID != "ord_1" {
			t.Fatal(order, err)
		}
		n++
	}
	if n != 3 || len(s.sent) != 3 || params.Cursor != nil {
		t.Errorf("%d items, sent %v", n, s.sent)
	}
	if s.sent[0].uri != "/orders?status=paid&status=shipped" || s.sent[2].uri != "/orders?cursor=c2&status=paid&status=shipped" {
		t.Errorf("sent %q, %q", s.sent[0].uri, s.sent[2].uri)
	}
	c, s = connect(t, ok(`{"data":[`+orderJSON+`],"has_more":true,"next_cursor":"same"}`))
	var last error
	for _, err := range c.Orders.All(t.Context(), sdk.ListOrdersParams{}) {
		last = err
	}
	if !errors.Is(last, client.ErrRepeatedCursor) || len(s.sent) != 2 {
		t.Errorf("%v after %d", last, len(s.sent))
	}
	for range c.Orders.Pages(t.Context(), sdk.ListOrdersParams{}) {
		break
	}
	if len(s.sent) != 3 {
		t.Errorf("%d sent after leaving the loop", len(s.sent))
	}
}

func TestPageAtATime(t *testing.T) {
	c, s := connect(
		t,
		ok(`{"data":[`+orderJSON+`],"has_more":true,"next_cursor":"c3"}`),
		ok(`{"data":[],"has_more":false}`),
	)
	cursor := "c2"
	page, err := c.Orders.Page(t.Context(), sdk.ListOrdersParams{Cursor: &cursor})
	if err != nil || len(page.Items) != 1 || !page.HasNext() || len(s.sent) != 1 {
		t.Fatal(page, err)
	}
	if page, err = page.Next(t.Context()); err != nil || page.HasNext() {
		t.Fatal(page, err)
	}
	if _, err := page.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last page: %v", err)
	}
	if s.sent[0].uri != "/orders?cursor=c2" || s.sent[1].uri != "/orders?cursor=c3" {
		t.Errorf("sent %v", s.sent)
	}
}

func TestAbsentNullAndValue(t *testing.T) {
	c, s := connect(t, ok(`{"id":"cus_1"}`))
	name := "Ada"
	update := sdk.UpdateCustomerRequest{Name: &name, Phone: wire.Null[string](), BirthDate: wire.Value(wire.Date{Year: 1990, Month: time.December, Day: 10})}
	if _, err := c.Customers.Update(t.Context(), "cus_1", update, sdk.UpdateCustomerParams{}); err != nil {
		t.Fatal(err)
	}
	if s.sent[0].method != "PATCH" || s.sent[0].body != `{"birth_date":"1990-12-10","name":"Ada","phone":null}` {
		t.Errorf("sent %+v", s.sent[0])
	}
}

func TestUnion(t *testing.T) {
	c, s := connect(t, ok(`{"id":"pay_1","method":{"type":"crypto","wallet":"w1"}}`))
	number := "4242424242424242"
	body := sdk.CreatePaymentRequest{Amount: 5, Currency: sdk.CurrencyEUR, OrderID: "ord_1", Method: sdk.NewPaymentMethodCard(sdk.Card{Number: &number})}
	payment, err := c.Payments.Create(t.Context(), body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.sent[0].body, `"method":{"number":"4242424242424242","type":"card"}`) {
		t.Errorf("sent %s", s.sent[0].body)
	}
	if _, known := payment.Method.AsCard(); known || payment.Method.IsKnown() || string(payment.Method.Raw()) != `{"type":"crypto","wallet":"w1"}` {
		t.Errorf("method %s", payment.Method.Raw())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, sdk.Card{Number: &number}); strings.Contains(text, "4242") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
	var read sdk.PaymentMethod
	if err := json.Unmarshal([]byte(`{"type":"bank_transfer","iban":"NL1"}`), &read); err != nil {
		t.Fatal(err)
	}
	if transfer, known := read.AsBankTransfer(); !known || transfer.IBAN != "NL1" {
		t.Errorf("%v", transfer)
	}
}

func TestFiles(t *testing.T) {
	c, s := connect(t, reply{status: 429, header: map[string]string{"Retry-After": "0"}}, ok(`{"id":"doc_1"}`))
	upload := sdk.UploadDocumentRequest{File: wire.FromBytes("id.pdf", []byte("%PDF")), Kind: "contract", Labels: []string{"a", "b"}}
	if _, err := c.Documents.Upload(t.Context(), "cus_1", upload); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`filename="id.pdf"`, "%PDF", `["a","b"]`} {
		if !strings.Contains(s.sent[1].body, part) {
			t.Errorf("%s is not in %s", part, s.sent[1].body)
		}
	}
	if s.sent[0].body != s.sent[1].body || s.sent[0].key != s.sent[1].key {
		t.Error("the second attempt differs from the first")
	}

	c, _ = connect(t, reply{status: 200, contentType: "application/pdf", body: "%PDF", header: map[string]string{"Content-Disposition": `attachment; filename="../id.pdf"`}})
	file, err := c.Documents.Download(t.Context(), "doc_1", sdk.DownloadDocumentParams{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil || string(content) != "%PDF" || file.Name != "id.pdf" || file.Size != 4 || file.ContentType != "application/pdf" {
		t.Errorf("%q %+v %v", content, file, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

func TestStreams(t *testing.T) {
	// The document calls the stream endless, so its end is a break, and 204 ends it.
	c, s := connect(t, reply{
		status: 200, contentType: "text/event-stream",
		body: "id: 1\nevent: order\ndata: {\"order_id\":\"o1\",\"type\":\"order.paid\",\"at\":\"2026-01-02T03:04:05Z\"}\n\n: ping\n\nid: 2\ndata: {\"order_id\":\"o2\",\"type\":\"order.new\"}\n\n",
	}, reply{status: 204})
	var got []string
	for event, err := range c.Orders.Watch(t.Context(), sdk.WatchOrdersParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, event.ID+" "+event.Data.OrderID+" "+string(event.Data.Type))
	}
	if want := []string{"1 o1 order.paid", "2 o2 order.new"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(s.sent); n != 2 || s.sent[1].header.Get("Last-Event-ID") != "2" {
		t.Errorf("%d requests, want a second one that names the last event", n)
	}

	c, _ = connect(t, reply{status: 200, contentType: "application/x-ndjson", body: "{\"number\":1,\"amount\":-5}\n{\"number\":2}\n"})
	var sum int64
	for entry, err := range c.Ledger.Stream(t.Context(), sdk.StreamLedgerParams{Day: wire.Date{Year: 2026, Month: time.January, Day: 2}}) {
		if err != nil {
			t.Fatal(err)
		}
		sum += entry.Number
	}
	if sum != 3 {
		t.Errorf("sum %d", sum)
	}
}

func TestJob(t *testing.T) {
	c, s := connect(t,
		reply{status: 202, contentType: "application/json", body: `{"id":"exp_1","status":"running"}`, header: map[string]string{"Retry-After": "0"}},
		ok(`{"id":"exp_1","status":"done","url":"https://files.shop.example/1"}`),
	)
	export, err := c.Exports.Wait(t.Context(), "exp_1")
	if err != nil || export.Status != "done" || len(s.sent) != 2 {
		t.Errorf("%+v after %d, %v", export, len(s.sent), err)
	}
	c, _ = connect(t, ok(`{"id":"exp_1","status":"failed"}`))
	var failed *client.JobError
	if _, err := c.Exports.Wait(t.Context(), "exp_1"); !errors.As(err, &failed) || failed.Status != "failed" {
		t.Errorf("%v", err)
	}
}

func TestWebhooks(t *testing.T) {
	secret := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	verifier, err := webhook.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		body  string
		known bool
	}{
		{`{"type":"order.confirmed","timestamp":"2026-01-02T03:04:05Z","data":` + orderJSON + `}`, true},
		{`{"type":"order.eaten","timestamp":"2026-01-02T03:04:05Z","data":{}}`, false},
	} {
		header, err := webhook.Sign(secret, "msg_1", time.Now(), []byte(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		event, err := sdk.ParseWebhook(header, []byte(tt.body), verifier.Verify)
		if err != nil || event.ID != "msg_1" || (event.OrderConfirmed != nil) != tt.known || !bytes.Equal(event.Raw, []byte(tt.body)) {
			t.Errorf("%+v %v", event, err)
		}
		if _, err := sdk.ParseWebhook(header, []byte(tt.body+" "), verifier.Verify); !errors.Is(err, webhook.ErrNoSignature) {
			t.Errorf("a changed body: %v", err)
		}
	}
}

func TestHeaders(t *testing.T) {
	c, _ := connect(t, reply{status: 200, contentType: "application/json", body: orderJSON, header: map[string]string{"ETag": `"v7"`, "Idempotent-Replayed": "true"}})
	var info sdk.ResponseInfo
	if _, err := c.Orders.Create(t.Context(), sdk.CreateOrderRequest{}, sdk.WithResponse(&info)); err != nil {
		t.Fatal(err)
	}
	etag, tagged := sdk.HeadersOf(&info).ETag()
	replayed, told := sdk.HeadersOf(&info).IdempotentReplayed()
	if _, there := sdk.HeadersOf(&info).Location(); etag != `"v7"` || !tagged || !replayed || !told || there || !info.Replayed {
		t.Errorf("%q %v %v %v %v", etag, tagged, replayed, told, there)
	}
}

func TestTextAnswer(t *testing.T) {
	c, _ := connect(t, reply{status: 200, contentType: "text/plain; charset=utf-8", body: "ok"})
	if text, err := c.System.GetHealth(t.Context()); err != nil || text != "ok" {
		t.Errorf("%q %v", text, err)
	}
}

// fakeOrders stands in for the service in a program's own tests.
type fakeOrders struct {
	sdk.OrdersAPI

	created []string
}

func (f *fakeOrders) Create(_ context.Context, body sdk.CreateOrderRequest, _ ...sdk.Option) (*sdk.Order, error) {
	f.created = append(f.created, body.OrderRef)
	return &sdk.Order{OrderRef: body.OrderRef}, nil
}

func TestServicesCanBeFaked(t *testing.T) {
	fake := &fakeOrders{}
	place := func(orders sdk.OrdersAPI) error {
		_, err := orders.Create(t.Context(), sdk.CreateOrderRequest{OrderRef: "r1"})
		return err
	}
	if err := place(fake); err != nil || len(fake.created) != 1 {
		t.Errorf("%v %v", fake.created, err)
	}
}

// The fake answers by a script, and with what the document shows.
func TestFake(t *testing.T) {
	fake := sdk.Fake()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	c, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithEnv(nil), sdk.WithBearerToken("t"), sdk.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	fake.Script("createOrder", fakeserver.Answer{Status: 503}, fakeserver.Answer{Drop: true})
	var info sdk.ResponseInfo
	order, err := c.Orders.Create(t.Context(), sdk.CreateOrderRequest{OrderRef: "r"}, sdk.WithResponse(&info))
	if err != nil || len(fake.Requests("createOrder")) != 3 {
		t.Fatal(order, err)
	}
	if order.CustomerID != "cus_9f2" || order.Lines[0].SKU != "lamp-1" || order.Status != sdk.OrderStatusConfirmed {
		t.Errorf("the document shows another order than %+v", order)
	}
	if at, ok := sdk.HeadersOf(&info).Location(); !ok || at != "/v1/orders/ord_17" || info.Replayed {
		t.Errorf("location %q, replayed %t", at, info.Replayed)
	}
	payment, err := c.Payments.Get(t.Context(), "pay_1")
	if err != nil {
		t.Fatal(err)
	}
	if card, ok := payment.Method.AsCard(); !ok || *card.Last4 != "4242" {
		t.Errorf("method %s", payment.Method.Raw())
	}
	export, err := c.Exports.Wait(t.Context(), "exp_3")
	if err != nil || export.Status != sdk.ExportStatusDone {
		t.Errorf("%+v %v", export, err)
	}
}

// Each operation is called against the fake, and each answer decodes; lists and streams come to an end.
func TestFakeAnswersEverything(t *testing.T) {
	fake := sdk.Fake()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	c, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithEnv(nil), sdk.WithBearerToken("t"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	called := map[string]error{
		"listCustomers":        drain(t, c.Customers.All(ctx, sdk.ListCustomersParams{})),
		"listProducts":         drain(t, c.Products.All(ctx, sdk.ListProductsParams{})),
		"listOrders":           drain(t, c.Orders.All(ctx, sdk.ListOrdersParams{})),
		"listRefunds":          drain(t, c.Refunds.All(ctx, sdk.ListRefundsParams{})),
		"watchOrders":          drain(t, c.Orders.Watch(ctx, sdk.WatchOrdersParams{})),
		"streamLedger":         drain(t, c.Ledger.Stream(ctx, sdk.StreamLedgerParams{Day: wire.Date{Year: 2026, Month: time.March, Day: 1}})),
		"createCustomer":       failure(c.Customers.Create(ctx, sdk.CreateCustomerRequest{})),
		"searchCustomers":      failure(c.Customers.Search(ctx, sdk.CustomerSearch{})),
		"getCustomer":          failure(c.Customers.Get(ctx, "1")),
		"deleteCustomer":       c.Customers.Delete(ctx, "1"),
		"updateCustomer":       failure(c.Customers.Update(ctx, "1", sdk.UpdateCustomerRequest{}, sdk.UpdateCustomerParams{})),
		"appendCustomerNotes":  failure(c.Customers.AppendNotes(ctx, "1", nil)),
		"uploadDocument":       failure(c.Documents.Upload(ctx, "1", sdk.UploadDocumentRequest{File: wire.FromBytes("a", nil)})),
		"downloadDocument":     failure(c.Documents.Download(ctx, "1", sdk.DownloadDocumentParams{})),
		"getProductCategories": failure(c.Products.GetCategories(ctx)),
		"getProduct":           failure(c.Products.Get(ctx, "1")),
		"setProductStock":      failure(c.Products.SetStock(ctx, "1", nil)),
		"adjustProductStock":   failure(c.Products.AdjustStock(ctx, "1", sdk.StockAdjustment{})),
		"confirmOrder":         failure(c.Orders.Confirm(ctx, sdk.ConfirmOrderRequest{OrderRef: "r"})),
		"createOrder":          failure(c.Orders.Create(ctx, sdk.CreateOrderRequest{})),
		"getOrder":             failure(c.Orders.Get(ctx, "1", sdk.GetOrderParams{})),
		"cancelOrder":          failure(c.Orders.Cancel(ctx, "1", nil)),
		"remindOrder":          failure(c.Orders.Remind(ctx, "1")),
		"createPayment":        failure(c.Payments.Create(ctx, sdk.CreatePaymentRequest{})),
		"getPayment":           failure(c.Payments.Get(ctx, "1")),
		"capturePayment":       failure(c.Payments.Capture(ctx, "1", nil)),
		"createRefund":         failure(c.Refunds.Create(ctx, "1", sdk.CreateRefundRequest{})),
		"createExport":         failure(c.Exports.Create(ctx, sdk.CreateExportRequest{})),
		"getExport":            failure(c.Exports.Get(ctx, "1")),
		"getHealth":            failure(c.System.GetHealth(ctx)),
	}
	for id, err := range called {
		if err != nil || len(fake.Requests(id)) == 0 {
			t.Errorf("%s: %d requests, %v", id, len(fake.Requests(id)), err)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

// drain reads all of a list or a stream; one without items is a failure.
func drain[T any](t *testing.T, items iter.Seq2[T, error]) error {
	t.Helper()
	n := 0
	for _, err := range items {
		if err != nil {
			return err
		}
		if n++; n > 10 {
			return errors.New("it does not end")
		}
	}
	if n == 0 {
		return errors.New("there is nothing in it")
	}
	return nil
}
