package shop

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// orderFilter is the query of listOrders.
type orderFilter struct {
	customer string
	statuses []string
	from, to time.Time
}

func (f orderFilter) matches(o *order) bool {
	return (f.customer == "" || f.customer == o.CustomerID) &&
		(len(f.statuses) == 0 || slices.Contains(f.statuses, o.Status)) &&
		(f.from.IsZero() || !o.CreatedAt.Before(f.from)) &&
		(f.to.IsZero() || o.CreatedAt.Before(f.to))
}

func timeParam(c *checks, r *http.Request, name string) time.Time {
	text := r.URL.Query().Get(name)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	c.that(err == nil, name, "must be a time as RFC 3339 writes it")
	return at
}

func listOrders(u *unit, w http.ResponseWriter, r *http.Request) {
	var c checks
	query := r.URL.Query()
	limit, ok := intParam(r, "limit", 20, 1, 100)
	c.that(ok, "limit", "must be a number from 1 to 100")
	f := orderFilter{customer: query.Get("customer_id"), statuses: query["status"]}
	f.from, f.to = timeParam(&c, r, "created[from]"), timeParam(&c, r, "created[to]")
	before, err := base64.RawURLEncoding.DecodeString(query.Get("cursor"))
	c.that(err == nil, "cursor", "is not a cursor of this list")
	if c.failed(w) {
		return
	}
	found := []*order{}
	skipping := len(before) > 0
	hasMore := false
	for _, o := range slices.Backward(list[order](u, kindOrder)) {
		if skipping {
			skipping = o.ID != string(before)
			continue
		}
		if !f.matches(o) {
			continue
		}
		if len(found) == limit {
			hasMore = true
			break
		}
		found = append(found, o)
	}
	answer := map[string]any{"data": found, "has_more": hasMore, "next_cursor": nil}
	if hasMore {
		answer["next_cursor"] = base64.RawURLEncoding.EncodeToString([]byte(found[limit-1].ID))
	}
	writeJSON(w, http.StatusOK, answer)
}

func createOrder(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		order

		Currency string `json:"currency"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	o := &storedOrder{order: body.order}
	var c checks
	c.that(o.OrderRef != "" && len(o.OrderRef) <= 64, "/order_ref", "must have 1 to 64 characters")
	c.that(o.CustomerID != "", "/customer_id", "must not be empty")
	c.that(body.Currency != "", "/currency", "must not be empty")
	c.that(len(o.Lines) > 0, "/lines", "must not be empty")
	o.Total = money{Currency: body.Currency}
	for i := range o.Lines {
		line := &o.Lines[i]
		at := "/lines/" + strconv.Itoa(i)
		p := get[storedProduct](u, kindProduct, line.SKU)
		c.that(p != nil, at+"/sku", "there is no such product")
		c.that(line.Quantity >= 1, at+"/quantity", "must be at least 1")
		if p != nil {
			line.UnitPrice = &money{p.Price.Amount, body.Currency}
			o.Total.Amount += p.Price.Amount * int64(line.Quantity)
		}
	}
	if c.failed(w) {
		return
	}
	o.ID, o.CreatedAt, o.Status, o.ConfirmedAt = u.id("ord"), u.now, "draft", nil
	u.add(kindOrder, o.ID, o.OrderRef, o)
	u.count("orders", o.OrderRef, 1)
	u.happened("order.created", o)
	w.Header().Set("Location", "/v1/orders/"+o.ID)
	writeJSON(w, http.StatusCreated, o.order)
}

// orderOf is the order of the path; when there is none it answers 404 and returns nil.
func (u *unit) orderOf(w http.ResponseWriter, r *http.Request) *storedOrder {
	o := get[storedOrder](u, kindOrder, r.PathValue("order_id"))
	if o == nil {
		notFound(w, "order", r.PathValue("order_id"))
	}
	return o
}

func getOrder(u *unit, w http.ResponseWriter, r *http.Request) {
	expand := strings.Split(r.URL.Query().Get("expand"), ",")
	o := u.orderOf(w, r)
	if o == nil {
		return
	}
	whole := o.order
	if c := get[storedCustomer](u, kindCustomer, o.CustomerID); c != nil && slices.Contains(expand, "customer") {
		whole.Customer = &c.customer
	}
	if slices.Contains(expand, "payments") {
		for _, p := range list[payment](u, kindPayment) {
			if p.OrderID == o.ID {
				whole.Payments = append(whole.Payments, p)
			}
		}
	}
	w.Header().Set("ETag", strconv.Quote(o.Status))
	writeJSON(w, http.StatusOK, whole)
}

// takeStock takes the pieces of an order, or nothing when there are not enough.
func (u *unit) takeStock(o *storedOrder) bool {
	const warehouse = "AMS1"
	for _, line := range o.Lines {
		if get[storedProduct](u, kindProduct, line.SKU).Stock[warehouse] < line.Quantity {
			return false
		}
	}
	for _, line := range o.Lines {
		get[storedProduct](u, kindProduct, line.SKU).Stock[warehouse] -= line.Quantity
		u.count("sold", line.SKU, int64(line.Quantity))
	}
	return true
}

func confirmOrder(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		OrderRef string `json:"order_ref"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	o := u.orderNamed(body.OrderRef)
	switch {
	case o == nil:
		notFound(w, "order with reference", body.OrderRef)
	case o.Status != "draft":
		wrongState(w, "The order is "+o.Status+".")
	case !u.takeStock(o):
		w.Header().Set("X-Should-Retry", "false")
		problem(w, http.StatusConflict, "out_of_stock", "Not enough pieces are left")
	default:
		o.Status, o.ConfirmedAt = "confirmed", &u.now
		u.happened("order.confirmed", o)
		u.notify("order.confirmed", o.order)
		writeJSON(w, http.StatusOK, o.order)
	}
}

func cancelOrder(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	if !readJSON(w, r, &body, true) {
		return
	}
	o := u.orderOf(w, r)
	if o == nil {
		return
	}
	switch o.Status {
	case "shipped", "cancelled":
		wrongState(w, "The order is "+o.Status+".")
		return
	case "confirmed", "paid":
		for _, line := range o.Lines {
			get[storedProduct](u, kindProduct, line.SKU).Stock["AMS1"] += line.Quantity
			u.count("sold", line.SKU, -int64(line.Quantity))
		}
	}
	o.Status = "cancelled"
	u.happened("order.cancelled", o)
	writeJSON(w, http.StatusOK, o.order)
}

// remindOrder takes no key: each call is one more e-mail.
func remindOrder(u *unit, w http.ResponseWriter, r *http.Request) {
	o := u.orderOf(w, r)
	if o == nil {
		return
	}
	o.Reminders++
	u.count("emails", o.ID, 1)
	to := "customer@example.com"
	if c := get[storedCustomer](u, kindCustomer, o.CustomerID); c != nil {
		to = c.Email
	}
	writeJSON(w, http.StatusAccepted, map[string]any{"order_id": o.ID, "sent_to": to, "number": o.Reminders})
}
