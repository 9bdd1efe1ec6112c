// Command bench measures what idempotency costs, as ratios to the same work without it, in one run.
//
//	go run ./bench            all sections, short
//	go run ./bench -rounds 14 -section claim
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings of a run.
type settings struct {
	rounds    int
	length    time.Duration
	growth    int
	rivalKeys int
	dsn       string
	cluster   *pgtest.Cluster
	out       io.Writer
}

var sections = []struct {
	name string
	run  func(ctx context.Context, s *settings) error
}{
	{"middleware", middleware},
	{"claim", claim},
	{"replay", replay},
	{"rivals", rivals},
	{"growth", growth},
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := &settings{out: out}
	flags.IntVar(&s.rounds, "rounds", 6, "rounds of cells, in shuffled order")
	flags.DurationVar(&s.length, "cell", time.Second, "length of a cell")
	flags.IntVar(&s.rivalKeys, "keys", 20, "keys of the section rivals")
	flags.IntVar(&s.growth, "growth", 100_000, "records in the table at the end of the section growth")
	only := flags.String("section", "", "one of middleware, claim, replay, rivals, growth; all when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, section := range sections {
		if *only != "" && *only != section.name {
			continue
		}
		fmt.Fprintf(out, "\n%s\n%s\n", section.name, strings.Repeat("-", len(section.name)))
		if err := s.start(section.name); err != nil {
			return err
		}
		err := section.run(ctx, s)
		if s.cluster != nil {
			if removeErr := s.cluster.Remove(); err == nil {
				err = removeErr
			}
			s.cluster = nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

// start gives every section that needs a database one of its own, on disk and with fsync.
func (s *settings) start(section string) error {
	if section == "middleware" {
		return nil
	}
	bin, err := pgtest.Find()
	if err != nil {
		return err
	}
	s.cluster, err = pgtest.New(bin)
	return err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// spread is the middle half of the values.
func spread(values []float64) string {
	sorted := slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%.2f-%.2f", sorted[len(sorted)/4], sorted[len(sorted)*3/4])
}
