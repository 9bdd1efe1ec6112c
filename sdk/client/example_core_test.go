package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// What a generated package does: a record for the API, one for the operation, and a call.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"ord_1","key":%q}`, r.Header.Get("Idempotency-Key"))
	}))
	defer server.Close()

	record := client.API{Name: "shop", Product: "shop-go/1.0.0"}
	confirm := client.Operation{
		Call: transport.Operation{
			ID: "confirmOrder", Method: http.MethodPost, Path: "/orders/{id}/confirm",
			Key: &transport.KeyRule{Header: "Idempotency-Key"},
		},
	}
	c, err := client.New(&record, client.WithBaseURL(server.URL))
	if err != nil {
		panic(err)
	}
	order, err := client.Do[map[string]string](context.Background(), c, &confirm, client.Input{
		Path:  []any{"ord_1"},
		Event: client.Event{"order-confirm-", "ref-7"},
	}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(order["id"], order["key"])
	// Output: ord_1 order-confirm-ref-7
}

func ExampleError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("X-Request-Id", "req_1")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprint(w, `{"code":"out_of_stock","title":"Nothing is left"}`)
	}))
	defer server.Close()

	c, err := client.New(&client.API{Name: "shop"}, client.WithBaseURL(server.URL))
	if err != nil {
		panic(err)
	}
	get := client.Operation{Call: transport.Operation{ID: "getOrder", Method: http.MethodGet, Path: "/orders/{id}"}}
	_, err = client.Do[any](context.Background(), c, &get, client.Input{Path: []any{"ord_1"}}, nil)
	var failed *client.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.StatusCode, failed.Code, failed.RequestID)
	}
	fmt.Println(err)
	// Output:
	// 409 out_of_stock req_1
	// shop: getOrder: 409 Conflict (out_of_stock): Nothing is left [request req_1]
}

// A source of tokens of any kind: a file, a vault, or golang.org/x/oauth2, whose Token method it calls.
func ExampleWithTokenSource() {
	source := func(context.Context) (client.Token, error) {
		return client.Token{Value: "from the vault", Expires: time.Now().Add(time.Hour)}, nil
	}
	record := client.API{
		Name: "shop", Servers: []client.Server{{URL: "https://api.shop.example"}},
		Schemes:  []client.Scheme{{Name: "oauth", Kind: client.OAuth2}},
		Security: []client.Requirement{{"oauth"}},
	}
	c, err := client.New(&record, client.WithTokenSource("oauth", source))
	if err != nil {
		panic(err)
	}
	get := client.Operation{Call: transport.Operation{ID: "getOrder", Method: http.MethodGet, Path: "/orders/{id}"}}
	var req *http.Request
	_, err = client.Do[any](context.Background(), c, &get, client.Input{Path: []any{"ord_1"}}, []client.Option{client.WithDryRun(&req)})
	fmt.Println(err)
	fmt.Println(req.URL, req.Header.Get("Authorization"))
	// Output:
	// dry run: the request was built and not sent
	// https://api.shop.example/orders/ord_1 Bearer from the vault
}
