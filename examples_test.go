package retrysafe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutOutput are the public packages whose examples cannot run alone, with the reason.
var withoutOutput = map[string]string{
	"server/sqlstore":  "needs a database and its driver; examples compile and show, servertest runs them for real",
	"server/storetest": "needs a *testing.T",
}

// Every package that a user can import shows how it is used, in an example that runs and whose output is checked.
func TestPublicPackagesHaveExamples(t *testing.T) {
	t.Parallel()
	public := map[string]bool{}
	for dir := range published {
		for line := range strings.Lines(run(t, dir, "go", "list", "-f", "{{.Name}} {{.Dir}}", "./...")) {
			name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
			here, err := filepath.Abs(".")
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(here, path)
			if err != nil {
				t.Fatal(err)
			}
			rel = filepath.ToSlash(rel)
			if name != "main" && !strings.Contains(rel, "internal") && rel != "." {
				public[rel] = true
			}
		}
	}
	if len(public) < 15 {
		t.Fatalf("only %d packages: %v", len(public), public)
	}
	for _, dir := range slices.Sorted(maps.Keys(public)) {
		if has := hasExample(t, dir); has == (withoutOutput[dir] != "") {
			t.Errorf("%s: has an example with output: %t; exempt: %q", dir, has, withoutOutput[dir])
		}
	}
}

func hasExample(t *testing.T, dir string) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Example") {
				continue
			}
			for _, c := range file.Comments {
				if c.Pos() > f.Pos() && c.End() < f.End() && strings.HasPrefix(c.Text(), "Output:") {
					return true
				}
			}
		}
	}
	return false
}
