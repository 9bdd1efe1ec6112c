// Command prism holds generated SDKs against Prism, which nobody here wrote: it validates each request against the
// document and answers by the document. For each document a smoke program is generated that calls every operation with
// values made from the schemas. It prints one table.
//
// Usage: npm install --no-package-lock && go run ./prism [-dir ../../shared/specs] [-run REGEXP] [-markdown FILE] [-v]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/peers/sample"
	"github.com/retrysafe/retrysafe/peers/smoke"
)

func main() {
	dir := flag.String("dir", "../../shared/specs", "folder with the documents")
	only := flag.String("run", "", "regular expression that picks documents by name")
	markdown := flag.String("markdown", "", "also write the table to this file")
	verbose := flag.Bool("v", false, "print every call that was not answered well")
	flag.Parse()
	if err := run(*dir, *only, *markdown, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "prism:", err)
		os.Exit(1)
	}
}

// row is what one document gave.
type row struct {
	name    string
	counts  map[string]int
	reasons map[string]int // of calls that were refused or not decoded
	calls   int
	fault   string
}

func (r row) answered() int { return r.counts["ok"] + r.counts["example"] + r.counts["error-answer"] }

func run(dir, only, markdown string, verbose bool) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the real documents are not here: %w", err)
	}
	work, err := os.MkdirTemp("", "prism")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := layOut(work); err != nil {
		return err
	}
	var rows []row
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if filepath.Ext(e.Name()) == ".tsv" || !pattern.MatchString(name) {
			continue
		}
		r := hold(work, name, filepath.Join(dir, e.Name()), verbose)
		fmt.Fprintln(os.Stderr, line(r))
		rows = append(rows, r)
	}
	report := table(rows)
	fmt.Print(report)
	if markdown != "" {
		return os.WriteFile(markdown, []byte(report), 0o600)
	}
	return nil
}

// layOut makes one module for all generated packages and their programs.
func layOut(work string) error {
	repo, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	const root = "github.com/retrysafe/retrysafe"
	mod := "module example.com/prism\n\ngo 1.26.0\n\nrequire (\n\t" + root + "/sdk v0.0.0\n\t" + root + "/peers v0.0.0\n)\n\nreplace (\n\t" +
		root + " => " + repo + "\n\t" + root + "/sdk => " + filepath.Join(repo, "sdk") + "\n\t" + root + "/peers => " + filepath.Join(repo, "peers") + "\n)\n"
	if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte(mod), 0o600); err != nil {
		return err
	}
	using := "package prism\n\nimport (\n\t_ \"" + root + "/peers/smoke\"\n\t_ \"" + root + "/sdk/client\"\n)\n"
	if err := os.WriteFile(filepath.Join(work, "prism.go"), []byte(using), 0o600); err != nil {
		return err
	}
	return command(work, "go", "mod", "tidy")
}

func command(dir, name string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.Join(lines[:min(3, len(lines))], " | "))
	}
	return nil
}

// hold generates, builds, starts Prism and calls every operation.
func hold(work, name, doc string, verbose bool) row {
	r := row{name: name, counts: map[string]int{}, reasons: map[string]int{}}
	outcomes, err := calls(work, name, doc)
	if err != nil {
		r.fault = err.Error()
	}
	for _, o := range outcomes {
		r.calls++
		r.counts[o.Result]++
		if o.Result != "ok" && o.Result != "error-answer" {
			r.reasons[reason(o)]++
			if verbose {
				fmt.Fprintf(os.Stderr, "  %s %s: %s\n", o.ID, o.Result, shorten(o.Detail))
			}
		}
	}
	return r
}

func calls(work, name, doc string) ([]smoke.Outcome, error) {
	pkg := strings.ReplaceAll(name, "-", "")
	dir := filepath.Join(work, pkg)
	result, err := generator.Generate(context.Background(), generator.Options{Spec: doc, Out: dir, Package: pkg})
	if err != nil {
		return nil, err
	}
	values, err := sample.Load(doc)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(work, pkg+"main")
	if err := os.MkdirAll(program, 0o750); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(program, "main.go"), []byte(source(result.Plan, pkg, values)), 0o600); err != nil {
		return nil, err
	}
	binary := filepath.Join(program, "program")
	if err := command(work, "go", "build", "-o", binary, "./"+pkg+"main"); err != nil {
		return nil, err
	}
	mock, base, err := startPrism(doc)
	if err != nil {
		return nil, err
	}
	defer mock()
	return call(binary, base, result.Plan)
}

// call runs the smoke program against the mock.
func call(binary, base string, p *plan.Plan) ([]smoke.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), "SMOKE_BASE_URL="+base)
	for _, s := range p.Schemes {
		for _, name := range s.Env {
			cmd.Env = append(cmd.Env, name+"=secret")
		}
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var outcomes []smoke.Outcome
	decoder := json.NewDecoder(out)
	for {
		var o smoke.Outcome
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, cmd.Wait()
}

// startPrism serves a document on a free loopback port and waits until it answers.
func startPrism(doc string) (stop func(), base string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, "", err
	}
	if err := listener.Close(); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node_modules/.bin/prism", "mock", "-h", "127.0.0.1", "-p", port, doc)
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, "", err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, "", fmt.Errorf("prism is not there; run npm install --no-package-lock in peers/: %w", err)
	}
	stop = func() { cancel(); _ = cmd.Wait() }
	ready := make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		last := ""
		for scanner.Scan() {
			last = scanner.Text()
			if strings.Contains(last, "Prism is listening") {
				ready <- nil
				_, _ = io.Copy(io.Discard, out)
				return
			}
		}
		ready <- fmt.Errorf("prism does not take the document: %s", shorten(last))
	}()
	select {
	case err = <-ready:
	case <-time.After(3 * time.Minute):
		err = errors.New("prism did not start within 3 minutes")
	}
	if err != nil {
		stop()
		return nil, "", err
	}
	return stop, "http://127.0.0.1:" + port, nil
}

// source is the smoke program: a table of method values and JSON arguments.
func source(p *plan.Plan, pkg string, values *sample.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"log\"\n\t\"os\"\n\n\tapi %q\n\n\t\"github.com/retrysafe/retrysafe/peers/smoke\"\n\t\"github.com/retrysafe/retrysafe/sdk/client\"\n)\n\n", "example.com/prism/"+pkg)
	b.WriteString("var _ json.RawMessage\n\nfunc token(context.Context) (client.Token, error) { return client.Token{Value: \"secret\"}, nil }\n\n")
	b.WriteString("var tokens = []api.Option{\n")
	for _, scheme := range p.Schemes {
		if scheme.Kind == "oauth2" || scheme.Kind == "openIdConnect" {
			fmt.Fprintf(&b, "\tclient.WithTokenSource(%q, token),\n", scheme.Name)
		}
	}
	b.WriteString("}\n\nfunc main() {\n\tshop, err := api.New(append([]api.Option{api.WithBaseURL(os.Getenv(\"SMOKE_BASE_URL\"))}, tokens...)...)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tsmoke.Main([]smoke.Call{\n")
	var each func(prefix string, services []*plan.Service)
	each = func(prefix string, services []*plan.Service) {
		for _, s := range services {
			for _, m := range s.Methods {
				fmt.Fprintf(&b, "\t\t{ID: %q, Method: %s.%s.%s%s},\n", m.ID, prefix, s.GoName, m.GoName, arguments(m, values.Operation(m.Path, m.HTTP)))
			}
			each(prefix+"."+s.GoName, s.Children)
		}
	}
	each("shop", p.Services)
	b.WriteString("\t})\n}\n")
	return b.String()
}

func arguments(m *plan.Method, op sample.Operation) string {
	var b strings.Builder
	var path []string
	for _, param := range m.PathParams {
		if param.Const == "" {
			path = append(path, "[]byte("+quote(op.Path[param.Name])+")")
		}
	}
	if len(path) > 0 {
		fmt.Fprintf(&b, ", Path: []json.RawMessage{%s}", strings.Join(path, ", "))
	}
	if len(m.Bodies) > 0 {
		if v, ok := op.Bodies[m.Bodies[0].ContentType]; ok {
			fmt.Fprintf(&b, ", Body: []byte(%s)", quote(v))
		}
	}
	var params []string
	for in, place := range map[string]map[string]any{"query": op.Query, "header": op.Header, "cookie": op.Cookie} {
		for name, v := range place {
			params = append(params, fmt.Sprintf("%q: []byte(%s)", in+":"+name, quote(v)))
		}
	}
	if slices.Sort(params); len(params) > 0 {
		fmt.Fprintf(&b, ", Params: map[string]json.RawMessage{%s}", strings.Join(params, ", "))
	}
	return b.String()
}

func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return strconv.Quote("null")
	}
	return strconv.Quote(string(data))
}

var (
	digits  = regexp.MustCompile(`\d+`)
	message = regexp.MustCompile(`"message":"([^"]*)"`)
	title   = regexp.MustCompile(`"title":"([^"]*)"`)
)

// reason sorts failures of one kind together.
func reason(o smoke.Outcome) string {
	text := o.Detail
	if found := message.FindStringSubmatch(text); found != nil {
		text = found[1]
	} else if found := title.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	return o.Result + ": " + shorten(digits.ReplaceAllString(text, "N"))
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 160 {
		s = s[:160] + "..."
	}
	return strings.ReplaceAll(s, "|", "/")
}

func line(r row) string {
	share := 0.0
	if r.calls > 0 {
		share = 100 * float64(r.answered()) / float64(r.calls)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% | %s |", r.name, r.calls, r.counts["ok"], r.counts["example"], r.counts["error-answer"], r.counts["refused"],
		r.counts["decode"], r.counts["unsampled"]+r.counts["no-answer"]+r.counts["panic"], share, r.fault)
}

func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| document | calls | ok | ok, but not the document's own example | error answer by the document | request refused | not decoded | not called | answered | fault |\n|---|---|---|---|---|---|---|---|---|---|\n")
	total, answered, documents := 0, 0, 0
	reasons := map[string]int{}
	for _, r := range rows {
		b.WriteString(line(r) + "\n")
		total += r.calls
		answered += r.answered()
		if r.calls > 0 {
			documents++
		}
		for text, n := range r.reasons {
			reasons[r.name+" | "+text] += n
		}
	}
	if total > 0 {
		fmt.Fprintf(&b, "\n%d documents, %d operations, %d answered and decoded: %.2f %%.\n", documents, total, answered, 100*float64(answered)/float64(total))
	}
	if len(reasons) > 0 {
		b.WriteString("\n| document | reason | operations |\n|---|---|---|\n")
		for _, text := range slices.Sorted(maps.Keys(reasons)) {
			fmt.Fprintf(&b, "| %s | %d |\n", text, reasons[text])
		}
	}
	return b.String()
}
