// Command pagination reads lists: item by item over all pages, page by page, and one page.
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
	if err := order(ctx, client, 7); err != nil {
		return err
	}
	limit := int32(3)
	for order, err := range client.Orders.All(ctx, sdk.ListOrdersParams{Limit: &limit}) {
		if err != nil {
			return err // the orders before it are good
		}
		fmt.Fprint(out, order.OrderRef, " ")
		if order.OrderRef == "web-2" {
			break // no further page is asked for
		}
	}
	fmt.Fprintln(out)

	perPage := int64(20)
	for page, err := range client.Products.Pages(ctx, sdk.ListProductsParams{PerPage: &perPage}) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "page %d of %d: %d products\n", page.Value.Page, page.Value.TotalPages, len(page.Items))
	}
	return one(ctx, client, out)
}

// one reads a single page, for a screen that shows one.
func one(ctx context.Context, client *sdk.Client, out io.Writer) error {
	limit := int32(3)
	page, err := client.Orders.Page(ctx, sdk.ListOrdersParams{Limit: &limit})
	if err != nil {
		return err
	}
	_, more := page.Value.NextCursor.Get() // to be kept, for the next request of whoever looks at the screen
	fmt.Fprintf(out, "%d orders, more: %t\n", len(page.Items), more)
	return nil
}

// order makes something to list.
func order(ctx context.Context, client *sdk.Client, n int) error {
	for i := range n {
		_, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{
			OrderRef: fmt.Sprintf("web-%d", i+1), CustomerID: "cus_1", Currency: sdk.CurrencyEUR,
			Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
