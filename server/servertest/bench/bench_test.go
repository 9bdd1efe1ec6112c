package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/servertest/pgtest"
)

// Every section runs, so that none can rot. What it measures in this time means nothing.
func TestSectionsRun(t *testing.T) {
	s := &settings{rounds: 1, length: 20 * time.Millisecond, growth: 200, rivals: 1, passes: 1, claims: 10, cluster: pgtest.Start(t)}
	for _, part := range sections() {
		if part.name == "machine" {
			continue // asks the disk for half a minute
		}
		text, err := s.section(t.Context(), part)
		if err != nil || strings.Count(text, "\n| ") < 2 {
			t.Errorf("%s: %v\n%s", part.name, err, text)
		}
	}
}

// The page has a place for every section.
func TestPageHasEverySection(t *testing.T) {
	page, err := os.ReadFile("../../../docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, part := range sections() {
		for _, text := range []string{"first", "second"} {
			if err := fill(file, part.name, text); err != nil {
				t.Error(err)
			}
		}
		filled, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := "<!-- " + part.name + " -->\n\nsecond\n\n<!-- /" + part.name + " -->\n"; !strings.Contains(string(filled), want) {
			t.Errorf("%s: not filled", part.name)
		}
	}
	if err := fill(file, "no such section", ""); err == nil {
		t.Error("a page without the markers was filled")
	}
}
