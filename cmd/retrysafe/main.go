// Command retrysafe makes Go SDKs of OpenAPI documents, whose every call is safe to make twice, and checks servers for
// collapsing what is sent twice.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/retrysafe/retrysafe/conformance/check"
	"github.com/retrysafe/retrysafe/generator/cli"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, check.Command())
}
