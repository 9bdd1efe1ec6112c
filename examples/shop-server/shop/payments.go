package shop

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// newPayment is the body of createPayment.
type newPayment struct {
	payment

	Capture *bool `json:"capture"`
}

func (p *newPayment) text(name string) string {
	text, _ := p.Method[name].(string)
	return text
}

func (p *newPayment) invalid(w http.ResponseWriter) bool {
	var c checks
	c.that(p.Amount > 0, "/amount", "must be at least 1")
	c.that(p.Currency != "", "/currency", "must not be empty")
	c.that(slices.Contains([]string{"card", "bank_transfer", "wallet"}, p.text("type")), "/method/type", "is not a known method")
	c.that(p.text("type") != "card" || len(p.text("number")) >= 12, "/method/number", "must have 12 to 19 digits")
	return c.failed(w)
}

// createPayment calls the bank, which no transaction of ours can undo. So it works in phases: it gives the payment its
// name, charges under a key that follows from ours, and books what the bank said. A process that dies in between is
// followed by one that goes on after the last phase that was committed.
func (s *Shop) createPayment(w http.ResponseWriter, r *http.Request) {
	var body newPayment
	if !readJSON(w, r, &body, false) || body.invalid(w) {
		return
	}
	ctx := r.Context()
	var o *storedOrder
	err := s.run(ctx, func(u *unit) { o = get[storedOrder](u, kindOrder, body.OrderID) })
	switch {
	case err != nil:
		unavailable(w)
		return
	case o == nil:
		invalid(w, []fieldError{{Pointer: "/order_id", Message: "there is no such order"}})
		return
	case o.Status == "cancelled":
		wrongState(w, "The order is cancelled.")
		return
	}
	p, receipt, err := s.pay(ctx, body)
	switch {
	case err != nil:
		unavailable(w)
	case receipt.Declined != "":
		writeProblem(w, problemBody{
			Status: http.StatusPaymentRequired, Code: "payment_declined", Title: "The payment was declined", DeclineReason: receipt.Declined,
		})
	default:
		w.Header().Set("Location", "/v1/payments/"+p.ID)
		writeJSON(w, http.StatusCreated, p)
	}
}

func (s *Shop) pay(ctx context.Context, body newPayment) (payment, Receipt, error) {
	charge := Charge{Amount: body.Amount, Currency: body.Currency, Card: body.text("number")}
	if _, keyed := idempotency.ScopeFrom(ctx); !keyed { // nothing to go on from: each request is a payment
		charge.Key = uuid.NewString()
		receipt, err := s.opts.Processor(ctx, charge)
		if err != nil || receipt.Declined != "" {
			return payment{}, receipt, err
		}
		var p payment
		err = s.run(ctx, func(u *unit) { p = u.bookPayment(u.id("pay"), body) })
		return p, receipt, err
	}
	id, err := phase(ctx, s, "named", func(u *unit) string { return u.id("pay") })
	if err != nil {
		return payment{}, Receipt{}, err
	}
	receipt, err := idempotency.Call(ctx, "charged", func(ctx context.Context, foreignKey string) (Receipt, error) {
		charge.Key = foreignKey
		return s.opts.Processor(ctx, charge)
	})
	if err != nil || receipt.Declined != "" {
		return payment{}, receipt, err
	}
	p, err := phase(ctx, s, "booked", func(u *unit) payment { return u.bookPayment(id, body) })
	return p, receipt, err
}

// phase runs fn in a phase of the keyed request.
func phase[T any](ctx context.Context, s *Shop, name string, fn func(u *unit) T) (T, error) {
	return idempotency.Phase(ctx, name, func(ctx context.Context) (T, error) {
		var out T
		err := s.run(ctx, func(u *unit) { out = fn(u) })
		return out, err
	})
}

// bookPayment stores a payment that the bank has agreed to.
func (u *unit) bookPayment(id string, body newPayment) payment {
	p := body.payment
	if number := body.text("number"); number != "" {
		p.Method["last4"] = number[len(number)-4:]
	}
	for _, secret := range []string{"number", "security_code", "token"} {
		delete(p.Method, secret)
	}
	p.ID, p.CreatedAt, p.Status, p.CapturedAmount, p.RefundedAmount = id, u.now, "authorized", 0, 0
	u.add(kindPayment, p.ID, "", &p)
	name := p.Metadata["intent"]
	if name == "" {
		name = p.OrderID
	}
	u.count("payments", name, 1)
	if body.Capture == nil || *body.Capture {
		u.capture(&p, p.Amount)
	}
	return p
}

// capture takes money that was authorized.
func (u *unit) capture(p *payment, amount int64) {
	p.Status, p.CapturedAmount = "captured", amount
	u.count("charged", p.Currency, amount)
	u.book("receivables", amount, p.Currency, p.ID)
	if o := get[storedOrder](u, kindOrder, p.OrderID); o != nil {
		o.Paid += amount
		if o.Paid >= o.Total.Amount && o.Status == "confirmed" {
			o.Status = "paid"
			u.happened("order.paid", o)
		}
	}
	u.notify("payment.captured", p)
}

// paymentOf is the payment of the path; when there is none it answers 404 and returns nil.
func (u *unit) paymentOf(w http.ResponseWriter, r *http.Request) *payment {
	p := get[payment](u, kindPayment, r.PathValue("payment_id"))
	if p == nil {
		notFound(w, "payment", r.PathValue("payment_id"))
	}
	return p
}

func getPayment(u *unit, w http.ResponseWriter, r *http.Request) {
	if p := u.paymentOf(w, r); p != nil {
		writeJSON(w, http.StatusOK, p)
	}
}

func capturePayment(u *unit, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amount int64 `json:"amount"`
	}
	if !readJSON(w, r, &body, true) {
		return
	}
	p := u.paymentOf(w, r)
	if p == nil {
		return
	}
	if body.Amount == 0 {
		body.Amount = p.Amount
	}
	if p.Status != "authorized" || body.Amount < 0 || body.Amount > p.Amount {
		wrongState(w, fmt.Sprintf("The payment is %s over %d.", p.Status, p.Amount))
		return
	}
	u.capture(p, body.Amount)
	writeJSON(w, http.StatusOK, p)
}
