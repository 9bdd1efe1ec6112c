// Package retrysafe_test guards the architecture: what no single package can see about itself.
package retrysafe_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "github.com/retrysafe/retrysafe"

// published are the modules that users import, by folder. No edge joins them and none has a replace line,
// so that each can be tagged alone and `go install M/cmd/retrysafe@latest` works.
var published = map[string]string{
	".":      root,
	"sdk":    root + "/sdk",
	"server": root + "/server",
}

// goMod is what go mod edit -json prints.
type goMod struct {
	Module  modPath   `json:"Module"`
	Go      string    `json:"Go"`
	Require []require `json:"Require"`
	Replace []struct {
		Old modPath `json:"Old"`
	} `json:"Replace"`
}

type modPath struct {
	Path string `json:"Path"`
}

type require struct {
	Path     string `json:"Path"`
	Indirect bool   `json:"Indirect"`
}

func readGoMod(t *testing.T, dir string) goMod {
	t.Helper()
	var m goMod
	if err := json.Unmarshal([]byte(run(t, dir, "go", "mod", "edit", "-json")), &m); err != nil {
		t.Fatalf("go.mod of %s: %v", dir, err)
	}
	return m
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s in %s: %v\n%s", name, strings.Join(args, " "), dir, err, stderr.String())
	}
	return string(out)
}

func TestPublishedModulesHaveNoReplaceAndNoEdge(t *testing.T) {
	for dir, path := range published {
		m := readGoMod(t, dir)
		if m.Module.Path != path {
			t.Errorf("%s: module %s, want %s", dir, m.Module.Path, path)
		}
		for _, r := range m.Replace {
			t.Errorf("%s replaces %s: a published module may not, its users would not see it", path, r.Old.Path)
		}
		for _, r := range m.Require {
			if r.Path == root || strings.HasPrefix(r.Path, root+"/") {
				t.Errorf("%s requires %s: published modules have no edge between them", path, r.Path)
			}
		}
	}
}

func TestServerRequiresNothing(t *testing.T) {
	if m := readGoMod(t, "server"); len(m.Require) != 0 {
		t.Errorf("server requires %v: database drivers belong to its users", m.Require)
	}
}

func TestSDKDependsOnWhatTheDesignNames(t *testing.T) {
	allowed := []string{
		"github.com/hashicorp/go-retryablehttp", "github.com/google/uuid", "golang.org/x/time",
		"github.com/jarcoal/httpmock", "go.uber.org/goleak", // tests only
	}
	for _, r := range readGoMod(t, "sdk").Require {
		if !r.Indirect && !slices.Contains(allowed, r.Path) {
			t.Errorf("sdk requires %s: a new dependency needs a record in docs/decisions and a line here", r.Path)
		}
	}
}

// TestConsumerGraph builds a program against each module that users import and counts what it pulls in.
func TestConsumerGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go mod tidy")
	}
	for _, tc := range []struct {
		module, imports string
		most            int
	}{
		{"sdk", root + "/sdk/transport", 14},
		{"server", root + "/server/idempotency", 2},
	} {
		t.Run(tc.module, func(t *testing.T) {
			abs, err := filepath.Abs(tc.module)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			write(t, dir, "go.mod", "module example.com/consumer\n\ngo 1.25.0\n\nrequire "+root+"/"+tc.module+" v0.0.0\n\nreplace "+root+"/"+tc.module+" => "+abs+"\n")
			write(t, dir, "main.go", "package main\n\nimport _ \""+tc.imports+"\"\n\nfunc main() {}\n")
			run(t, dir, "go", "mod", "tidy")
			mods := strings.Fields(strings.ReplaceAll(run(t, dir, "go", "list", "-m", "-f", "{{.Path}}", "all"), "\n", " "))
			if len(mods) > tc.most {
				t.Errorf("%d modules in the graph of a consumer of %s, want at most %d:\n%s", len(mods), tc.module, tc.most, strings.Join(mods, "\n"))
			}
			if m := readGoMod(t, dir); !strings.HasPrefix(m.Go, "1.25") {
				t.Errorf("the consumer's go line became %s: a dependency forces a newer Go on users", m.Go)
			}
		})
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestREADMESamplesAreCompiled keeps the README's samples compiled and tested: each is a part of a file, word for word.
func TestREADMESamplesAreCompiled(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for section, file := range map[string]string{
		"## A sample\n":        "examples/quickstart/main.go",
		"## The server half\n": "server/sqlstore/example_test.go",
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(readme), section)
		_, rest, ok := strings.Cut(rest, "```go\n")
		sample, _, closed := strings.Cut(rest, "```")
		if !ok || !closed || !strings.Contains(string(source), sample) {
			t.Errorf("the Go sample below %q is not a part of %s", strings.TrimSpace(section), file)
		}
	}
	if n := strings.Count(string(readme), "\n"); n > 200 {
		t.Errorf("README.md has %d lines, want at most 200", n)
	}
}

// TestProjectSpeaksOfItselfAlone looks for words that do not belong in what users read.
func TestProjectSpeaksOfItselfAlone(t *testing.T) {
	unwanted := []string{"exactly" + "-once", "TO" + "DO", "/work" + "/", "FIX" + "ME"}
	for name := range strings.FieldsSeq(run(t, ".", "git", "ls-files")) {
		data, err := os.ReadFile(name)
		if err != nil || slices.Contains(data, 0) {
			continue
		}
		for _, word := range unwanted {
			if strings.Contains(string(data), word) {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
}
