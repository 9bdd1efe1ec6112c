package shop

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Kinds of objects in the backend.
const (
	kindCustomer = "customer"
	kindDocument = "document"
	kindProduct  = "product"
	kindOrder    = "order"
	kindPayment  = "payment"
	kindRefund   = "refund"
	kindEntry    = "ledger"
	kindExport   = "export"
	kindEvent    = "event"
)

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
}

// storedCustomer is a customer with what its clients do not see. The other stored types are the same for their kinds.
type storedCustomer struct {
	customer

	Version int    `json:"stored_version"`
	Notes   []note `json:"stored_notes,omitempty"`
}

func (c *storedCustomer) etag() string { return fmt.Sprintf("%q", strconv.Itoa(c.Version)) }

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
}

type storedDocument struct {
	document

	Content []byte `json:"stored_content"`
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
}

type storedProduct struct {
	product

	Adjusted map[string]bool `json:"stored_adjusted,omitempty"`
}

// stock fills the catalogue of a new shop: three products with names and forty parts.
func (u *unit) stock() {
	if done, err := u.tx.Get(kindProduct, "lamp-1"); err != nil || done != nil {
		check(err)
		return
	}
	const parts = 40
	products := make([]*storedProduct, 0, parts+3)
	products = append(products, &storedProduct{product: product{
		SKU: "chair/oak", Name: "Oak chair", Price: money{12900, "EUR"}, Weight: 6.5, Tags: []string{"wood"},
	}}, &storedProduct{product: product{
		SKU: "lamp-1", Name: "Desk lamp", Price: money{2990, "EUR"}, Weight: 1.2, Tags: []string{"garden", "sale"},
		Attributes: map[string]any{"color": "red", "watts": 7},
	}})
	for i := range parts {
		products = append(products, &storedProduct{product: product{
			SKU: fmt.Sprintf("part-%02d", i+1), Name: fmt.Sprintf("Part %d", i+1), Price: money{int64(100 + i), "EUR"},
			Weight: 0.1, Tags: []string{"parts"},
		}})
	}
	products = append(products, &storedProduct{product: product{
		SKU: "table-1", Name: "Table", Price: money{25900, "EUR"}, Weight: 21, Tags: []string{},
	}})
	for _, p := range products {
		p.VATRate = "0.21"
		p.Stock = map[string]int{"AMS1": 100_000, "NYC2": 100_000}
		body, err := json.Marshal(p)
		check(err)
		check(u.tx.Put(kindProduct, p.SKU, "", body))
	}
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
}

type storedOrder struct {
	order

	Reminders int   `json:"stored_reminders,omitempty"`
	Paid      int64 `json:"stored_paid,omitempty"`
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
}

type storedEvent struct {
	orderEvent

	Number     int64  `json:"stored_number"`
	CustomerID string `json:"stored_customer_id"`
}

// orderNamed is the oldest order with the reference, or nil.
func (u *unit) orderNamed(ref string) *storedOrder {
	body, err := u.tx.Find(kindOrder, ref)
	check(err)
	if body == nil {
		return nil
	}
	var found storedOrder
	check(json.Unmarshal(body, &found))
	return get[storedOrder](u, kindOrder, found.ID)
}

// book adds an entry to the ledger. Numbers begin above 2^53 so that a client that reads them as floats is found out.
func (u *unit) book(account string, amount int64, currency, reference string) {
	n, err := u.tx.Add("shop", "ledger", 1)
	check(err)
	number := 1<<53 + n
	u.add(kindEntry, strconv.FormatInt(number, 10), "", &ledgerEntry{
		Number: number, At: u.now, Account: account, Amount: amount, Currency: currency, Reference: reference,
	})
}
