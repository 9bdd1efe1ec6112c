// Command journal pays out of a file: what is meant is written down with its idempotency key before the call is made. When
// the process dies, at any point, the next run makes the calls that are not done again under the keys of the file, and what
// had already happened does not happen twice.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
)

func main() {
	path := filepath.Join(os.TempDir(), "retrysafe-journal.jsonl")
	example.Main(func(ctx context.Context, baseURL string, out io.Writer) error {
		defer os.Remove(path) // the shop of this example forgets everything as well
		return run(ctx, baseURL, path, []string{"web-1", "web-2", "web-3"}, out)
	})
}

// run orders and pays for each reference. It may be called again with the same journal at any time.
func run(ctx context.Context, baseURL, path string, refs []string, out io.Writer, opts ...sdk.Option) error {
	client, err := sdk.New(append(opts, sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"))...)
	if err != nil {
		return err
	}
	j, err := openJournal(path)
	if err != nil {
		return err
	}
	defer j.file.Close()

	for _, e := range j.pending() {
		if err := pay(ctx, client, j, e, out); err != nil {
			return err
		}
	}
	for _, ref := range refs {
		if _, known := j.entries["pay "+ref]; known {
			continue
		}
		// This key follows from the event, so that it needs no journal.
		order, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{
			OrderRef: ref, CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
		}, sdk.WithIdempotencyKey("order-"+ref))
		if err != nil {
			return err
		}
		e := entry{Intent: "pay " + ref, Key: uuid.NewString(), Amount: order.Total.Amount, Order: order.ID}
		if err := j.write(e); err != nil {
			return err
		}
		if err := pay(ctx, client, j, e, out); err != nil {
			return err
		}
	}
	return nil
}

// pay makes the call of an entry, for the first time or again.
func pay(ctx context.Context, client *sdk.Client, j *journal, e entry, out io.Writer) error {
	var info sdk.ResponseInfo
	payment, err := client.Payments.Create(ctx, sdk.CreatePaymentRequest{
		OrderID: e.Order, Amount: e.Amount, Currency: sdk.CurrencyEUR,
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	}, sdk.WithIdempotencyKey(e.Key), sdk.WithResponse(&info))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s, known to the server: %t\n", e.Intent, payment.Status, info.Replayed)
	e.Done = true
	return j.write(e)
}
