package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// The connection breaks after the first event; the loop does not notice.
func ExampleStream() {
	c, done := exampleClient(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Header.Get("Last-Event-ID") == "1" {
			_, _ = io.WriteString(w, "id: 2\ndata: {\"ID\": \"ord_2\"}\n\ndata: [DONE]\n\n")
			return
		}
		_, _ = io.WriteString(w, "retry: 10\nid: 1\ndata: {\"ID\": \"ord_1\"}\n\n")
	})
	defer done()
	op := client.Operation{
		Call:      transport.Operation{ID: "watchOrders", Method: http.MethodGet, Path: "/order-events", Stream: true},
		Accept:    "text/event-stream",
		Streaming: &client.Streaming{End: "[DONE]"},
	}
	for event, err := range client.Stream[Order](context.Background(), c, &op, client.Input{}, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.ID, event.Data.ID)
	}
	// Output:
	// 1 ord_1
	// 2 ord_2
}

// A line that is no JSON does not end the stream.
func ExampleNDJSON() {
	c, done := exampleClient(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, "{\"ID\": \"ord_1\"}\nnull and void\n{\"ID\": \"ord_3\"}\n")
	})
	defer done()
	op := client.Operation{
		Call:   transport.Operation{ID: "exportOrders", Method: http.MethodGet, Path: "/orders.ndjson", Stream: true},
		Accept: "application/x-ndjson",
	}
	for order, err := range client.NDJSON[Order](context.Background(), c, &op, client.Input{}, nil) {
		if err != nil {
			fmt.Println("skipped")
			continue
		}
		fmt.Println(order.ID)
	}
	// Output:
	// ord_1
	// skipped
	// ord_3
}
