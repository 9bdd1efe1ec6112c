package generator_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator"
)

// reportTests names the tests of each public report about types and bytes (a) and about regeneration (c). Those about
// bytes on the wire are in the module of testdata, on packages that say the same in other words.
var reportTests = map[string][]string{
	"a01": {"TestReportsOfTypes", "TestNamesThatCouldClash"},
	"a04": {"TestReportsOfEnums", "TestNamesThatCouldClash"},
	"a07": {"TestReportsOfTypes", "TestNamesThatCouldClash"},
	"a08": {"TestReportsOfOperations"},
	"a09": {"TestReportsOfOperations", "TestNamesThatCouldClash"},
	"a13": {"TestReportsOfTypes", "TestRoundTrips"},
	"a14": {"TestReportsOfTypes", "TestOptionalAndNullable"},
	"a15": {"TestReportsOfTypes", "TestOptionalAndNullable", "TestRoundTrips"},
	"a16": {"TestReportsOfTypes"},
	"a17": {"TestReportsOfTypes", "TestRoundTrips"},
	"a18": {"TestReportsOfOperations", "TestFormOfNestedValues"},
	"a20": {"TestReportsOfOperations", "TestMediaTypesWithParameters"},
	"a21": {"TestReportsOfTypes", "TestOneTypeForEachFile"},
	"a22": {"TestReportsOfOperations", "TestPathValues"},
	"a24": {"TestReportsOfOperations", "TestAnswersWithoutABody"},
	"c01": {"TestRegenerate", "TestStaleFilesOfEveryKind"},
	"c02": {"TestReportOfDeterminism", "TestTheSameFromRunToRun"},
	"c03": {"TestReportsOfEnums"},
	"c04": {"TestALargeDocument", "TestAnAddedOperationTouchesItsOwnGroup"},
	"c05": {"TestReportOfTheModuleGraph"},
	"c10": {"TestReportOfRemoteReferences", "TestRemoteReferences"},
}

// Every report of the two groups has a test, and every test that is named is there.
func TestEveryReportHasATest(t *testing.T) {
	t.Parallel()
	there := testNames(t)
	seen := 0
	for _, row := range table(t, shared(t, "cases", "reports", "index.tsv")) {
		if row[1] != "a" && row[1] != "c" {
			continue
		}
		seen++
		tests := reportTests[row[0]]
		if len(tests) == 0 {
			t.Errorf("%s has no test: %s", row[0], row[3])
		}
		for _, name := range tests {
			if !there[name] {
				t.Errorf("%s: there is no %s", row[0], name)
			}
		}
		t.Logf("%s %-60s %s", row[0], strings.Join(tests, " "), row[3])
	}
	if seen != len(reportTests) {
		t.Errorf("%d reports, and tests for %d", seen, len(reportTests))
	}
}

// testNames gives the names of the test functions of the generator and of testdata.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	decl := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range decl.FindAllSubmatch(text, -1) {
				names[string(found[1])] = true
			}
		}
	}
	return names
}

// A generated client needs the runtime and nothing of the generator: few requirements, a small graph.
func TestReportOfTheModuleGraph(t *testing.T) {
	t.Parallel()
	spec := shared(t, "cases", "reports", "a14.yaml")
	dir := filepath.Join(t.TempDir(), "sdk")
	if _, err := generator.Generate(context.Background(), generator.Options{Spec: spec, Package: "sdk", Module: "example.com/sdk", Out: dir}); err != nil {
		t.Fatal(err)
	}
	runtime, err := filepath.Abs(filepath.Join("..", "sdk"))
	if err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	command("mod", "edit", "-replace", "github.com/retrysafe/retrysafe/sdk="+runtime) // no release is there yet
	command("mod", "tidy")
	var mod struct {
		Go      string `json:"Go"`
		Require []struct {
			Path     string `json:"Path"`
			Indirect bool   `json:"Indirect"`
		} `json:"Require"`
	}
	if err := json.Unmarshal([]byte(command("mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	graph := strings.Fields(command("list", "-m", "-f", "{{.Path}}", "all"))
	if len(graph) > 15 {
		t.Errorf("%d modules: %v", len(graph), graph)
	}
	for _, never := range []string{"kin-openapi", "echo", "gin", "chi", "fiber", "iris", "oapi-codegen"} {
		if slices.ContainsFunc(graph, func(m string) bool { return slices.Contains(strings.Split(m, "/"), never) }) {
			t.Errorf("%s is in the graph: %v", never, graph)
		}
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	if !slices.Equal(direct, []string{"github.com/retrysafe/retrysafe/sdk"}) {
		t.Errorf("the package itself requires %v", direct)
	}
	if !strings.HasPrefix(mod.Go, "1.25") {
		t.Errorf("the go line is %s", mod.Go)
	}
}
