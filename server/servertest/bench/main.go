// Command bench measures what idempotency costs, as ratios to the same work without it, in one run.
//
//	go run ./bench                                       all sections, short
//	go run ./bench -section claim -rounds 30             one of them, longer
//	go run ./bench -growth 10000000 -docs ../../docs/server.md   for the page
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	rounds  int
	length  time.Duration
	growth  int
	rivals  int
	passes  int
	claims  int
	cluster *pgtest.Cluster
	dsn     string // of the newest database
}

// section is one part of the page.
type section struct {
	name     string
	database bool
	run      func(ctx context.Context, s *settings) (string, error)
}

func sections() []section {
	return []section{
		{"machine", true, machine},
		{"claim", true, claim},
		{"parts", true, parts},
		{"replay", true, replay},
		{"rivals", true, rivals},
		{"growth", true, growth},
		{"middleware", false, middleware},
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := &settings{}
	flags.IntVar(&s.rounds, "rounds", 6, "rounds of cells, in shuffled order")
	flags.DurationVar(&s.length, "cell", time.Second, "length of a cell")
	flags.IntVar(&s.growth, "growth", 100_000, "records in the table at the end of the section growth")
	flags.IntVar(&s.rivals, "keys", 20, "keys of the section rivals")
	flags.IntVar(&s.passes, "passes", 21, "passes of the sections parts and middleware")
	flags.IntVar(&s.claims, "claims", 1000, "claims of the section growth, in each table at each size")
	only := flags.String("section", "", "one of machine, claim, parts, replay, rivals, growth, middleware; all when empty")
	docs := flags.String("docs", "", "also write the tables into this page")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, part := range sections() {
		if *only != "" && *only != part.name {
			continue
		}
		text, err := s.section(ctx, part)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Fprintf(out, "## %s\n\n%s\n", part.name, text)
		if *docs != "" {
			if err := fill(*docs, part.name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// section gives every section that needs a database a server of its own, on disk and with fsync.
func (s *settings) section(ctx context.Context, part section) (text string, err error) {
	if part.database && s.cluster == nil {
		bin, err := pgtest.Find()
		if err != nil {
			return "", err
		}
		if s.cluster, err = pgtest.New(bin); err != nil {
			return "", err
		}
		defer func() {
			if removeErr := s.cluster.Remove(); err == nil {
				err = removeErr
			}
			s.cluster = nil
		}()
	}
	return part.run(ctx, s)
}

// machine says where the numbers come from, how fast its disk makes a write durable, and how busy it is otherwise.
func machine(ctx context.Context, s *settings) (string, error) {
	db, _, err := s.database(ctx, 1)
	if err != nil {
		return "", err
	}
	var version, settings string
	if err := db.QueryRowContext(ctx, "SELECT current_setting('server_version')").Scan(&version); err != nil {
		return "", err
	}
	err = db.QueryRowContext(ctx, `SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_settings
WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method')`).Scan(&settings)
	if err != nil {
		return "", err
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown") // not Linux
	}
	fields := strings.Fields(string(load))
	return fmt.Sprintf("%s, %s/%s, %d CPUs; PostgreSQL %s (%s); one durable write of 8 KiB takes %s; load average before the run %s.\n"+
		"%d rounds of cells of %v.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), version, settings,
		durableWrite(ctx), fields[0], s.rounds, s.length), db.Close()
}

// durableWrite asks PostgreSQL's own program for the time of fdatasync.
func durableWrite(ctx context.Context) string {
	bin, err := pgtest.Find()
	if err != nil {
		return "unknown"
	}
	file := filepath.Join(os.TempDir(), "retrysafe-fsync-test")
	defer func() { _ = os.Remove(file) }()
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "pg_test_fsync"), "-s", "1", "-f", file).Output()
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 5 && fields[0] == "fdatasync" {
			return fields[3] + " us"
		}
	}
	return "unknown"
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
