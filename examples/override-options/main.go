// Command override-options changes what the SDK does by default, for a client and for one call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	// One budget for all clients of a process bounds the retries of all of them together.
	shared := budget.NewTokenBucket(budget.BucketConfig{Capacity: 1000})
	client, err := sdk.New(
		sdk.WithBaseURL(baseURL),
		sdk.WithBearerToken("demo"),
		sdk.WithMaxAttempts(5),
		sdk.WithDeadline(20*time.Second),
		sdk.WithAttemptTimeout(3*time.Second),
		sdk.WithBackoff(retry.Backoff{Base: 10 * time.Millisecond, ThrottleBase: 20 * time.Millisecond, Cap: time.Second}),
		sdk.WithBudget(shared),
		sdk.WithRetryAfterLimit(5*time.Second),
		sdk.WithLogger(slog.New(slog.DiscardHandler)),
	)
	if err != nil {
		return err
	}
	body := sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	}

	// The same options work for one call, and win there. The headers make the shop fail on purpose.
	var info sdk.ResponseInfo
	_, err = client.Orders.Create(ctx, body, sdk.WithIdempotencyKey("order-web-1"), sdk.WithMaxAttempts(4),
		sdk.WithResponse(&info), sdk.WithHeader("X-Shop-Fault", "503, reset-after, 504-after"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "created after %d attempts under %s\n", info.Attempts, info.IdempotencyKey)

	// A single attempt, for a caller that has its own retries.
	body.OrderRef = "web-2"
	_, err = client.Orders.Create(ctx, body, sdk.WithMaxAttempts(1), sdk.WithHeader("X-Shop-Fault", "503"))
	var failed *sdk.Error
	if errors.As(err, &failed) {
		fmt.Fprintf(out, "failed after %d attempt: %d %s\n", failed.Attempts, failed.StatusCode, failed.Code)
	}

	// The wait that the server asks for does not fit this call's deadline: its own answer comes back at once.
	begin := time.Now()
	_, err = client.Orders.Create(ctx, body, sdk.WithDeadline(500*time.Millisecond), sdk.WithHeader("X-Shop-Fault", "503-retry-after"), sdk.WithHeader("X-Shop-Intent", "third"))
	if errors.As(err, &failed) {
		fmt.Fprintf(out, "gave up at once: %t, asked to wait %v, deadline: %t\n",
			time.Since(begin) < 400*time.Millisecond, failed.RetryAfter, errors.Is(err, context.DeadlineExceeded))
	}
	return nil
}
