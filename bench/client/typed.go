package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/retrysafe/retrysafe/bench/internal/page"
	"github.com/retrysafe/retrysafe/sdk"
)

// The bars for a generated call against the same one written by hand.
const (
	maxTypedCPU    = 1.2
	maxTypedAllocs = 8
)

const (
	shop      = "https://shop.test/v1"
	token     = "tok_0123456789"
	userAgent = "shop-client/1.0"
)

// typedCall is one operation of the reference API, called in two ways.
type typedCall struct {
	name      string
	generated func(base http.RoundTripper) func() (any, error)
	byHand    func(base http.RoundTripper, careful bool) func() (any, error)
}

func typedCalls() []typedCall {
	return []typedCall{
		{
			name: "create an order",
			generated: func(base http.RoundTripper) func() (any, error) {
				shop := generatedClient(base)

				return func() (any, error) { return shop.Orders.Create(context.Background(), newOrder()) }
			},
			byHand: func(base http.RoundTripper, careful bool) func() (any, error) {
				client := &http.Client{Transport: base}

				return func() (any, error) {
					body, err := json.Marshal(newPlainOrder())
					if err != nil {
						return nil, err
					}

					return exchange(client, http.MethodPost, shop+"/orders", body, careful)
				}
			},
		},
		{
			name: "get an order",
			generated: func(base http.RoundTripper) func() (any, error) {
				shop := generatedClient(base)

				return func() (any, error) {
					return shop.Orders.Get(context.Background(), "ord_1042", sdk.GetOrderParams{})
				}
			},
			byHand: func(base http.RoundTripper, careful bool) func() (any, error) {
				client := &http.Client{Transport: base}

				return func() (any, error) {
					return exchange(client, http.MethodGet, shop+"/orders/"+"ord_1042", nil, careful)
				}
			},
		},
	}
}

func generatedClient(base http.RoundTripper) *sdk.Client {
	client, err := sdk.New(
		sdk.WithBaseURL(shop), sdk.WithBearerToken(token), sdk.WithTransport(base),
		sdk.WithEnv(func(string) string { return "" }),
	)
	if err != nil {
		panic(err) // the options are constants
	}

	return client
}

// exchange sends and reads as a program does that was written with care for this one API. careful adds what the
// generated client does as well: the limits of the call and of its attempt, and a key.
func exchange(client *http.Client, method, url string, body []byte, careful bool) (*plainOrder, error) {
	ctx := context.Background()

	if careful {
		whole, cancelWhole := context.WithTimeout(ctx, deadline)
		defer cancelWhole()

		attempt, cancelAttempt := context.WithTimeout(whole, attemptTimeout)
		defer cancelAttempt()

		ctx = attempt
	}

	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}

	req, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("User-Agent", userAgent)

	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}

	if careful && body != nil {
		req.Header.Set(keyHeader, uuid.NewString())
	}

	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}

	answer, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}

	if err != nil {
		return nil, err
	}

	if resp.StatusCode/100 != 2 {
		return nil, statusError(resp.StatusCode)
	}

	order := new(plainOrder)
	if err := json.Unmarshal(answer, order); err != nil {
		return nil, err
	}

	return order, nil
}

// typed is the table of the generated calls.
func typed(e effort) (string, error) {
	e.ops = max(e.ops/4, 1)

	var (
		rows [][]string
		bars []bar
	)

	for _, call := range typedCalls() {
		var (
			bare      = call.name + ", by hand, no limits, no key"
			byHand    = call.name + ", by hand"
			generated = call.name + ", **generated**"
		)

		costs, err := measure([]subject{
			{bare, discard(call.byHand(orderStub{}, false))},
			{byHand, discard(call.byHand(orderStub{}, true))},
			{generated, discard(call.generated(orderStub{}))},
		}, byHand, e)
		if err != nil {
			return "", err
		}

		for _, name := range []string{bare, byHand, generated} {
			got := costs[name]
			rows = append(rows, []string{name, number(got.allocs), number(got.bytes), ratio(got.ratio), nanos(got.cpu)})
		}

		us, hand := costs[generated], costs[byHand]
		bars = append(
			bars,
			bar{
				call.name + ": allocations, at most 8 more than by hand", number(hand.allocs + maxTypedAllocs), number(us.allocs),
				round(us.allocs) <= round(hand.allocs)+maxTypedAllocs,
			},
			bar{call.name + ": CPU, at most 1.2 times that by hand", ratio(maxTypedCPU), ratio(us.ratio), us.ratio <= maxTypedCPU},
		)
	}

	return page.Table([]string{"call", "allocs", "bytes", "CPU, by hand = 1", "CPU time"}, rows) + "\n" + judge(bars), nil
}

func discard(call func() (any, error)) func() error {
	return func() error {
		_, err := call()

		return err
	}
}

// orderStub answers every request with an order.
type orderStub struct{}

func (orderStub) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := stub{}.RoundTrip(req)
	if err != nil {
		return nil, err
	}

	body := new(stubBody)
	body.Reset(orderAnswer)

	resp.Header["Content-Type"] = jsonType
	resp.Body, resp.ContentLength = body, int64(len(orderAnswer))

	return resp, nil
}

var jsonType = []string{"application/json"}

const orderAnswer = `{"id":"ord_1042","created_at":"2026-11-30T12:00:00Z","confirmed_at":null,"customer_id":"cus_77",` +
	`"order_ref":"web-2026-1042","status":"draft","total":{"amount":12650,"currency":"EUR"},"deliver_on":"2026-12-04",` +
	`"delivery":{"line1":"Harbour Street 12","city":"Aarhus","country":"DK","postal_code":"8000"},` +
	`"gift_note":"Happy birthday","metadata":{"channel":"web","campaign":"autumn"},"lines":[` +
	`{"sku":"mug-blue","quantity":2,"unit_price":{"amount":1450,"currency":"EUR"}},` +
	`{"sku":"plate-white","quantity":6,"unit_price":{"amount":1175,"currency":"EUR"}},` +
	`{"sku":"bowl-large","quantity":1,"unit_price":{"amount":2700,"currency":"EUR"}}]}`

func newOrder() sdk.CreateOrderRequest {
	code := "8000"

	return sdk.CreateOrderRequest{
		Currency: "EUR", CustomerID: "cus_77", OrderRef: "web-2026-1042",
		Metadata: sdk.Metadata{"channel": "web", "campaign": "autumn"},
		Delivery: new(sdk.NewDeliveryAddress(sdk.Address{Line1: "Harbour Street 12", City: "Aarhus", Country: "DK", PostalCode: &code})),
		Lines: []sdk.OrderLine{
			{SKU: "mug-blue", Quantity: 2}, {SKU: "plate-white", Quantity: 6}, {SKU: "bowl-large", Quantity: 1},
		},
	}
}

// The types that somebody would write by hand for the same documents.
type (
	plainOrder struct {
		ID          string            `json:"id"`
		CreatedAt   time.Time         `json:"created_at"`
		ConfirmedAt *time.Time        `json:"confirmed_at"`
		CustomerID  string            `json:"customer_id"`
		OrderRef    string            `json:"order_ref"`
		Status      string            `json:"status"`
		Total       plainMoney        `json:"total"`
		DeliverOn   *string           `json:"deliver_on,omitempty"`
		Delivery    *plainDelivery    `json:"delivery,omitempty"`
		GiftNote    *string           `json:"gift_note,omitempty"`
		Metadata    map[string]string `json:"metadata,omitempty"`
		Lines       []plainLine       `json:"lines"`
	}
	plainMoney struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
	plainLine struct {
		SKU       string      `json:"sku"`
		Quantity  int32       `json:"quantity"`
		UnitPrice *plainMoney `json:"unit_price,omitempty"`
	}
	plainDelivery struct {
		Line1      string  `json:"line1,omitempty"`
		Line2      *string `json:"line2,omitempty"`
		City       string  `json:"city,omitempty"`
		Country    string  `json:"country,omitempty"`
		PostalCode *string `json:"postal_code,omitempty"`
	}
	plainCreate struct {
		Currency   string            `json:"currency"`
		CustomerID string            `json:"customer_id"`
		OrderRef   string            `json:"order_ref"`
		Metadata   map[string]string `json:"metadata,omitempty"`
		Delivery   *plainDelivery    `json:"delivery,omitempty"`
		Lines      []plainLine       `json:"lines"`
	}
)

func newPlainOrder() plainCreate {
	code := "8000"

	return plainCreate{
		Currency: "EUR", CustomerID: "cus_77", OrderRef: "web-2026-1042",
		Metadata: map[string]string{"channel": "web", "campaign": "autumn"},
		Delivery: &plainDelivery{Line1: "Harbour Street 12", City: "Aarhus", Country: "DK", PostalCode: &code},
		Lines:    []plainLine{{SKU: "mug-blue", Quantity: 2}, {SKU: "plate-white", Quantity: 6}, {SKU: "bowl-large", Quantity: 1}},
	}
}
