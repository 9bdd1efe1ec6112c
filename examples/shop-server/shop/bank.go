package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
)

// declinedCard is the number of a card that has no money behind it.
const declinedCard = "4000000000000002"

// Charge asks a bank for money.
type Charge struct {
	Key      string `json:"key"` // the bank's idempotency key
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Card     string `json:"card,omitempty"`
}

// Receipt is the bank's answer.
type Receipt struct {
	Declined string `json:"declined,omitempty"` // why, when it said no
}

// Processor takes money. The same charge under the same key takes it one time.
type Processor func(ctx context.Context, charge Charge) (Receipt, error)

// Bank is a processor that stands in for a foreign system; as an [http.Handler] it does so for shops in other processes,
// see [BankAt]. It is safe for concurrent use.
type Bank struct {
	mu       sync.Mutex
	receipts map[string]Receipt
	calls    int
	taken    map[string]int64
}

// NewBank makes a bank that has taken nothing yet.
func NewBank() *Bank { return &Bank{receipts: map[string]Receipt{}, taken: map[string]int64{}} }

// Charge is the bank's [Processor].
func (b *Bank) Charge(_ context.Context, charge Charge) (Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if receipt, known := b.receipts[charge.Key]; known {
		return receipt, nil
	}
	var receipt Receipt
	if charge.Card == declinedCard {
		receipt.Declined = "insufficient_funds"
	} else {
		b.taken[charge.Currency] += charge.Amount
	}
	b.receipts[charge.Key] = receipt
	return receipt, nil
}

// Taken is the money that was taken, by currency in the minor unit, and how many calls there were for how many charges.
func (b *Bank) Taken() (money map[string]int64, calls, charges int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.taken), b.calls, len(b.receipts)
}

// ServeHTTP takes a charge as JSON.
func (b *Bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var charge Charge
	if !readJSON(w, r, &charge, false) {
		return
	}
	receipt, _ := b.Charge(r.Context(), charge)
	writeJSON(w, http.StatusOK, receipt)
}

// BankAt is the processor of a bank that listens at url.
func BankAt(client *http.Client, url string) Processor {
	return func(ctx context.Context, charge Charge) (Receipt, error) {
		body, err := json.Marshal(charge)
		if err != nil {
			return Receipt{}, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return Receipt{}, err
		}
		response, err := client.Do(request)
		if err != nil {
			return Receipt{}, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return Receipt{}, fmt.Errorf("the bank answered %s", response.Status)
		}
		var receipt Receipt
		return receipt, json.NewDecoder(response.Body).Decode(&receipt)
	}
}
