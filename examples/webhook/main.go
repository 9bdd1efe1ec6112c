// Command webhook takes the events that the API sends: it checks the signature, decodes the event and handles it one
// time, however often it is delivered.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/webhook"
)

func main() {
	verifier, err := webhook.New(os.Getenv("SHOP_WEBHOOK_SECRET"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:8081", receiver(verifier, os.Stdout)))
}

// receiver answers 204 to each genuine event, also to one that it knows already, and so ends its delivery.
func receiver(verifier *webhook.Verifier, out io.Writer) http.Handler {
	var handled sync.Map // a program keeps this beside what it writes, in one transaction
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := sdk.ParseWebhook(r.Header, body, verifier.Verify)
		if err != nil {
			http.Error(w, "this is not from the shop", http.StatusUnauthorized)
			return
		}
		if _, known := handled.LoadOrStore(event.ID, true); !known {
			handle(r.Context(), event, out)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

func handle(_ context.Context, event *sdk.Webhook, out io.Writer) {
	switch {
	case event.OrderConfirmed != nil:
		fmt.Fprintln(out, "confirmed:", event.OrderConfirmed.Data.OrderRef)
	case event.PaymentCaptured != nil:
		fmt.Fprintln(out, "captured:", event.PaymentCaptured.Data.Amount)
	case event.RefundCreated != nil:
		fmt.Fprintln(out, "refunded:", event.RefundCreated.Data.Amount)
	default:
		fmt.Fprintf(out, "an event that this SDK does not know: %s\n", event.Raw)
	}
}
