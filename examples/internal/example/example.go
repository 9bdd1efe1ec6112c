// Package example runs an example program: against the server that SHOP_BASE_URL names, or else against a shop of its
// own on loopback.
package example

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// Program is the body of an example.
type Program func(ctx context.Context, baseURL string, out io.Writer) error

// Main runs the program and ends the process with 1 when it fails.
func Main(program Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, program)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program Program) error {
	baseURL := os.Getenv("SHOP_BASE_URL")
	if baseURL == "" {
		server, err := shop.Start(shop.Options{})
		if err != nil {
			return err
		}
		defer server.Close()
		baseURL = server.URL
	}
	return program(ctx, baseURL, os.Stdout)
}
