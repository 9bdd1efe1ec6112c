// Command shop-server serves the reference API of openapi.yaml in memory, with faults on demand.
//
//	go run ./shop-server -listen 127.0.0.1:8080            a shop without faults
//	go run ./shop-server -seed 7                           spoils every fourth request, the same ones each time
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
	"strings"
	"syscall"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
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
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("shop-server", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:8080", "address to listen on")
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
	options := shop.Options{Stall: *stall}
	if *seed != 0 {
		options.Faults = shop.Seeded(*seed, shop.DefaultMix(), *limit)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return err
	}
	server := shop.NewServer(shop.New(options))
	fmt.Fprintf(out, "shop listens on http://%s/v1\n", listener.Addr())
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
