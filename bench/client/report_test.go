package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryTableIsWritten runs the command with one call for each client, so that it cannot rot.
func TestEveryTableIsWritten(t *testing.T) {
	text, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}

	docs := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := os.WriteFile(docs, text, 0o600); err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	if err := run(&out, effort{passes: 1, ops: 1}, "", docs); err != nil {
		t.Fatal(err)
	}

	for _, report := range reports() {
		if !strings.Contains(out.String(), report.title) {
			t.Errorf("no table %q", report.title)
		}
	}
}

func TestOnlyWhatIsAskedForRuns(t *testing.T) {
	var out strings.Builder
	if err := run(&out, effort{passes: 1, ops: 1}, "^machine$", ""); err != nil {
		t.Fatal(err)
	}

	if strings.Count(out.String(), "## ") != 1 {
		t.Errorf("more than one table:\n%s", out.String())
	}

	if err := run(io.Discard, effort{passes: 1, ops: 1}, "(", ""); err == nil {
		t.Error("a broken expression is accepted")
	}
}

// TestBarsFail shows that a bar that is missed says so.
func TestBarsFail(t *testing.T) {
	costs := make(map[string]cost)
	for _, c := range contenders() {
		costs[c.name] = cost{allocs: 20, ratio: 1}
	}

	costs[oursName] = cost{allocs: 21, ratio: 1.2}

	for _, b := range successBars(costs) {
		if b.ok {
			t.Errorf("%s: passes with 21 allocations and 1.2 times the CPU of all others", b.name)
		}
	}

	costs[oursName] = cost{allocs: 19, ratio: 0.9}

	for _, b := range successBars(costs) {
		if !b.ok {
			t.Errorf("%s: fails with less than all others", b.name)
		}
	}
}
