// Command quickstart is the sample of the README: it orders two lamps and pays for them.
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"))
	if err != nil {
		return err
	}
	order, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{ // sent again under one key until it is answered
		OrderRef: "web-2026-000123", CustomerID: "cus_1", Currency: sdk.CurrencyEUR,
		Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 2}},
	})
	if err != nil {
		return err
	}
	payment, err := client.Payments.Create(ctx, sdk.CreatePaymentRequest{
		OrderID: order.ID, Amount: order.Total.Amount, Currency: order.Total.Currency,
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s over %d %s\n", order.OrderRef, payment.Status, payment.Amount, payment.Currency)
	return nil
}
