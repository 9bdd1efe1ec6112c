package shop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// declinedCard is the number of a card that has no money behind it.
const declinedCard = "4000000000000002"

func (s *Shop) createPayment(w http.ResponseWriter, r *http.Request) {
	var body struct {
		payment

		Capture *bool `json:"capture"`
	}
	if !readJSON(w, r, &body, false) {
		return
	}
	p := &body.payment
	number, _ := p.Method["number"].(string)
	kind, _ := p.Method["type"].(string)
	var c checks
	c.that(p.Amount > 0, "/amount", "must be at least 1")
	c.that(p.Currency != "", "/currency", "must not be empty")
	c.that(slices.Contains([]string{"card", "bank_transfer", "wallet"}, kind), "/method/type", "is not a known method")
	c.that(kind != "card" || len(number) >= 12, "/method/number", "must have 12 to 19 digits")
	if c.failed(w) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.state.order(func(o *order) bool { return o.ID == p.OrderID })
	switch {
	case o == nil:
		invalid(w, []fieldError{{Pointer: "/order_id", Message: "there is no such order"}})
		return
	case o.Status == "cancelled":
		wrongState(w, "The order is cancelled.")
		return
	case number == declinedCard:
		writeProblem(w, problemBody{
			Status: http.StatusPaymentRequired, Code: "payment_declined", Title: "The payment was declined",
			DeclineReason: "insufficient_funds",
		})
		return
	}
	if kind == "card" {
		p.Method["last4"] = number[len(number)-4:]
	}
	for _, secret := range []string{"number", "security_code", "token"} {
		delete(p.Method, secret)
	}
	p.ID, p.CreatedAt, p.Status, p.CapturedAmount, p.RefundedAmount = s.state.id("pay"), s.opts.Now().UTC(), "authorized", 0, 0
	s.state.payments[p.ID] = p
	name := p.Metadata["intent"]
	if name == "" {
		name = p.OrderID
	}
	s.state.effects.Payments[name]++
	if body.Capture == nil || *body.Capture {
		s.capture(p, o, p.Amount)
	}
	w.Header().Set("Location", "/v1/payments/"+p.ID)
	writeJSON(w, http.StatusCreated, p)
}

// capture takes money. The mutex is held.
func (s *Shop) capture(p *payment, o *order, amount int64) {
	p.Status, p.CapturedAmount = "captured", amount
	s.state.effects.Charged[p.Currency] += amount
	s.state.book(s.opts.Now().UTC(), "receivables", amount, p.Currency, p.ID)
	if o == nil {
		return
	}
	o.paid += amount
	if o.paid >= o.Total.Amount && o.Status == "confirmed" {
		o.Status = "paid"
		s.happened("order.paid", o)
	}
	s.notify("payment.captured", p)
}

// withPayment runs f on the payment of the path, or answers 404.
func (s *Shop) withPayment(w http.ResponseWriter, r *http.Request, f func(*payment)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.state.payments[r.PathValue("payment_id")]
	if p == nil {
		notFound(w, "payment", r.PathValue("payment_id"))
		return
	}
	f(p)
}

func (s *Shop) getPayment(w http.ResponseWriter, r *http.Request) {
	s.withPayment(w, r, func(p *payment) { writeJSON(w, http.StatusOK, p) })
}

func (s *Shop) capturePayment(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amount int64 `json:"amount"`
	}
	if !readJSON(w, r, &body, true) {
		return
	}
	s.withPayment(w, r, func(p *payment) {
		if body.Amount == 0 {
			body.Amount = p.Amount
		}
		if p.Status != "authorized" || body.Amount < 0 || body.Amount > p.Amount {
			wrongState(w, fmt.Sprintf("The payment is %s over %d.", p.Status, p.Amount))
			return
		}
		s.capture(p, s.state.order(func(o *order) bool { return o.ID == p.OrderID }), body.Amount)
		writeJSON(w, http.StatusOK, p)
	})
}

func (s *Shop) createRefund(w http.ResponseWriter, r *http.Request) {
	var body refund
	if !readJSON(w, r, &body, false) {
		return
	}
	var c checks
	c.that(body.Amount > 0, "/amount", "must be at least 1")
	if c.failed(w) {
		return
	}
	s.withPayment(w, r, func(p *payment) {
		if body.Amount > p.CapturedAmount-p.RefundedAmount {
			wrongState(w, fmt.Sprintf("Only %d can be refunded.", p.CapturedAmount-p.RefundedAmount))
			return
		}
		p.RefundedAmount += body.Amount
		if p.RefundedAmount == p.CapturedAmount {
			p.Status = "refunded"
		}
		body.ID, body.CreatedAt, body.PaymentID, body.Currency = s.state.id("ref"), s.opts.Now().UTC(), p.ID, p.Currency
		s.state.refunds = append(s.state.refunds, &body)
		s.state.effects.Refunds[p.ID]++
		s.state.effects.Refunded[p.Currency] += body.Amount
		s.state.book(body.CreatedAt, "receivables", -body.Amount, p.Currency, body.ID)
		s.notify("refund.created", body)
		w.Header().Set("Location", "/v1/refunds/"+body.ID)
		writeJSON(w, http.StatusCreated, body)
	})
}

// listRefunds names the next page in a Link header, RFC 8288.
func (s *Shop) listRefunds(w http.ResponseWriter, r *http.Request) {
	limit, ok := intParam(r, "limit", 20, 1, 100)
	var c checks
	c.that(ok, "limit", "must be a number from 1 to 100")
	if c.failed(w) {
		return
	}
	after := r.URL.Query().Get("after")
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.state.refunds)
	slices.Reverse(all)
	start := 0
	if after != "" {
		start = slices.IndexFunc(all, func(r *refund) bool { return r.ID == after }) + 1
	}
	answer := page(all, start, limit)
	if start+limit < len(all) {
		next := url.Values{"after": {answer[limit-1].ID}, "limit": {strconv.Itoa(limit)}}
		w.Header().Set("Link", "</v1/refunds?"+next.Encode()+`>; rel="next"`)
	}
	writeJSON(w, http.StatusOK, answer)
}

// streamLedger writes one JSON object on each line.
func (s *Shop) streamLedger(w http.ResponseWriter, r *http.Request) {
	day, err := time.Parse(time.DateOnly, r.URL.Query().Get("day"))
	if err != nil {
		invalid(w, []fieldError{{Pointer: "day", Message: "must be a day such as 2026-02-28"}})
		return
	}
	s.mu.Lock()
	entries := slices.Clone(s.state.ledger)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines := json.NewEncoder(w)
	for _, entry := range entries {
		if entry.At.Format(time.DateOnly) != day.Format(time.DateOnly) {
			continue
		}
		if err := lines.Encode(entry); err != nil {
			return
		}
	}
}
