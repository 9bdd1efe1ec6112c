// Command roundtrip decodes the examples that real documents show into the generated types and encodes them again: what
// was read has to be what is written, with all digits of numbers, members that no schema names and values that no enum
// has. Request examples are also encoded as a client sends them, which leaves out what is readOnly and nothing else.
//
// An example that its own schema contradicts may be refused or differ where it does; package sample finds these places
// without the generator's help. Everything else that differs is a loss, and the command exits 1.
//
// Usage: go run ./roundtrip [-only NAME,NAME | -spec FILE] [-all] [-fresh] [-markdown FILE] [-v]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrysafe/retrysafe/peers/report"
	"github.com/retrysafe/retrysafe/peers/work"
)

type options struct {
	dir, only, spec, cache, markdown string
	all, fresh, verbose              bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "../../shared/specs", "folder with the documents")
	flag.StringVar(&o.only, "only", "", "names of documents with commas between them; default: those of the table")
	flag.StringVar(&o.spec, "spec", "", "one document that is somewhere else")
	flag.BoolVar(&o.all, "all", false, "every document of the folder")
	flag.BoolVar(&o.fresh, "fresh", false, "take nothing from the cache")
	flag.StringVar(&o.cache, "cache", "../.cache/peers", "folder of generated packages and of what earlier runs gave")
	flag.StringVar(&o.markdown, "markdown", "", "also write the table into this file")
	flag.BoolVar(&o.verbose, "v", false, "print every example that differs")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "roundtrip:", err)
		os.Exit(1)
	}
}

func run(o options, w io.Writer) error {
	documents := []work.Document{{Name: strings.TrimSuffix(filepath.Base(o.spec), filepath.Ext(o.spec)), Path: o.spec}}
	if o.spec == "" {
		var err error
		if documents, err = work.Documents(o.dir, o.only, o.all); err != nil {
			return err
		}
	}
	bench, err := work.Open(o.cache, "roundtrip")
	if err != nil {
		return err
	}
	bench.Fresh = o.fresh
	rows := make([]row, 0, len(documents))
	for _, d := range documents {
		r := hold(bench, d)
		fmt.Fprintln(os.Stderr, line(r))
		if o.verbose {
			for _, n := range r.Notes {
				fmt.Fprintln(os.Stderr, "  "+n)
			}
		}
		for _, n := range r.Losses {
			fmt.Fprintln(os.Stderr, "  LOSS "+n)
		}
		rows = append(rows, r)
	}
	text, losses, examples := table(rows)
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	if o.markdown != "" {
		if err := report.Write(o.markdown, "roundtrip", text); err != nil {
			return err
		}
	}
	switch {
	case losses > 0:
		return fmt.Errorf("%d examples lose something, or could not be tried", losses)
	case examples == 0:
		return errors.New("no document has an example")
	}
	return nil
}

// hold gives what a document's examples gave, from the cache when nothing has changed.
func hold(bench *work.Bench, d work.Document) (r row) {
	data, err := bench.Kept("roundtrip-"+d.Name, d.Path)
	if err == nil && data != nil && json.Unmarshal(data, &r) == nil {
		return r
	}
	r, err = try(bench, d)
	if r.Name = d.Name; err != nil {
		r.Losses = append(r.Losses, err.Error())
		return r
	}
	if err := bench.Keep("roundtrip-"+d.Name, d.Path, r); err != nil {
		fmt.Fprintln(os.Stderr, "roundtrip: not kept:", err)
	}
	return r
}
