package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// progress shows the step of a run that takes more than a second, on a terminal only.
type progress struct {
	mu     sync.Mutex
	out    io.Writer
	timer  *time.Timer
	start  time.Time
	now    string
	shown  bool
	silent bool
}

func newProgress(out io.Writer, silent bool) *progress {
	return &progress{out: out, silent: silent || !isTerminal(out), start: time.Now()}
}

func (p *progress) step(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = name
	if p.silent {
		return
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(time.Second, p.tick)
	} else if p.shown {
		p.print()
	}
}

func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent {
		return
	}
	p.shown = true
	p.print()
	p.timer.Reset(time.Second)
}

func (p *progress) print() {
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s ... %.0fs", p.now, time.Since(p.start).Seconds())
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.shown {
		_, _ = fmt.Fprint(p.out, "\r\x1b[K")
	}
	p.silent = true
}

// show prints warnings to stderr and the summary to stdout.
func (f *generateFlags) show(streams Streams, opts generator.Options, r *generator.Result) {
	if f.json {
		printJSON(streams.Out, summaryOf(opts, r))
		return
	}
	for _, w := range r.Plan.Warnings {
		_, _ = fmt.Fprintf(streams.Err, "warning: %s\n", w)
	}
	if opts.Check {
		_, _ = io.WriteString(streams.Out, r.Drift)
	}
	if drift := opts.Check && r.Changes.Any(); !f.quiet && !drift {
		_, _ = io.WriteString(streams.Out, summaryText(opts, r))
	}
}

func summaryText(opts generator.Options, r *generator.Result) string {
	s := r.Plan.Summary
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: %s in %s, %s", opts.Package, plural(s.Operations, "operation", "operations"),
		plural(s.Services, "service", "services"), plural(s.Types, "type", "types"))
	line("  take a key:       %s", counted(s.KeyedFrom))
	line("  safe to repeat:   %d", s.Safe)
	line("  not repeated:     %s", counted(s.NotRetried))
	if s.Widened > 0 {
		line("  any value:        %s where Go cannot say what the schema says", plural(s.Widened, "place", "places"))
	}
	if len(s.DroppedStrings) > 0 {
		line("  left out:         %s (--json lists them)", plural(len(s.DroppedStrings), "form of a request body", "forms of request bodies"))
	}
	if n := len(r.Plan.Warnings); n > 0 {
		line("  warnings:         %d", n)
	}
	c := r.Changes
	line("  files in %s: %d new, %d changed, %d removed, %d as they were (%.1fs)",
		opts.Out, len(c.Created), len(c.Updated), len(c.Removed), c.Unchanged, r.Elapsed.Seconds())
	return b.String()
}

func counted(m map[string]int) string {
	total := 0
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		total += m[k]
		parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}

// The JSON forms.
type (
	jsonSummary struct {
		Package    string           `json:"package"`
		Operations int              `json:"operations"`
		Services   int              `json:"services"`
		Types      int              `json:"types"`
		KeyedFrom  map[string]int   `json:"keyed_from"`
		Safe       int              `json:"safe"`
		NotRetried map[string]int   `json:"not_retried"`
		Widened    int              `json:"widened"`
		LeftOut    []string         `json:"left_out"`
		Warnings   []jsonDiagnostic `json:"warnings"`
		Created    []string         `json:"created"`
		Updated    []string         `json:"updated"`
		Removed    []string         `json:"removed"`
		Unchanged  int              `json:"unchanged"`
		Seconds    float64          `json:"seconds"`
	}
	jsonDiagnostic struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Col     int    `json:"col"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	jsonFailure struct {
		Error       string           `json:"error"`
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
	}
	jsonName struct {
		Pointer string `json:"pointer"`
		Kind    string `json:"kind"`
		Go      string `json:"go"`
	}
)

func summaryOf(opts generator.Options, r *generator.Result) jsonSummary {
	s := r.Plan.Summary
	return jsonSummary{
		Package: opts.Package, Operations: s.Operations, Services: s.Services, Types: s.Types, KeyedFrom: s.KeyedFrom, Safe: s.Safe,
		NotRetried: s.NotRetried, Widened: s.Widened, LeftOut: some(s.DroppedStrings), Warnings: diagnostics(r.Plan.Warnings),
		Created: some(r.Changes.Created), Updated: some(r.Changes.Updated), Removed: some(r.Changes.Removed),
		Unchanged: r.Changes.Unchanged, Seconds: r.Elapsed.Seconds(),
	}
}

func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func diagnostics(list []spec.Diagnostic) []jsonDiagnostic {
	out := make([]jsonDiagnostic, len(list))
	for i, d := range list {
		out[i] = jsonDiagnostic{d.Pos.File, d.Pos.Line, d.Pos.Col, d.Code, d.Message}
	}
	return out
}

func failure(err error) jsonFailure {
	out := jsonFailure{Error: err.Error(), Diagnostics: []jsonDiagnostic{}}
	var e *spec.Error
	if errors.As(err, &e) {
		out.Diagnostics = diagnostics(e.Diagnostics)
	}
	return out
}

func printJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) //nolint:errchkjson // v is one of the types above, which always encode
}

// printNames prints the map from the document to Go names.
func printNames(streams Streams, p *plan.Plan, asJSON bool) error {
	if asJSON {
		list := make([]jsonName, len(p.Names))
		for i, n := range p.Names {
			list[i] = jsonName(n)
		}
		printJSON(streams.Out, list)
		return nil
	}
	for _, n := range p.Names {
		if _, err := fmt.Fprintf(streams.Out, "%s\t%s\t%s\n", n.Pointer, n.Kind, n.Go); err != nil {
			return fmt.Errorf("printing names: %w", err)
		}
	}
	return nil
}
