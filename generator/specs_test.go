package generator_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
)

// shared finds a folder beside the repository that holds real documents and reports. Without it the test is skipped,
// except in CI, where it has to be there.
func shared(t *testing.T, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("not inside the workspace")
		}
		dir = parent
	}
	path := filepath.Join(append([]string{dir, "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not there", path)
		}
		t.Skipf("%s is not there", path)
	}
	return path
}

// table reads a file of tab-separated values, without its head.
func table(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

type realSpec struct {
	name, file string
	operations int
}

func realSpecs(t *testing.T) []realSpec {
	t.Helper()
	dir := shared(t, "specs")
	rows := table(t, filepath.Join(dir, "index.tsv"))
	specs := make([]realSpec, 0, len(rows))
	for _, row := range rows {
		matches, err := filepath.Glob(filepath.Join(dir, row[0]+".*"))
		if err != nil || len(matches) != 1 {
			t.Fatalf("%s: %v %v", row[0], matches, err)
		}
		n, err := strconv.Atoi(row[6])
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, realSpec{row[0], matches[0], n})
	}
	return specs
}

// Every real document gives a plan with every one of its operations, and quickly.
func TestPlanOfRealDocuments(t *testing.T) {
	t.Parallel()
	for _, s := range realSpecs(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			p, err := generator.Plan(ctx, generator.Options{Spec: s.file, Package: "sdk", Out: "unused"})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(operations(p)); got != s.operations || p.Summary.Operations != s.operations {
				t.Errorf("%d operations of %d", got, s.operations)
			}
			for _, w := range p.Warnings {
				if w.Pos.Line == 0 || w.Code == "" {
					t.Errorf("a warning without a place or a code: %s", w)
				}
			}
			uniqueNames(t, p)
		})
	}
}

// operations counts methods by operation.
func operations(p *plan.Plan) map[string]int {
	out := map[string]int{}
	for m := range p.Methods() {
		out[m.HTTP+" "+m.Path]++
	}
	return out
}

// uniqueNames checks that no two things of the package have one name.
func uniqueNames(t *testing.T, p *plan.Plan) {
	t.Helper()
	seen := map[string]string{}
	take := func(name, what string) {
		if old, ok := seen[name]; ok {
			t.Errorf("%s is the name of a %s and of a %s", name, old, what)
		}
		seen[name] = what
	}
	for _, typ := range p.Types {
		take(typ.Name, "type")
		for _, v := range typ.Values {
			take(v.GoName, "constant")
		}
		fields := map[string]bool{typ.ExtraName: true}
		for _, f := range typ.Fields {
			if fields[f.GoName] {
				t.Errorf("%s has the field %s twice", typ.Name, f.GoName)
			}
			fields[f.GoName] = true
		}
	}
	for s := range p.All() {
		take(s.TypeName, "service")
		methods := map[string]bool{}
		for _, m := range s.Methods {
			if methods[m.GoName] {
				t.Errorf("%s has the method %s twice", s.TypeName, m.GoName)
			}
			methods[m.GoName] = true
			take(m.OpVar, "record")
			if m.Params != nil {
				take(m.Params.TypeName, "params struct")
			}
			if m.Result.TypeName != "" {
				take(m.Result.TypeName, "result struct")
			}
		}
	}
}
