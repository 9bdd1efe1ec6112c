package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// A generated package has these records and types; a program calls client.Orders.All(ctx, params).
var opListOrders = client.Operation{
	Call:   transport.Operation{ID: "listOrders", Method: http.MethodGet, Path: "/orders"},
	Paging: &client.Paging{Kind: client.Cursor, Request: "Cursor", Items: []string{"Data"}, Next: []string{"NextCursor"}},
}

type (
	Order     struct{ ID string }
	OrderList struct {
		Data       []Order `json:"data"`
		NextCursor *string `json:"next_cursor,omitempty"`
	}
	ListOrdersParams struct {
		Cursor *string `query:"cursor"`
	}
)

// exampleClient is a client of a server in this process.
func exampleClient(handler http.HandlerFunc) (c *client.Client, done func()) {
	server := httptest.NewServer(handler)
	c, err := client.New(&client.API{Name: "shop", Product: "shop-go/1.0.0"}, client.WithBaseURL(server.URL), client.WithEnv(nil))
	if err != nil {
		panic(err)
	}
	return c, func() {
		c.CloseIdleConnections()
		server.Close()
	}
}

func serveOrders(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("cursor") == "" {
		_, _ = io.WriteString(w, `{"data": [{"ID": "ord_1"}, {"ID": "ord_2"}], "next_cursor": "2"}`)
		return
	}
	_, _ = io.WriteString(w, `{"data": [{"ID": "ord_3"}]}`)
}

func ExampleAll() {
	c, done := exampleClient(serveOrders)
	defer done()
	in := client.Input{Params: &ListOrdersParams{}}
	for order, err := range client.All[*OrderList, Order](context.Background(), c, &opListOrders, in, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(order.ID)
	}
	// Output:
	// ord_1
	// ord_2
	// ord_3
}

func ExampleFirst() {
	c, done := exampleClient(serveOrders)
	defer done()
	ctx := context.Background()
	in := client.Input{Params: &ListOrdersParams{}}
	page, err := client.First[*OrderList, Order](ctx, c, &opListOrders, in, nil)
	for ; err == nil; page, err = page.Next(ctx) {
		fmt.Println(len(page.Items), "orders, more:", page.HasNext())
	}
	if !errors.Is(err, io.EOF) {
		fmt.Println(err)
	}
	// Output:
	// 2 orders, more: true
	// 1 orders, more: false
}
