// Command prism holds generated SDKs against Prism, which nobody here wrote: it validates each request against the
// document and answers by the document. For each document a smoke program is generated that calls every operation with
// values made from the schemas.
//
// It prints one table, and with -markdown writes it into a section of that file. What a document gave is kept in the
// cache folder until the document, the generator, the runtime or this program changes, so a run that was stopped goes on
// where it was. It exits 1 when fewer than 98 % of the operations were answered, when fewer than 25 documents were
// held against Prism, or when a failure has no reason in known.go.
//
// Usage: npm install --no-package-lock && go run ./prism [-only NAME,NAME] [-all] [-fresh] [-markdown FILE] [-v]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/retrysafe/retrysafe/peers/report"
	"github.com/retrysafe/retrysafe/peers/work"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "../../shared/specs", "folder with the documents")
	flag.StringVar(&o.only, "only", "", "names of documents with commas between them; default: those of the table")
	flag.BoolVar(&o.all, "all", false, "every document of the folder")
	flag.BoolVar(&o.fresh, "fresh", false, "take nothing from the cache")
	flag.StringVar(&o.cache, "cache", "../.cache/peers", "folder of generated packages and of what earlier runs gave")
	flag.StringVar(&o.markdown, "markdown", "", "also write the table into this file")
	flag.BoolVar(&o.verbose, "v", false, "print every call that was not answered well")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "prism:", err)
		os.Exit(1)
	}
}

type options struct {
	dir, only, cache, markdown string
	all, fresh, verbose        bool
}

const (
	leastShare     = 0.98
	leastDocuments = 25
)

func run(o options) error {
	specs, err := work.Documents(o.dir, o.only, o.all)
	if err != nil {
		return err
	}
	bench, err := work.Open(o.cache, "prism")
	if err != nil {
		return err
	}
	bench.Fresh = o.fresh
	rows := rows(bench, specs, o.verbose)
	text, total, answered, unexplained := table(rows)
	fmt.Print(text)
	if o.markdown != "" {
		if err := report.Write(o.markdown, "prism", text); err != nil {
			return err
		}
	}
	switch {
	case unexplained > 0:
		return fmt.Errorf("%d failures have no reason: mend them, or say in known.go whose fault they are", unexplained)
	case float64(answered) < leastShare*float64(total):
		return fmt.Errorf("%d of %d operations were answered and decoded; at least %g %% must be", answered, total, 100*leastShare)
	case o.only == "" && len(rows) < leastDocuments:
		return fmt.Errorf("%d documents, at least %d must be", len(rows), leastDocuments)
	}
	return nil
}
