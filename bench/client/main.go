// Command client measures what a call that succeeds costs in retrysafe and in the other retrying clients of Go, side by
// side in one run, and prints the tables of docs/benchmarks.md.
//
// Allocations are exact. CPU is the time of the whole process, given as a ratio to a baseline that is measured in the
// same passes, because wall-clock time on a shared machine says little.
//
// Usage: go run ./client [-passes N] [-ops N] [-run REGEXP] [-docs ../docs/benchmarks.md]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() {
	passes := flag.Int("passes", 40, "passes over all clients")
	ops := flag.Int("ops", 10_000, "calls of a client in a pass")
	docs := flag.String("docs", "", "also write the tables into this page")
	only := flag.String("run", "", "regular expression that picks tables by name")
	flag.Parse()

	if err := run(os.Stdout, effort{passes: *passes, ops: *ops}, *only, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, e effort, only, docs string) error {
	picked, err := regexp.Compile(only)
	if err != nil {
		return err
	}

	for _, report := range reports() {
		if !picked.MatchString(report.name) {
			continue
		}

		text, err := report.make(e)
		if err != nil {
			return err
		}

		fmt.Fprintf(out, "%s\n\n%s\n", report.title, text)

		if docs != "" {
			if err := report.write(docs, text); err != nil {
				return err
			}
		}
	}

	return nil
}
