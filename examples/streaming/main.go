// Command streaming reads server-sent events and lines of JSON as they come.
package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"))
	if err != nil {
		return err
	}
	go buy(ctx, client)

	for event, err := range client.Orders.Watch(ctx, sdk.WatchOrdersParams{}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, event.ID, event.Data.Type)
		if event.Data.Type == sdk.OrderEventTypeOrderPaid {
			break // closes the connection
		}
	}
	for entry, err := range client.Ledger.Stream(ctx, sdk.StreamLedgerParams{Day: wire.DateOf(time.Now().UTC())}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, entry.Account, entry.Amount, entry.Currency)
	}
	return nil
}

// buy makes something to watch.
func buy(ctx context.Context, client *sdk.Client) {
	order, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	})
	if err != nil {
		return
	}
	_, _ = client.Orders.Confirm(ctx, sdk.ConfirmOrderRequest{OrderRef: "web-1"})
	_, _ = client.Payments.Create(ctx, sdk.CreatePaymentRequest{
		OrderID: order.ID, Amount: order.Total.Amount, Currency: order.Total.Currency,
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	})
}
