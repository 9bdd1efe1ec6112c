package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/cli"
)

const document = `openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets:
    get: {operationId: listPets, tags: [Pets], responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}}}
    post: {operationId: createPet, tags: [Pets], parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}], responses: {'204': {description: none}}}
  /owners:
    post: {operationId: createOwner, tags: [Owners], responses: {'204': {description: none}}}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string}}}
`

// run runs one command line in a folder with those files and gives the code and the two outputs.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Run(context.Background(), args, cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err})
	return code, out.String(), err.String()
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"generate"}, "give --spec FILE"},
		{[]string{"generate", "--spec", "x.yaml"}, "give --out DIR"},
		{[]string{"generate", "--spec", "x.yaml", "--out", "x"}, "give --package NAME"},
		{[]string{"generate", "--spec", "x.yaml", "--out", "x", "--package", "my-sdk"}, `"my-sdk" cannot be the name of a package`},
		{[]string{"generate", "--nope"}, "unknown flag: --nope"},
		{[]string{"generate", "more"}, `unknown command or argument "more"`},
		{[]string{"generat"}, "generat"},
	} {
		code, _, stderr := run(t, "", c.args...)
		if code != 2 || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "--help") {
			t.Errorf("%v: %d %s, want 2 and %q", c.args, code, stderr, c.want)
		}
	}
}

func TestHelpShowsExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"generate", "--help"}, {"help", "generate"}} {
		code, stdout, _ := run(t, "", args...)
		if code != 0 || !strings.Contains(stdout, "retrysafe generate --check") || !strings.Contains(stdout, "--allow-remote-refs") {
			t.Errorf("%v: %d\n%s", args, code, stdout)
		}
	}
	if code, stdout, _ := run(t, "", "completion", "bash"); code != 0 || !strings.Contains(stdout, "retrysafe") {
		t.Error("no shell completion")
	}
	if code, stdout, _ := run(t, "", "version"); code != 0 || !strings.HasPrefix(stdout, "retrysafe ") {
		t.Errorf("version: %d %s", code, stdout)
	}
}

func TestGenerateFromStdinThenCheck(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pets")
	args := []string{"generate", "--spec", "-", "--out", dir, "--package", "pets"}
	code, stdout, stderr := run(t, document, args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%d %s", code, stderr)
	}
	for _, want := range []string{"pets: 3 operations in 2 services, 1 type", "take a key:       1 (1 header-parameter)", "safe to repeat:   1", "1 POST that declares no idempotency key"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, stdout)
		}
	}
	if code, stdout, stderr = run(t, document, append(args, "--check")...); code != 0 {
		t.Errorf("check of what was just made: %d\n%s%s", code, stdout, stderr)
	}
	changed := strings.Replace(document, "name: {type: string}", "name: {type: string}, age: {type: integer}", 1)
	code, stdout, stderr = run(t, changed, append(args, "--check")...)
	if code != 1 || !strings.Contains(stdout, "+\tAge  *int64") || !strings.Contains(stderr, "without --check") {
		t.Errorf("check of a changed document: %d\n%s%s", code, stdout, stderr)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pets")
	code, stdout, _ := run(t, strings.Replace(document, "openapi: 3.1.0", "openapi: 3.2.0", 1), "generate", "--spec", "-", "--out", dir, "--package", "pets", "--json")
	var summary struct {
		Operations int            `json:"operations"`
		KeyedFrom  map[string]int `json:"keyed_from"`
		Warnings   []struct {
			Line int    `json:"line"`
			Code string `json:"code"`
		} `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(stdout), &summary); code != 0 || err != nil || summary.Operations != 3 || summary.KeyedFrom["header-parameter"] != 1 {
		t.Errorf("%d %v\n%s", code, err, stdout)
	}
	if len(summary.Warnings) != 1 || summary.Warnings[0].Code != "openapi-version" || summary.Warnings[0].Line != 1 {
		t.Errorf("warnings: %+v", summary.Warnings)
	}
	code, stdout, _ = run(t, "swagger: '2.0'", "generate", "--spec", "-", "--out", dir, "--package", "pets", "--json")
	var failure struct {
		Diagnostics []struct {
			Code string `json:"code"`
		} `json:"diagnostics"`
	}
	if err := json.Unmarshal([]byte(stdout), &failure); code != 1 || err != nil || len(failure.Diagnostics) != 1 || failure.Diagnostics[0].Code != "swagger-2" {
		t.Errorf("%d %v\n%s", code, err, stdout)
	}
	if code, _, _ = run(t, "", "generate", "--json", "--config", os.DevNull); code != 2 {
		t.Errorf("usage with --json gives %d", code)
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pets")
	text := strings.Replace(document, "operationId: createOwner", "operationId: listPets", 1)
	code, _, stderr := run(t, text, "generate", "--spec", "-", "--out", dir, "--package", "pets", "--strict")
	if code != 1 || !strings.Contains(stderr, "<stdin>:") || !strings.Contains(stderr, "duplicate-operation-id") {
		t.Errorf("%d %s", code, stderr)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written")
	}
	code, _, stderr = run(t, text, "generate", "--spec", "-", "--out", dir, "--package", "pets")
	if code != 0 || !strings.HasPrefix(stderr, "warning: <stdin>:") {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "api.yaml", document)
	good := write(t, dir, "good.yaml", "spec: api.yaml\nout: out\npackage: pets\ntags: [Pets]\nnames:\n  /components/schemas/Pet: Animal\n")
	code, stdout, stderr := run(t, "", "generate", "--config", good, "--package", "zoo")
	if code != 0 || !strings.HasPrefix(stdout, "zoo: 2 operations in 1 service") {
		t.Fatalf("%d %s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out", "types.gen.go")); err != nil || !strings.Contains(string(text), "type Animal struct") {
		t.Errorf("the name of the config is not there: %v", err)
	}
	bad := write(t, dir, "bad.yaml", "spec: api.yaml\npakkage: pets\nstrict: maybe\nnames:\n  Pet: Animal\n")
	code, _, stderr = run(t, "", "generate", "--config", bad)
	for _, want := range []string{`bad.yaml:2:1: there is no setting "pakkage"; the settings are spec, out`, "bad.yaml:3:9: this setting is true or false, not string", `bad.yaml:5:3: "Pet" is not a JSON pointer`} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%d: no %q in\n%s", code, want, stderr)
		}
	}
	if code, _, stderr = run(t, "", "generate", "--config", filepath.Join(dir, "none.yaml")); code != 1 || !strings.Contains(stderr, "none.yaml") {
		t.Errorf("%d %s", code, stderr)
	}
}

// TestConfigOfAnotherDocument runs in a folder whose retrysafe.yaml is about another document than the one asked for.
func TestConfigOfAnotherDocument(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "api.yaml", document)
	write(t, dir, "other.yaml", strings.ReplaceAll(document, "Pet", "Dog"))
	write(t, dir, "retrysafe.yaml", "spec: api.yaml\nout: out\npackage: pets\nnames:\n  /components/schemas/Pet: Animal\n")
	code, stdout, stderr := run(t, "", "generate", "--spec", "other.yaml", "--out", "dogs", "--package", "dogs")
	if code != 0 || !strings.HasPrefix(stdout, "dogs: 3 operations") || !strings.Contains(stderr, "retrysafe.yaml is about api.yaml and is not used") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = run(t, "", "generate", "--spec", "./api.yaml"); code != 0 || !strings.HasPrefix(stdout, "pets: 3 operations") {
		t.Errorf("the same document: %d %s%s", code, stdout, stderr)
	}
}

func TestPrintNames(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := run(t, document, "generate", "--spec", "-", "--package", "pets", "--print-names")
	for _, want := range []string{"/components/schemas/Pet\ttype\tPet\n", "/components/schemas/Pet/properties/name\tfield\tPet.Name\n", "/paths/~1pets/get\tmethod\tPets.List\n"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%d: no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
}
