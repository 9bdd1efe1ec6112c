package client_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// The connection breaks in the middle; the rest is asked for and fits.
func ExampleFetch() {
	content := bytes.NewReader([]byte("the whole of the invoice"))
	broken := false
	c, done := exampleClient(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		if !broken {
			broken = true
			w.Header().Set("Content-Length", "24")
			_, _ = io.WriteString(w, "the whole")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "invoice.pdf", time.Time{}, content)
	})
	defer done()
	op := client.Operation{
		Call:   transport.Operation{ID: "getInvoice", Method: http.MethodGet, Path: "/invoices/7/content", Stream: true},
		Accept: "application/pdf",
	}
	download, err := client.Fetch(context.Background(), c, &op, client.Input{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = download.Close() }()
	text, err := io.ReadAll(download)
	fmt.Println(string(text), len(text) == int(download.Size), err)
	// Output: the whole of the invoice true <nil>
}
