package shop

import (
	"maps"
	"net/http"
)

// Effects is what the shop has really done, whatever its clients were told. GET /debug/effects gives it as JSON.
type Effects struct {
	// Orders counts created orders by their reference.
	Orders map[string]int `json:"orders"`
	// Payments counts charges by metadata.intent, or by order where there is none.
	Payments map[string]int `json:"payments"`
	// Refunds counts refunds by payment.
	Refunds map[string]int `json:"refunds"`
	// Charged is the money taken, refunds not taken off, by currency in the minor unit.
	Charged map[string]int64 `json:"charged"`
	// Refunded is the money given back, by currency in the minor unit.
	Refunded map[string]int64 `json:"refunded"`
	// Sold counts the pieces that confirmed orders took from the stock, by SKU.
	Sold map[string]int `json:"sold"`
	// Emails counts reminders by order.
	Emails map[string]int `json:"emails"`
	// Customers, Documents, Notes, Exports and Adjustments count what was created.
	Customers   int `json:"customers"`
	Documents   int `json:"documents"`
	Notes       int `json:"notes"`
	Exports     int `json:"exports"`
	Adjustments int `json:"adjustments"`
}

func newEffects() Effects {
	return Effects{
		Orders: map[string]int{}, Payments: map[string]int{}, Refunds: map[string]int{},
		Charged: map[string]int64{}, Refunded: map[string]int64{}, Sold: map[string]int{}, Emails: map[string]int{},
	}
}

// Total is the sum of the counts.
func Total(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// Surplus is how many effects are more than one for their name.
func Surplus(counts map[string]int) int {
	return Total(counts) - len(counts)
}

// Effects is a copy of the counts at this moment.
func (s *Shop) Effects() Effects {
	s.mu.Lock()
	defer s.mu.Unlock()
	effects := s.state.effects
	effects.Orders = maps.Clone(effects.Orders)
	effects.Payments = maps.Clone(effects.Payments)
	effects.Refunds = maps.Clone(effects.Refunds)
	effects.Charged = maps.Clone(effects.Charged)
	effects.Refunded = maps.Clone(effects.Refunded)
	effects.Sold = maps.Clone(effects.Sold)
	effects.Emails = maps.Clone(effects.Emails)
	return effects
}

func (s *Shop) getEffects(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.Effects())
}
