package contract_test

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/contract"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// caller makes the calls of one test; a call that fails ends it.
type caller struct {
	*testing.T

	shop *sdk.Client
	now  time.Time
}

// must gives back what a call gave.
func must[R any](c *caller) func(R, error) R {
	return func(result R, err error) R {
		c.Helper()
		if err != nil {
			c.Fatal(err)
		}
		return result
	}
}

// TestSDKFollowsTheDocument calls each operation through the SDK. What goes over the wire is held against openapi.yaml
// by a validator that no one here wrote, and the answers come from types that are not the SDK's.
func TestSDKFollowsTheDocument(t *testing.T) {
	now := time.Date(2026, 2, 28, 9, 30, 0, 0, time.UTC)
	s, err := shop.New(t.Context(), shop.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	checker := contract.New(t, s)
	server := httptest.NewServer(checker)
	defer server.Close()
	client, err := sdk.New(sdk.WithBaseURL(server.URL+"/v1"), sdk.WithBearerToken("t"), sdk.WithAPIKey("k"), sdk.WithEnv(nil))
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{T: t, shop: client, now: now}
	ctx := t.Context()
	customer := c.customers(ctx)
	c.documents(ctx, customer)
	c.products(ctx)
	order := c.orders(ctx, customer)
	c.payments(ctx, order)
	c.rest(ctx)
	// The stream of order events does not end; the streaming example reads it.
	if unseen := checker.Unseen("watchOrders"); len(unseen) > 0 {
		t.Errorf("not called: %v", unseen)
	}
}

func (c *caller) customers(ctx context.Context) *sdk.Customer {
	c.Helper()
	birthday := must[wire.Date](c)(wire.ParseDate("1990-12-10"))
	created := must[*sdk.Customer](c)(c.shop.Customers.Create(ctx, sdk.CreateCustomerRequest{
		Name: "Ada Example", Email: "ada@example.com", BirthDate: &birthday, Kind: new(sdk.CustomerKindPerson),
		Address:  &sdk.Address{Line1: "1 Long Street", City: "Utrecht", Country: "NL", PostalCode: new("3511 AB")},
		Metadata: sdk.Metadata{"crm_id": "4711"}, Password: new("long enough for a shop"),
	}))
	got := must[*sdk.Customer](c)(c.shop.Customers.Get(ctx, created.ID))
	if !reflect.DeepEqual(got, created) || got.Metadata["crm_id"] != "4711" || !got.CreatedAt.Equal(c.now) {
		c.Errorf("got %+v, created %+v", got, created)
	}
	changed := must[*sdk.Customer](c)(c.shop.Customers.Update(ctx, created.ID, sdk.UpdateCustomerRequest{
		Phone: wire.Value("+31 30 1234567"), BirthDate: wire.Null[wire.Date](),
		Preferences: &sdk.Preferences{Language: new("nl"), AdditionalProperties: map[string]bool{"sms": true}},
	}, sdk.UpdateCustomerParams{IfMatch: new(`"1"`)}))
	if phone, ok := changed.Phone.Get(); !ok || phone != "+31 30 1234567" || !changed.BirthDate.IsNull() || !changed.Preferences.AdditionalProperties["sms"] {
		c.Errorf("changed to %+v", changed)
	}
	other := must[*sdk.Customer](c)(c.shop.Customers.Create(ctx, sdk.CreateCustomerRequest{Name: "Bo Example", Email: "bo@example.com"}))
	var names []string
	for one, err := range c.shop.Customers.All(ctx, sdk.ListCustomersParams{Limit: new(int32(1))}) {
		if err != nil {
			c.Fatal(err)
		}
		names = append(names, one.Name)
	}
	if !reflect.DeepEqual(names, []string{"Ada Example", "Bo Example"}) {
		c.Errorf("listed %v", names)
	}
	found := must[*sdk.CustomerSearchResult](c)(c.shop.Customers.Search(ctx, sdk.CustomerSearch{
		Filters: []sdk.Filter{{Field: "metadata.crm_id", Operator: sdk.FilterOperatorEquals, Value: sdk.NewFilterValueString("4711")}},
		Match:   new(sdk.CustomerSearchMatchAny),
	}))
	if len(found.Data) != 1 || found.Data[0].ID != created.ID {
		c.Errorf("found %+v", found)
	}
	notes := must[[]sdk.Note](c)(c.shop.Customers.AppendNotes(ctx, created.ID, []sdk.Note{{Text: "Called.", Author: new("sam")}}))
	if len(notes) != 1 || notes[0].WrittenAt == nil {
		c.Errorf("notes %+v", notes)
	}
	if err := c.shop.Customers.Delete(ctx, other.ID); err != nil {
		c.Fatal(err)
	}
	return created
}

func (c *caller) documents(ctx context.Context, customer *sdk.Customer) {
	c.Helper()
	content := bytes.Repeat([]byte("%PDF"), 1000)
	stored := must[*sdk.Document](c)(c.shop.Documents.Upload(ctx, customer.ID, sdk.UploadDocumentRequest{
		File: wire.FromBytes("contract.pdf", content), Kind: sdk.DocumentKindContract, Title: new("Contract"), Labels: []string{"signed", "2026"},
	}))
	download, err := c.shop.Documents.Download(ctx, stored.ID, sdk.DownloadDocumentParams{Disposition: new(sdk.DispositionInline)})
	if err != nil {
		c.Fatal(err)
	}
	got := must[[]byte](c)(io.ReadAll(download))
	if err := download.Close(); err != nil || !bytes.Equal(got, content) || stored.Size != int64(len(content)) || len(stored.Labels) != 2 {
		c.Errorf("%d bytes of %+v, %v", len(got), stored, err)
	}
}

func (c *caller) products(ctx context.Context) {
	c.Helper()
	page := must[*sdk.ProductPage](c)(c.shop.Products.List(ctx, sdk.ListProductsParams{Tags: []string{"garden", "sale"}}))
	if len(page.Products) != 1 || page.Products[0].SKU != "lamp-1" {
		c.Errorf("page %+v", page)
	}
	chair := must[*sdk.Product](c)(c.shop.Products.Get(ctx, "chair/oak"))
	if chair.Price.Amount != 12900 || chair.VATRate == nil || *chair.VATRate != "0.21" {
		c.Errorf("chair %+v", chair)
	}
	levels := must[sdk.StockLevels](c)(c.shop.Products.SetStock(ctx, "lamp-1", sdk.StockLevels{"AMS1": 40}))
	levels2 := must[sdk.StockLevels](c)(c.shop.Products.AdjustStock(ctx, "lamp-1", sdk.StockAdjustment{Warehouse: "AMS1", Delta: -3}, sdk.WithHeader(shop.FaultHeader, "drop-after")))
	if levels["AMS1"] != 40 || levels2["AMS1"] != 37 {
		c.Errorf("stock %v, then %v; the second answer is lost once", levels, levels2)
	}
	tree := must[*sdk.Category](c)(c.shop.Products.GetCategories(ctx))
	if len(tree.Children) != 2 || len(tree.Children[0].Children) != 2 {
		c.Errorf("tree %+v", tree)
	}
}

func (c *caller) orders(ctx context.Context, customer *sdk.Customer) *sdk.Order {
	c.Helper()
	day := wire.DateOf(c.now)
	created := must[*sdk.Order](c)(c.shop.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: customer.ID, Currency: sdk.CurrencyEUR, DeliverOn: &day,
		Lines:    []sdk.OrderLine{{SKU: "lamp-1", Quantity: 2}},
		Delivery: new(sdk.NewDeliveryPickupPoint(sdk.PickupPoint{PickupPointID: "pp_88"})),
		GiftNote: wire.Value("Happy birthday!"),
	}))
	if point, ok := created.Delivery.AsPickupPoint(); !ok || point.PickupPointID != "pp_88" || created.ConfirmedAt != nil {
		c.Errorf("created %+v", created)
	}
	second := must[*sdk.Order](c)(c.shop.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-2", CustomerID: customer.ID, Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	}))
	confirmed := must[*sdk.Order](c)(c.shop.Orders.Confirm(ctx, sdk.ConfirmOrderRequest{OrderRef: "web-1"}))
	again := must[*sdk.Order](c)(c.shop.Orders.Confirm(ctx, sdk.ConfirmOrderRequest{OrderRef: "web-1"}))
	if confirmed.ConfirmedAt == nil || !reflect.DeepEqual(confirmed, again) {
		c.Errorf("confirmed %+v, again %+v: the event's key brings the same answer", confirmed, again)
	}
	cancelled := must[*sdk.Order](c)(c.shop.Orders.Cancel(ctx, second.ID, &sdk.CancelOrderRequest{Reason: new(sdk.CancelOrderRequestReasonCustomerRequest)}))
	reminder := must[*sdk.Reminder](c)(c.shop.Orders.Remind(ctx, created.ID))
	if cancelled.Status != sdk.OrderStatusCancelled || reminder.Number != 1 || reminder.SentTo != customer.Email {
		c.Errorf("cancelled %+v, reminded %+v", cancelled, reminder)
	}
	from := c.now.Add(-time.Hour)
	list := must[*sdk.OrderList](c)(c.shop.Orders.List(ctx, sdk.ListOrdersParams{
		Status: []sdk.OrderStatus{sdk.OrderStatusConfirmed, sdk.OrderStatusPaid}, Created: &sdk.TimeRange{From: &from}, CustomerID: &customer.ID,
	}))
	if len(list.Data) != 1 || list.Data[0].ID != created.ID {
		c.Errorf("listed %+v", list)
	}
	return created
}

func (c *caller) payments(ctx context.Context, order *sdk.Order) {
	c.Helper()
	reserved := must[*sdk.Payment](c)(c.shop.Payments.Create(ctx, sdk.CreatePaymentRequest{
		OrderID: order.ID, Amount: order.Total.Amount, Currency: order.Total.Currency, Capture: new(false),
		Method: sdk.NewPaymentMethodCard(sdk.Card{Number: new("4242424242424242"), ExpiryMonth: new(int32(12)), ExpiryYear: new(int32(2030))}),
	}))
	if card, ok := reserved.Method.AsCard(); !ok || card.Last4 == nil || *card.Last4 != "4242" || card.Number != nil {
		c.Errorf("reserved %+v", reserved)
	}
	captured := must[*sdk.Payment](c)(c.shop.Payments.Capture(ctx, reserved.ID, nil))
	for range 3 {
		refund := must[*sdk.Refund](c)(c.shop.Refunds.Create(ctx, captured.ID, sdk.CreateRefundRequest{Amount: 100, Reason: new(sdk.RefundReasonGoodwill)}))
		if refund.Amount != 100 || refund.PaymentID != captured.ID {
			c.Errorf("refund %+v", refund)
		}
	}
	refunds := 0
	for _, err := range c.shop.Refunds.All(ctx, sdk.ListRefundsParams{Limit: new(int32(2))}) {
		if err != nil {
			c.Fatal(err)
		}
		refunds++
	}
	got := must[*sdk.Payment](c)(c.shop.Payments.Get(ctx, captured.ID))
	if refunds != 3 || got.RefundedAmount == nil || *got.RefundedAmount != 300 {
		c.Errorf("%d refunds of %+v", refunds, got)
	}
	whole := must[*sdk.Order](c)(c.shop.Orders.Get(ctx, order.ID, sdk.GetOrderParams{Expand: []sdk.GetOrderExpandItem{sdk.GetOrderExpandItemCustomer, "payments"}}))
	if whole.Customer == nil || len(whole.Payments) != 1 || whole.Status != sdk.OrderStatusPaid {
		c.Errorf("whole order %+v", whole)
	}
}

func (c *caller) rest(ctx context.Context) {
	c.Helper()
	var numbers []int64
	for entry, err := range c.shop.Ledger.Stream(ctx, sdk.StreamLedgerParams{Day: wire.DateOf(c.now)}) {
		if err != nil {
			c.Fatal(err)
		}
		numbers = append(numbers, entry.Number)
	}
	if len(numbers) != 4 || numbers[0] != 1<<53+1 {
		c.Errorf("ledger %v, want four numbers from 2^53+1 without loss", numbers)
	}
	export := must[*sdk.Export](c)(c.shop.Exports.Create(ctx, sdk.CreateExportRequest{Kind: sdk.CreateExportRequestKindOrders}))
	first := must[*sdk.Export](c)(c.shop.Exports.Get(ctx, export.ID))
	done := must[*sdk.Export](c)(c.shop.Exports.Wait(ctx, export.ID))
	if first.Status != sdk.ExportStatusRunning || done.Status != sdk.ExportStatusDone || done.DownloadURL == nil {
		c.Errorf("export %+v, then %+v", first, done)
	}
	if health := must[string](c)(c.shop.System.GetHealth(ctx)); health != "ok" {
		c.Errorf("health %q", health)
	}
}
