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
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/peers/report"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "../../shared/specs", "folder with the documents")
	only := flag.String("only", "", "names of documents with commas between them; default: those of the table")
	flag.BoolVar(&o.all, "all", false, "every document of the folder")
	flag.BoolVar(&o.fresh, "fresh", false, "take nothing from the cache")
	flag.StringVar(&o.cache, "cache", "../.cache/prism", "folder of what earlier runs gave")
	flag.StringVar(&o.markdown, "markdown", "", "also write the table into this file")
	flag.BoolVar(&o.verbose, "v", false, "print every call that was not answered well")
	flag.Parse()
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "prism:", err)
		os.Exit(1)
	}
}

type options struct {
	dir, cache, markdown string
	only                 []string
	all, fresh, verbose  bool
}

// documents are those of the table: of many vendors and shapes, and small enough that all of them take minutes.
var documents = []string{
	"adyen-checkout", "adyen-legalentity", "adyen-payout", "adyen-transfers", "apideck-filestorage", "apideck-proxy", "apideck-vault",
	"codat-files", "codat-lending", "codat-platform", "codat-sync-payables", "datadog-v1", "discord", "elevenlabs", "formance-ledger",
	"intercom", "k8s-apps", "k8s-authn", "lakefs", "lakefs-authz", "lob", "mattermost", "modern-treasury", "mollie", "nomad", "okta-oag",
	"okta-oauth", "ory", "paypal-disputes", "paypal-orders", "paypal-payments", "paypal-payouts", "paypal-subscriptions", "qdrant",
	"resend", "shipengine", "twilio-api", "twilio-conversations", "twilio-iam-orgs", "twilio-lookups",
}

const (
	leastShare     = 0.98
	leastDocuments = 25
)

func run(o options) error {
	specs, err := choose(o)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "prism")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b, err := newBench(work, o)
	if err != nil {
		return err
	}
	rows := b.rows(specs)
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
	case o.only == nil && len(rows) < leastDocuments:
		return fmt.Errorf("%d documents, at least %d must be", len(rows), leastDocuments)
	}
	return nil
}

// document is one file.
type document struct{ name, path string }

func choose(o options) ([]document, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return nil, fmt.Errorf("the real documents are not here: %w", err)
	}
	wanted := documents
	if o.only != nil {
		wanted = o.only
	}
	var out []document
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if filepath.Ext(e.Name()) != ".tsv" && (o.all && o.only == nil || slices.Contains(wanted, name)) {
			out = append(out, document{name, filepath.Join(o.dir, e.Name())})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no document has that name")
	}
	return out, nil
}
