// Command check-client is a program for "retrysafe check --client": it makes one call to the server that the check plays,
// and exits with 0 when the call succeeded. Write the same ten lines with any other client, in any language.
//
//	go build -o client ./check-client
//	retrysafe check --client --strict --answer check-client/order.json -- ./client
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/retrysafe/retrysafe/sdk"
)

func main() {
	if err := run(context.Background(), os.Getenv("RETRYSAFE_URL")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, baseURL string) error {
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"))
	if err != nil {
		return err
	}
	_, err = client.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-2026-000123", CustomerID: "cus_1", Currency: sdk.CurrencyEUR,
		Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 2}},
	})
	return err
}
