package shop

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// state is all that the shop knows. The shop's mutex guards it; handlers hold the mutex from the first read to the
// last write, so each request is one transaction.
type state struct {
	lastID    int
	customers []*customer
	documents map[string]*document
	products  []*product
	orders    []*order
	payments  map[string]*payment
	refunds   []*refund
	ledger    []ledgerEntry
	exports   map[string]*export
	events    []orderEvent
	effects   Effects
}

func newState() state {
	s := state{
		documents: map[string]*document{}, payments: map[string]*payment{}, exports: map[string]*export{}, effects: newEffects(),
	}
	s.products = catalogue()
	return s
}

// id makes the next identifier. They are sequential so that a test can tell them apart at a glance.
func (s *state) id(prefix string) string {
	s.lastID++
	return prefix + "_" + strconv.FormatInt(int64(s.lastID), 36)
}

type money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

type customer struct {
	ID          string            `json:"id"`
	CreatedAt   time.Time         `json:"created_at"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Name        string            `json:"name"`
	Email       string            `json:"email"`
	Kind        string            `json:"kind"`
	Phone       *string           `json:"phone"`
	BirthDate   *string           `json:"birth_date"`
	Address     json.RawMessage   `json:"address"`
	Preferences json.RawMessage   `json:"preferences,omitempty"`

	version int
	notes   []note
}

func (c *customer) etag() string { return fmt.Sprintf("%q", strconv.Itoa(c.version)) }

type note struct {
	Text      string    `json:"text"`
	Author    string    `json:"author,omitempty"`
	WrittenAt time.Time `json:"written_at"`
}

type document struct {
	ID         string    `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	CustomerID string    `json:"customer_id"`
	Kind       string    `json:"kind"`
	Title      string    `json:"title,omitempty"`
	Labels     []string  `json:"labels,omitempty"`
	Size       int64     `json:"size"`
	SHA256     []byte    `json:"sha256"`

	content []byte
}

type product struct {
	SKU        string         `json:"sku"`
	Name       string         `json:"name"`
	Price      money          `json:"price"`
	VATRate    string         `json:"vat_rate"`
	Weight     float64        `json:"weight"`
	Tags       []string       `json:"tags"`
	Stock      map[string]int `json:"stock"`
	Attributes map[string]any `json:"attributes,omitempty"`

	adjusted map[string]bool
}

// catalogue is three products with names and forty parts.
func catalogue() []*product {
	const parts = 40
	products := make([]*product, 0, parts+3)
	products = append(products, []*product{
		{SKU: "chair/oak", Name: "Oak chair", Price: money{12900, "EUR"}, Weight: 6.5, Tags: []string{"wood"}},
		{
			SKU: "lamp-1", Name: "Desk lamp", Price: money{2990, "EUR"}, Weight: 1.2, Tags: []string{"garden", "sale"},
			Attributes: map[string]any{"color": "red", "watts": 7},
		},
	}...)
	for i := range parts {
		products = append(products, &product{
			SKU: fmt.Sprintf("part-%02d", i+1), Name: fmt.Sprintf("Part %d", i+1), Price: money{int64(100 + i), "EUR"},
			Weight: 0.1, Tags: []string{"parts"},
		})
	}
	products = append(products, &product{SKU: "table-1", Name: "Table", Price: money{25900, "EUR"}, Weight: 21})
	for _, p := range products {
		p.VATRate = "0.21"
		p.Stock = map[string]int{"AMS1": 100_000, "NYC2": 100_000}
		p.adjusted = map[string]bool{}
		if p.Tags == nil {
			p.Tags = []string{}
		}
	}
	return products
}

type order struct {
	ID          string            `json:"id"`
	CreatedAt   time.Time         `json:"created_at"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	OrderRef    string            `json:"order_ref"`
	CustomerID  string            `json:"customer_id"`
	Status      string            `json:"status"`
	Lines       []orderLine       `json:"lines"`
	Total       money             `json:"total"`
	Delivery    json.RawMessage   `json:"delivery,omitempty"`
	DeliverOn   string            `json:"deliver_on,omitempty"`
	ConfirmedAt *time.Time        `json:"confirmed_at"`
	GiftNote    *string           `json:"gift_note,omitempty"`
	Customer    *customer         `json:"customer,omitempty"`
	Payments    []*payment        `json:"payments,omitempty"`

	reminders int
	paid      int64
}

type orderLine struct {
	SKU       string `json:"sku"`
	Quantity  int    `json:"quantity"`
	UnitPrice *money `json:"unit_price,omitempty"`
}

type payment struct {
	ID             string            `json:"id"`
	CreatedAt      time.Time         `json:"created_at"`
	Metadata       map[string]string `json:"metadata,omitempty"`
	OrderID        string            `json:"order_id"`
	Status         string            `json:"status"`
	Amount         int64             `json:"amount"`
	Currency       string            `json:"currency"`
	CapturedAmount int64             `json:"captured_amount"`
	RefundedAmount int64             `json:"refunded_amount"`
	Method         map[string]any    `json:"method"`
}

type refund struct {
	ID        string            `json:"id"`
	CreatedAt time.Time         `json:"created_at"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	PaymentID string            `json:"payment_id"`
	Amount    int64             `json:"amount"`
	Currency  string            `json:"currency"`
	Reason    string            `json:"reason,omitempty"`
}

type ledgerEntry struct {
	Number    int64     `json:"number"`
	At        time.Time `json:"at"`
	Account   string    `json:"account"`
	Amount    int64     `json:"amount"`
	Currency  string    `json:"currency"`
	Reference string    `json:"reference,omitempty"`
}

type export struct {
	ID          string    `json:"id"`
	CreatedAt   time.Time `json:"created_at"`
	Status      string    `json:"status"`
	Progress    float32   `json:"progress"`
	DownloadURL string    `json:"download_url,omitempty"`
}

type orderEvent struct {
	Type    string    `json:"type"`
	OrderID string    `json:"order_id"`
	At      time.Time `json:"at"`

	id         int
	customerID string
}

func (s *state) customer(id string) *customer {
	for _, c := range s.customers {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (s *state) product(sku string) *product {
	for _, p := range s.products {
		if p.SKU == sku {
			return p
		}
	}
	return nil
}

func (s *state) order(match func(*order) bool) *order {
	for _, o := range s.orders {
		if match(o) {
			return o
		}
	}
	return nil
}

// book adds an entry to the ledger. Numbers begin above 2^53 so that a client that reads them as floats is found out.
func (s *state) book(at time.Time, account string, amount int64, currency, reference string) {
	s.ledger = append(s.ledger, ledgerEntry{
		Number: 1<<53 + 1 + int64(len(s.ledger)), At: at, Account: account, Amount: amount, Currency: currency, Reference: reference,
	})
}
