// Command specs makes an SDK from each of a folder of real OpenAPI documents and checks what came out:
// generated, built, vetted, clean under staticcheck, every operation present. It prints one table.
//
// Usage: go run ./specs [-dir ../../shared/specs] [-sample] [-run REGEXP] [-markdown FILE]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// sample is what CI runs: small documents of different kinds.
var sample = []string{
	"adyen-checkout", "apideck-proxy", "codat-sync-payables", "formance-ledger",
	"paypal-orders", "resend", "shipengine", "twilio-lookups",
}

// row is one line of the table.
type row struct {
	name                string
	generated, built    bool
	vetted, staticcheck bool
	declared, emitted   int
	warnings            int
	seconds             float64
	buildCPU            float64
	files, lines        int
	fault               string
}

func (r row) ok() bool {
	return r.generated && r.built && r.vetted && r.staticcheck && r.declared == r.emitted
}

func main() {
	dir := flag.String("dir", "../../shared/specs", "folder with the documents")
	only := flag.String("run", "", "regular expression that picks documents by name")
	short := flag.Bool("sample", false, "only the sample that CI runs")
	out := flag.String("out", "", "keep the generated packages in this folder")
	markdown := flag.String("markdown", "", "also write the table to this file")
	flag.Parse()

	if err := run(*dir, *only, *short, *out, *markdown); err != nil {
		fmt.Fprintln(os.Stderr, "specs:", err)
		os.Exit(1)
	}
}

func run(dir, only string, short bool, out, markdown string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	docs, err := documents(dir, pattern, short)
	if err != nil {
		return err
	}
	repo, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if out == "" {
		if out, err = os.MkdirTemp("", "specs"); err != nil {
			return err
		}
		defer os.RemoveAll(out)
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	tools, err := build(repo, out)
	if err != nil {
		return err
	}

	var rows []row
	for _, doc := range docs {
		r := measure(tools, out, doc)
		rows = append(rows, r)
		fmt.Println(line(r))
	}
	report := table(rows)
	fmt.Print("\n", report)
	if markdown != "" {
		if err := os.WriteFile(markdown, []byte(preface()+report), 0o600); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(rows, func(r row) bool { return !r.ok() }); i >= 0 {
		return fmt.Errorf("%s and maybe others failed", rows[i].name)
	}
	return nil
}

func documents(dir string, pattern *regexp.Regexp, short bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the real documents are not here: %w", err)
	}
	var docs []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ext)
		if ext == ".tsv" || !pattern.MatchString(name) || short && !slices.Contains(sample, name) {
			continue
		}
		docs = append(docs, filepath.Join(dir, e.Name()))
	}
	if len(docs) == 0 {
		return nil, errors.New("no document matches")
	}
	return docs, nil
}

// toolset are the programs that the measurement runs.
type toolset struct{ retrysafe, staticcheck string }

// build compiles the generator and staticcheck, and lays out one module that all packages are made in.
func build(repo, out string) (toolset, error) {
	t := toolset{filepath.Join(out, "bin", "retrysafe"), filepath.Join(out, "bin", "staticcheck")}
	if _, err := command(repo, "go", "build", "-o", t.retrysafe, "./cmd/retrysafe"); err != nil {
		return t, err
	}
	if _, err := command(filepath.Join(repo, "tools"), "go", "build", "-o", t.staticcheck, "honnef.co/go/tools/cmd/staticcheck"); err != nil {
		return t, err
	}
	const module = "github.com/retrysafe/retrysafe/sdk"
	mod := "module example.com/specs\n\ngo 1.25.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + filepath.Join(repo, "sdk") + "\n"
	if err := os.WriteFile(filepath.Join(out, "go.mod"), []byte(mod), 0o600); err != nil {
		return t, err
	}
	using := "package specs\n\nimport (\n\t_ \"" + module + "/client\"\n\t_ \"" + module + "/transport\"\n\t_ \"" + module + "/wire\"\n)\n"
	if err := os.WriteFile(filepath.Join(out, "specs.go"), []byte(using), 0o600); err != nil {
		return t, err
	}
	_, err := command(out, "go", "mod", "tidy")
	return t, err
}

// command runs a program outside the workspace and gives its output, and on failure the last lines of it in the error.
func command(dir, name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	output, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		return cmd, fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, strings.Join(lines[:min(3, len(lines))], " | "))
	}
	return cmd, nil
}

func measure(tools toolset, out, doc string) row {
	name := strings.TrimSuffix(filepath.Base(doc), filepath.Ext(doc))
	r := row{name: name}
	fail := func(err error) row {
		r.fault = err.Error()
		return r
	}
	declared, err := countOperations(doc)
	if err != nil {
		return fail(err)
	}
	r.declared = declared

	pkg := strings.ReplaceAll(name, "-", "")
	target := filepath.Join(out, pkg)
	if err := os.RemoveAll(target); err != nil {
		return fail(err)
	}
	abs, err := filepath.Abs(doc)
	if err != nil {
		return fail(err)
	}
	cmd := exec.CommandContext(context.Background(), tools.retrysafe, "generate", "--spec", abs, "--out", target, "--package", pkg, "--json")
	cmd.Dir = out
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	r.seconds = time.Since(start).Seconds()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fail(fmt.Errorf("generate: %w: %s", err, lines[len(lines)-1]))
	}
	r.generated = true
	var summary struct {
		Warnings []any `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(stdout.String()), &summary); err != nil {
		return fail(fmt.Errorf("generate --json: %w", err))
	}
	r.warnings = len(summary.Warnings)
	if r.files, r.lines, r.emitted, err = inspect(target); err != nil {
		return fail(err)
	}
	if r.declared != r.emitted {
		r.fault = "operations missing"
	}
	built, err := command(out, "go", "build", "./"+pkg)
	if err != nil {
		return fail(err)
	}
	r.built = true
	r.buildCPU = (built.ProcessState.UserTime() + built.ProcessState.SystemTime()).Seconds()
	if _, err := command(out, "go", "vet", "./"+pkg+"/..."); err != nil {
		return fail(err)
	}
	r.vetted = true
	if _, err := command(out, tools.staticcheck, "-checks=all,-ST1000", "./"+pkg+"/..."); err != nil {
		return fail(err)
	}
	r.staticcheck = true
	return r
}

// countOperations counts method entries of path items in the document itself, without the generator's help.
func countOperations(doc string) (int, error) {
	data, err := os.ReadFile(doc)
	if err != nil {
		return 0, err
	}
	var root struct {
		Paths map[string]map[string]any `json:"paths" yaml:"paths"`
	}
	decode := yaml.Unmarshal
	if filepath.Ext(doc) == ".json" { // YAML does not take every escape of JSON
		decode = func(data []byte, v any) error { return json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), v) }
	}
	if err := decode(data, &root); err != nil {
		return 0, err
	}
	methods := []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
	n := 0
	for _, item := range root.Paths {
		for key := range item {
			if slices.Contains(methods, key) {
				n++
			}
		}
	}
	return n, nil
}

// inspect counts files, lines and operations of a generated package. An operation counts once however many records it
// has: one with two kinds of body, or with a streaming form, has several.
func inspect(dir string) (files, lines, operations int, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, 0, 0, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return 0, 0, 0, err
		}
		files++
		lines += strings.Count(string(data), "\n")
		parsed, err := parser.ParseFile(token.NewFileSet(), path, data, 0)
		if err != nil {
			return 0, 0, 0, err
		}
		records(parsed, seen)
	}
	return files, lines, len(seen), nil
}

// records notes the method and path of each record of an operation in a file.
func records(file *ast.File, seen map[string]bool) {
	ast.Inspect(file, func(node ast.Node) bool {
		lit, ok := node.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if sel, ok := lit.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Operation" || fmt.Sprint(sel.X) != "transport" {
			return true
		}
		call := map[string]string{}
		for _, elt := range lit.Elts {
			pair, isPair := elt.(*ast.KeyValueExpr)
			if !isPair {
				continue
			}
			if value, isLit := pair.Value.(*ast.BasicLit); isLit {
				call[fmt.Sprint(pair.Key)] = value.Value
			}
		}
		seen[call["Method"]+" "+call["Path"]] = true
		return true
	})
}

func mark(ok bool) string {
	if ok {
		return "yes"
	}
	return "NO"
}

func line(r row) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d/%d | %d | %.1f | %.1f | %d | %d | %s |", r.name, mark(r.generated), mark(r.built), mark(r.vetted),
		mark(r.staticcheck), r.emitted, r.declared, r.warnings, r.seconds, r.buildCPU, r.files, r.lines, strings.ReplaceAll(r.fault, "|", "/"))
}

// preface says what the table is and how it was made.
func preface() string {
	return "# SDKs of real documents\n\n" +
		"Each document of a folder of public OpenAPI documents becomes an SDK; the table says what came of it. Lines are those of\n" +
		"Go files, generated examples included; staticcheck runs with all checks but the one that asks for package comments in\n" +
		"one form. Written by:\n\n```sh\nmake specs    # cd bench && go run ./specs -markdown ../docs/specs.md\n```\n\n" +
		"The generator's tests compile and vet eight of these documents on every run; `-run REGEXP` picks others here.\n\n" +
		runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ", " + strconv.Itoa(runtime.NumCPU()) + " CPUs.\n\n"
}

func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| document | generated | built | vet | staticcheck | operations emitted/declared | warnings | generate s | build CPU s | files | lines | fault |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	good, operations, declared, lines := 0, 0, 0, 0
	for _, r := range rows {
		b.WriteString(line(r) + "\n")
		operations += r.emitted
		declared += r.declared
		lines += r.lines
		if r.ok() {
			good++
		}
	}
	fmt.Fprintf(&b, "\n%d of %d documents pass every check; %d of %d operations; %d lines.\n", good, len(rows), operations, declared, lines)
	return b.String()
}
