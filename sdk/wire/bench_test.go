package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// The same order twice: as somebody would write it by hand, and as the generator writes it.

type handOrder struct {
	ID       string            `json:"id"`
	Ref      string            `json:"order_ref"`
	Status   string            `json:"status"`
	Currency string            `json:"currency"`
	Total    int64             `json:"total"`
	Discount *int64            `json:"discount,omitempty"`
	Note     *string           `json:"note,omitempty"`
	Paid     bool              `json:"paid"`
	Rate     float64           `json:"rate"`
	Created  time.Time         `json:"created_at"`
	Updated  *time.Time        `json:"updated_at,omitempty"`
	Lines    []handLine        `json:"lines"`
	Customer *handCustomer     `json:"customer,omitempty"`
	Tags     []string          `json:"tags,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

type handLine struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int32  `json:"quantity"`
	Price    int64  `json:"price"`
}

type handCustomer struct {
	ID    string  `json:"id"`
	Email string  `json:"email"`
	Phone *string `json:"phone,omitempty"`
}

type genOrder struct {
	ID       string                     `json:"id"`
	Ref      string                     `json:"order_ref"`
	Status   string                     `json:"status"`
	Currency string                     `json:"currency"`
	Total    int64                      `json:"total"`
	Discount *int64                     `json:"discount,omitempty"`
	Note     *string                    `json:"note,omitempty"`
	Paid     bool                       `json:"paid"`
	Rate     float64                    `json:"rate"`
	Created  time.Time                  `json:"created_at"`
	Updated  *time.Time                 `json:"updated_at,omitempty"`
	Lines    []genLine                  `json:"lines"`
	Customer *genCustomer               `json:"customer,omitempty"`
	Tags     []string                   `json:"tags,omitempty"`
	Metadata map[string]string          `json:"metadata,omitempty"`
	Extra    map[string]json.RawMessage `json:"-"                    wire:"extra"`
}

func (v *genOrder) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v genOrder) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }

type genLine struct {
	SKU      string                     `json:"sku"`
	Name     string                     `json:"name"`
	Quantity int32                      `json:"quantity"`
	Price    int64                      `json:"price"`
	Extra    map[string]json.RawMessage `json:"-"        wire:"extra"`
}

func (v *genLine) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v genLine) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }

type genCustomer struct {
	ID    string                     `json:"id"`
	Email string                     `json:"email"`
	Phone *string                    `json:"phone,omitempty"`
	Extra map[string]json.RawMessage `json:"-"               wire:"extra"`
}

func (v *genCustomer) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v genCustomer) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }

const orderText = `{"id":"ord_01HQ3K5V7Z","order_ref":"web-2026-000123","status":"confirmed","currency":"EUR",` +
	`"total":129900,"discount":500,"note":"Leave it at the neighbour\u0027s, no. 12","paid":true,"rate":0.19,` +
	`"created_at":"2026-03-01T09:30:00Z","updated_at":"2026-03-01T09:31:07.123Z","lines":[` +
	`{"sku":"A-1001","name":"Kettle, 1.7 l","quantity":1,"price":4990},` +
	`{"sku":"B-2002","name":"Café press","quantity":2,"price":3250},` +
	`{"sku":"C-3003","name":"Grinder","quantity":1,"price":118910}],` +
	`"customer":{"id":"cus_77","email":"ann@example.com","phone":"+49 30 123456"},` +
	`"tags":["gift","express"],"metadata":{"channel":"web","campaign":"spring"}}`

// A typed call may cost at most 8 allocations more than encoding/json by hand; that is meant for the whole call, so the
// codec alone may cost none.
func TestAllocations(t *testing.T) {
	data := []byte(orderText)
	var hand handOrder
	var gen genOrder
	byHand := testing.AllocsPerRun(100, func() { hand = handOrder{}; _ = json.Unmarshal(data, &hand) })
	own := testing.AllocsPerRun(100, func() { gen = genOrder{}; _ = wire.Unmarshal(data, &gen) })
	if own > byHand {
		t.Errorf("Unmarshal: %v allocations, encoding/json by hand %v", own, byHand)
	}
	byHand = testing.AllocsPerRun(100, func() { _, _ = json.Marshal(&hand) })
	own = testing.AllocsPerRun(100, func() { _, _ = wire.Marshal(&gen) })
	if own > byHand {
		t.Errorf("Marshal: %v allocations, encoding/json by hand %v", own, byHand)
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	data := []byte(orderText)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("encoding-json-by-hand", func() error { var o handOrder; return json.Unmarshal(data, &o) })
	run("wire-generated", func() error { var o genOrder; return wire.Unmarshal(data, &o) })
	run("encoding-json-generated", func() error { var o genOrder; return json.Unmarshal(data, &o) })
	data = []byte(orderText[:len(orderText)-1] + `,"new":{"a":[1,2,3]},"newer":"text","newest":1.50}`)
	run("unknown-members/encoding-json-by-hand", func() error { var o handOrder; return json.Unmarshal(data, &o) })
	run("unknown-members/wire-generated", func() error { var o genOrder; return wire.Unmarshal(data, &o) })
	data = []byte("[" + strings.Repeat(orderText+",", 99) + orderText + "]")
	run("100-orders/encoding-json-by-hand", func() error { var o []handOrder; return json.Unmarshal(data, &o) })
	run("100-orders/wire-generated", func() error { var o []genOrder; return wire.Unmarshal(data, &o) })
}

func BenchmarkMarshal(b *testing.B) {
	var hand handOrder
	var gen genOrder
	if err := json.Unmarshal([]byte(orderText), &hand); err != nil {
		b.Fatal(err)
	}
	if err := wire.Unmarshal([]byte(orderText), &gen); err != nil {
		b.Fatal(err)
	}
	run := func(name string, f func() ([]byte, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(orderText)))
			for b.Loop() {
				if _, err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("encoding-json-by-hand", func() ([]byte, error) { return json.Marshal(&hand) })
	run("wire-generated", func() ([]byte, error) { return wire.Marshal(&gen) })
	run("wire-generated-by-value", func() ([]byte, error) { return wire.Marshal(gen) })
	run("encoding-json-generated", func() ([]byte, error) { return json.Marshal(&gen) })
}

func BenchmarkAddParams(b *testing.B) {
	type list struct {
		Limit  *int     `query:"limit"`
		Cursor *string  `query:"cursor"`
		Status []string `query:"status,explode=false"`
		Match  *string  `header:"If-None-Match"`
	}
	limit, cursor := 100, "eyJpZCI6Im9yZF8xIn0="
	in := list{Limit: &limit, Cursor: &cursor, Status: []string{"open", "paid"}}
	b.ReportAllocs()
	for b.Loop() {
		var p wire.Params
		if err := wire.AddParams(&p, &in); err != nil {
			b.Fatal(err)
		}
	}
}
