// Command shop-server serves the reference API of openapi.yaml, with faults on demand.
//
//	go run ./shop-server                                   on SQLite, in a file of the temporary folder
//	go run ./shop-server -db postgres://localhost/shop     on PostgreSQL
//	go run ./shop-server -db memory -seed 7                in memory; spoils three of ten requests, the same ones each time
//	curl -H 'X-Shop-Fault: drop-after' ...                 spoils this request: the effect happens, the answer is lost
//	curl http://127.0.0.1:8080/debug/effects               what really happened
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/examples/shop-server/sqlbackend"
	"github.com/retrysafe/retrysafe/server/idempotency"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("shop-server", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:8080", "address to listen on")
	db := flags.String("db", filepath.Join(os.TempDir(), "retrysafe-shop.db"), "a SQLite file, a postgres:// address, or memory")
	bank := flags.String("bank", "", "address of a bank; without one the shop is its own")
	lease := flags.Duration("lease", 0, "how long the claim of a payment outlives its process (default 30s)")
	seed := flags.Uint64("seed", 0, "draw faults with this seed; 0 draws none")
	limit := flags.Int("limit", 2, "how many arrivals of one request may be spoiled by the seed")
	stall := flags.Duration("stall", 30*time.Second, "how long a stalled request hangs")
	flags.Usage = func() {
		fmt.Fprintln(out, "usage: shop-server [flags]")
		flags.PrintDefaults()
		fmt.Fprintf(out, "faults for the %s header, one for each arrival: %s\n", shop.FaultHeader, strings.Join(shop.Names(), ", "))
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	options := shop.Options{Stall: *stall, Lease: *lease}
	if *seed != 0 {
		options.Faults = shop.Seeded(*seed, shop.DefaultMix(), *limit)
	}
	if *bank != "" {
		options.Processor = shop.BankAt(&http.Client{Timeout: 10 * time.Second}, *bank)
	}
	if *db == "memory" {
		return serve(ctx, *listen, options, nil, out)
	}
	backend, err := sqlbackend.Open(ctx, *db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	options.Backend = backend
	return serve(ctx, *listen, options, backend.Store, out)
}

// serve answers until ctx ends. Beside that it finishes and clears away the records of the store, if there is one.
func serve(ctx context.Context, address string, options shop.Options, store idempotency.Sweeper, out io.Writer) error {
	handler, err := shop.New(ctx, options)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := shop.NewServer(handler)
	fmt.Fprintf(out, "shop listens on http://%s/v1\n", listener.Addr())

	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	if store != nil {
		background.Go(func() {
			fmt.Fprintln(out, "completer:", idempotency.Completer{Store: store, Handler: handler.Guarded()}.Run(ctx))
		})
		background.Go(func() { fmt.Fprintln(out, "reaper:", idempotency.Reaper{Store: store}.Run(ctx)) })
	}
	err = server.Serve(listener)
	stop()
	background.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
