package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func ExampleWithUploadProgress() {
	c, done := exampleClient(func(http.ResponseWriter, *http.Request) {})
	defer done()
	op := client.Operation{
		Call: transport.Operation{ID: "putContent", Method: http.MethodPut, Path: "/content"},
		Body: client.Body{Type: "text/csv", Kind: client.Binary},
	}
	progress := client.WithUploadProgress(func(sent, total int64) { fmt.Println(sent, "of", total) })
	err := c.Exec(context.Background(), &op, client.Input{Body: strings.NewReader("sku,stock\nlamp-1,7\n")}, []client.Option{progress})
	fmt.Println(err)
	// Output:
	// 19 of 19
	// <nil>
}
