package generator_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator"
)

// compiled are the real documents whose packages every run of the tests compiles: small ones of different kinds. All of
// them are compiled by make specs.
var compiled = []string{
	"adyen-checkout", "apideck-proxy", "codat-sync-payables", "formance-ledger",
	"paypal-orders", "resend", "shipengine", "twilio-lookups",
}

// The packages of real documents compile and pass go vet, with every operation in them.
func TestRealDocumentsCompile(t *testing.T) {
	t.Parallel()
	specs := slices.DeleteFunc(realSpecs(t), func(s realSpec) bool { return !slices.Contains(compiled, s.name) })
	if len(specs) != len(compiled) {
		t.Fatalf("%d documents of %d are there", len(specs), len(compiled))
	}
	module := t.TempDir()
	writeModule(t, module)
	build := append(make([]string, 0, 1+len(specs)), "build") // without the programs in examples, which vet compiles and build would link
	for _, s := range specs {
		pkg := strings.ReplaceAll(s.name, "-", "")
		result, err := generator.Generate(context.Background(), generator.Options{Spec: s.file, Package: pkg, Out: filepath.Join(module, pkg)})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(operations(result.Plan)); got != s.operations {
			t.Errorf("%s: %d operations of %d", s.name, got, s.operations)
		}
		build = append(build, "./"+pkg)
	}
	for _, args := range [][]string{build, {"vet", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s", args, err, out)
		}
	}
}

// writeModule makes a module in dir that needs the runtime of this repository, at the versions that the runtime itself
// needs, so that nothing is looked up.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	sdk, err := filepath.Abs(filepath.Join("..", "sdk"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(sdk, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(sdk, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const runtime = "github.com/retrysafe/retrysafe/sdk"
	text := strings.Replace(string(mod), "module "+runtime, "module example.com/real", 1) +
		"\nrequire " + runtime + " v0.0.0\n\nreplace " + runtime + " => " + sdk + "\n"
	for name, data := range map[string][]byte{"go.mod": []byte(text), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
