// Command demo buys things over a network that loses answers, three times over with the same faults: through the
// generated SDK, through net/http, and through net/http with a naive retry loop. It compares what was meant with what
// happened on the server, and exits with 1 when the SDK did not bring about each intent one time.
//
//	go run ./demo              200 orders and 200 payments
//	go run ./demo -seed 7      with other faults
//	go run ./demo -all         a line for each call, not only for those that met a fault
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// settings are the flags.
type settings struct {
	seed     uint64
	orders   int
	workers  int
	limit    int
	attempts int
	timeout  time.Duration
	faults   float64
	all      bool
}

// mix is the mix of faults, stretched or shrunk.
func (s settings) mix() shop.Mix {
	mix := shop.DefaultMix()
	for fault := range mix {
		mix[fault] *= s.faults
	}
	return mix
}

// errDiffer says that the SDK's effects are not its intents.
var errDiffer = errors.New("demo: effects and intents differ")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, terminalOf(os.Stdout))
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, term terminal) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(out)
	var s settings
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the faults: the same seed meets the same faults")
	flags.IntVar(&s.orders, "orders", 200, "how many orders to make, each with a payment")
	flags.IntVar(&s.workers, "workers", 8, "how many purchases run at the same time")
	flags.IntVar(&s.limit, "limit", 2, "how many attempts of one request may meet a fault")
	flags.IntVar(&s.attempts, "naive-attempts", 5, "attempts of the naive retry loop")
	flags.DurationVar(&s.timeout, "timeout", 2*time.Second, "timeout of one attempt, for all three")
	flags.Float64Var(&s.faults, "faults", 1, "factor on how often faults are drawn (1: three of ten requests)")
	flags.BoolVar(&s.all, "all", false, "show calls without a fault too")
	if err := flags.Parse(args); err != nil {
		return err
	}

	fmt.Fprintf(out, "%d orders and %d payments over a network that loses answers (seed %d)\n", s.orders, s.orders, s.seed)
	fmt.Fprint(out, "A row is a call that met a fault, with the end of each attempt in turn.\n\"stored\": the answer of an earlier attempt, given again by the server.\n\n")
	screen := newScreen(out, term, 2*s.orders, s.all)
	t := &tally{retries: map[string]int{}}
	withSDK, err := buyAll(ctx, s, generated(s, t, screen.done))
	screen.close()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nThe same again with net/http, then with a naive retry loop around it ...")
	withPlain, err := buyAll(ctx, s, plain(s))
	if err != nil {
		return err
	}
	withNaive, err := buyAll(ctx, s, naive(s))
	if err != nil {
		return err
	}
	report(out, term, s, t, withSDK, withPlain, withNaive)
	if withSDK.happened() != withSDK.intents || withSDK.doubled() != 0 || withSDK.lost() != 0 {
		return errDiffer
	}
	return nil
}
