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

func createRefund(u *unit, w http.ResponseWriter, r *http.Request) {
	var body refund
	if !readJSON(w, r, &body, false) {
		return
	}
	var c checks
	c.that(body.Amount > 0, "/amount", "must be at least 1")
	if c.failed(w) {
		return
	}
	p := u.paymentOf(w, r)
	if p == nil {
		return
	}
	if body.Amount > p.CapturedAmount-p.RefundedAmount {
		wrongState(w, fmt.Sprintf("Only %d can be refunded.", p.CapturedAmount-p.RefundedAmount))
		return
	}
	p.RefundedAmount += body.Amount
	if p.RefundedAmount == p.CapturedAmount {
		p.Status = "refunded"
	}
	body.ID, body.CreatedAt, body.PaymentID, body.Currency = u.id("ref"), u.now, p.ID, p.Currency
	u.add(kindRefund, body.ID, "", &body)
	u.count("refunds", p.ID, 1)
	u.count("refunded", body.Currency, body.Amount)
	u.book("receivables", -body.Amount, p.Currency, body.ID)
	u.notify("refund.created", body)
	w.Header().Set("Location", "/v1/refunds/"+body.ID)
	writeJSON(w, http.StatusCreated, body)
}

// listRefunds names the next page in a Link header, RFC 8288.
func listRefunds(u *unit, w http.ResponseWriter, r *http.Request) {
	limit, ok := intParam(r, "limit", 20, 1, 100)
	var c checks
	c.that(ok, "limit", "must be a number from 1 to 100")
	if c.failed(w) {
		return
	}
	after := r.URL.Query().Get("after")
	all := list[refund](u, kindRefund)
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
	var entries []*ledgerEntry
	if err := s.run(r.Context(), func(u *unit) { entries = list[ledgerEntry](u, kindEntry) }); err != nil {
		unavailable(w)
		return
	}
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
