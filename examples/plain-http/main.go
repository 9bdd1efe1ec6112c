// Command plain-http uses the transport without any generated code: on a bare http.Client, for an API that takes
// Idempotency-Key on its POSTs.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func main() { example.Main(run) }

func run(ctx context.Context, baseURL string, out io.Writer) error {
	// Which methods take a key is the API's word; without it a POST is not sent again after an unknown outcome.
	client := &http.Client{Transport: transport.New(nil, transport.WithKeyedMethods(http.MethodPost))}

	body := `{"order_ref":"web-1","customer_id":"cus_1","currency":"EUR","lines":[{"sku":"lamp-1","quantity":1}]}`
	// The options of one call travel in its context; this one names the event, so that a restart meets the same key.
	ctx = transport.WithCall(ctx, transport.WithIdempotencyKey("order-create-web-1"))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/orders", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer demo")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Shop-Fault", "drop-after") // the shop loses the first answer, after it has made the order

	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	outcome, _ := transport.OutcomeOf(response)
	fmt.Fprintf(out, "%s, attempts: %d, key: %s, stored answer: %t\n", response.Status, outcome.Attempts, outcome.IdempotencyKey, outcome.Replayed)
	return nil
}
