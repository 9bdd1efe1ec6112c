package shop

import (
	"context"
	"maps"
	"net/http"
)

// Effects is what the shop has really done, whatever its clients were told. GET /debug/effects gives it as JSON.
type Effects struct {
	// Orders counts created orders by their reference.
	Orders map[string]int64 `json:"orders"`
	// Payments counts charges by metadata.intent, or by order where there is none.
	Payments map[string]int64 `json:"payments"`
	// Refunds counts refunds by payment.
	Refunds map[string]int64 `json:"refunds"`
	// Charged is the money taken, refunds not taken off, by currency in the minor unit.
	Charged map[string]int64 `json:"charged"`
	// Refunded is the money given back, by currency in the minor unit.
	Refunded map[string]int64 `json:"refunded"`
	// Sold counts the pieces that confirmed orders took from the stock, by SKU.
	Sold map[string]int64 `json:"sold"`
	// Emails counts reminders by order.
	Emails map[string]int64 `json:"emails"`
	// Created counts customers, documents, notes, exports and adjustments of the stock by these names.
	Created map[string]int64 `json:"created"`
}

// Total is the sum of the counts.
func Total(counts map[string]int64) int {
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	return int(total)
}

// Surplus is how many effects are more than one for their name.
func Surplus(counts map[string]int64) int {
	return Total(counts) - len(counts)
}

// Effects is the counts at this moment.
func (s *Shop) Effects(ctx context.Context) (Effects, error) {
	var counters map[string]map[string]int64
	err := s.run(ctx, func(u *unit) {
		var err error
		counters, err = u.tx.Counters()
		check(err)
	})
	group := func(name string) map[string]int64 {
		counts := map[string]int64{}
		maps.Copy(counts, counters[name])
		return counts
	}
	return Effects{
		Orders: group("orders"), Payments: group("payments"), Refunds: group("refunds"), Charged: group("charged"),
		Refunded: group("refunded"), Sold: group("sold"), Emails: group("emails"), Created: group("created"),
	}, err
}

func (s *Shop) getEffects(w http.ResponseWriter, r *http.Request) {
	effects, err := s.Effects(r.Context())
	if err != nil {
		unavailable(w)
		return
	}
	writeJSON(w, http.StatusOK, effects)
}
