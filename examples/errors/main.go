// Command errors shows what an error of the SDK tells: the status and code, the error that the document declares, and
// why there was no further attempt.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	client, err := sdk.New(sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"), sdk.WithLogger(nil))
	if err != nil {
		return err
	}
	order, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	})
	if err != nil {
		return err
	}
	payment := sdk.CreatePaymentRequest{OrderID: order.ID, Amount: 2990, Currency: sdk.CurrencyEUR, Method: card("4000000000000002")}
	_, err = client.Payments.Create(ctx, payment)
	if declined, ok := errors.AsType[*sdk.PaymentDeclinedProblem](err); ok {
		fmt.Fprintln(out, "declined:", declined.DeclineReason)
	}

	payment.Amount, payment.Method = 0, card("1")
	_, err = client.Payments.Create(ctx, payment)
	if invalid, ok := errors.AsType[*sdk.ValidationProblem](err); ok {
		for _, field := range invalid.Errors {
			fmt.Fprintln(out, "invalid:", field.Pointer, field.Message)
		}
	}

	_, err = client.Orders.Get(ctx, "ord_0", sdk.GetOrderParams{})
	if failed, ok := errors.AsType[*sdk.Error](err); ok {
		fmt.Fprintln(out, "failed:", failed.StatusCode, failed.Code, "in attempt", failed.Attempts)
	}

	return payLater(ctx, client, order, out)
}

// payLater runs out of time and pays after all: whoever keeps the key can make the call again, in another process too.
func payLater(ctx context.Context, client *sdk.Client, order *sdk.Order, out io.Writer) error {
	payment := sdk.CreatePaymentRequest{OrderID: order.ID, Amount: 2990, Currency: sdk.CurrencyEUR, Method: card("4242424242424242")}
	_, err := client.Payments.Create(ctx, payment, sdk.WithDeadline(200*time.Millisecond), sdk.WithHeader("X-Shop-Fault", "stall-after"))
	failed, ok := errors.AsType[*sdk.Error](err)
	if !ok || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	paid, err := client.Payments.Create(ctx, payment, sdk.WithIdempotencyKey(failed.IdempotencyKey))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "too late at first, then:", paid.Status)
	return nil
}

func card(number string) sdk.PaymentMethod {
	return sdk.NewPaymentMethodCard(sdk.Card{Number: &number})
}
