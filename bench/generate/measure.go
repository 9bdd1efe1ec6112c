package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tool is one generator.
type tool struct {
	name    string
	command func(doc, dir, pkg string) []string // program and arguments
	dir     string                              // folder of the module that its packages are compiled in
	client  string                              // type whose methods are the calls; a suffix
	method  string                              // suffix of the methods that decode an answer
	maker   string                              // function that makes a client
}

// sample is what one tool needed for one document.
type sample struct {
	document, tool string
	wall           time.Duration
	peakMiB        int64
	lines          int
	buildCPU       time.Duration
	binary         int64
	fault          string
}

func (s sample) plus(o sample) sample {
	s.wall += o.wall
	s.peakMiB += o.peakMiB
	s.lines += o.lines
	s.buildCPU += o.buildCPU
	s.binary += o.binary
	return s
}

const (
	oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	ogen        = "github.com/ogen-go/ogen/cmd/ogen@v1.24.0"
	sdkModule   = "github.com/retrysafe/retrysafe/sdk"
)

// install builds the three generators and one module for the packages of each, with everything they import compiled.
func install(work string) ([]tool, error) {
	repo, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(work, "bin")
	if _, err := command(repo, nil, "go", "build", "-o", bin+"/retrysafe", "./cmd/retrysafe"); err != nil {
		return nil, err
	}
	for _, pkg := range []string{oapiCodegen, ogen} {
		if _, err := command(work, []string{"GOBIN=" + bin}, "go", "install", pkg); err != nil {
			return nil, err
		}
	}
	tools := []tool{
		{name: "retrysafe", client: "Service", maker: "New", dir: filepath.Join(work, "ours"), command: func(doc, dir, pkg string) []string {
			return []string{bin + "/retrysafe", "generate", "--spec", doc, "--out", dir, "--package", pkg, "--json"}
		}},
		{name: "oapi-codegen", client: "ClientWithResponses", maker: "NewClientWithResponses", method: "WithResponse", dir: filepath.Join(work, "oapi"), command: func(doc, dir, pkg string) []string {
			return []string{bin + "/oapi-codegen", "-generate", "types,client", "-package", pkg, "-o", filepath.Join(dir, "client.gen.go"), doc}
		}},
		{name: "ogen", client: "Client", maker: "NewClient", dir: filepath.Join(work, "ogen"), command: func(doc, dir, pkg string) []string {
			return []string{bin + "/ogen", "--target", dir, "--package", pkg, "--clean", doc}
		}},
	}
	deps := map[string]string{
		"ours": "import (\n\t_ \"" + sdkModule + "/client\"\n\t_ \"" + sdkModule + "/wire\"\n)\n",
		"oapi": "import (\n\t_ \"github.com/oapi-codegen/runtime\"\n\t_ \"github.com/oapi-codegen/runtime/types\"\n\t_ \"github.com/oapi-codegen/nullable\"\n\t_ \"go.yaml.in/yaml/v3\"\n)\n",
		"ogen": "import (\n\t_ \"github.com/ogen-go/ogen/http\"\n\t_ \"github.com/ogen-go/ogen/middleware\"\n\t_ \"github.com/ogen-go/ogen/ogenerrors\"\n\t_ \"github.com/ogen-go/ogen/otelogen\"\n\t_ \"github.com/ogen-go/ogen/uri\"\n\t_ \"github.com/ogen-go/ogen/validate\"\n\t_ \"github.com/ogen-go/ogen/conv\"\n\t_ \"github.com/ogen-go/ogen/json\"\n\t_ \"github.com/ogen-go/ogen/ogenregex\"\n\t_ \"github.com/ogen-go/ogen/sse\"\n)\n",
	}
	for _, t := range tools {
		name := filepath.Base(t.dir)
		if err := os.MkdirAll(t.dir, 0o750); err != nil {
			return nil, err
		}
		mod := "module example.com/" + name + "\n\ngo 1.26.0\n"
		if name == "ours" {
			mod += "\nrequire " + sdkModule + " v0.0.0\n\nreplace " + sdkModule + " => " + filepath.Join(repo, "sdk") + "\n"
		}
		if name == "ogen" {
			mod += "\nrequire github.com/ogen-go/ogen v1.24.0\n"
		}
		if err := os.WriteFile(filepath.Join(t.dir, "go.mod"), []byte(mod), 0o600); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(t.dir, "deps.go"), []byte("package deps\n\n"+deps[name]), 0o600); err != nil {
			return nil, err
		}
		for _, args := range [][]string{{"mod", "tidy"}, {"build", "./..."}} {
			if _, err := command(t.dir, nil, "go", args...); err != nil {
				return nil, err
			}
		}
	}
	return tools, nil
}

func command(dir string, env []string, name string, args ...string) (*exec.Cmd, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		return cmd, fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, lines[len(lines)-1])
	}
	return cmd, nil
}

func measure(work string, t tool, name, doc string, rounds int) sample {
	s := sample{document: name, tool: t.name}
	fail := func(err error) sample {
		s.fault = err.Error()
		return s
	}
	doc, err := filepath.Abs(doc)
	if err != nil {
		return fail(err)
	}
	pkg := strings.ReplaceAll(name, "-", "")
	dir := filepath.Join(t.dir, pkg)
	defer os.RemoveAll(dir)
	for round := range rounds {
		if err := os.RemoveAll(dir); err != nil {
			return fail(err)
		}
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return fail(err)
		}
		args := t.command(doc, dir, pkg)
		wall, peakKiB, err := cost(work, args)
		if err != nil {
			return fail(err)
		}
		if round == 0 || wall < s.wall {
			s.wall = wall
		}
		s.peakMiB = max(s.peakMiB, peakKiB/1024)
	}
	call, made, err := inspect(dir, t, &s)
	if err != nil {
		return fail(err)
	}
	// What the package imports beside the usual is looked up now, and not while the build is timed.
	if _, err := command(t.dir, []string{"GOFLAGS=-mod=mod"}, "go", "list", "-deps", "./"+pkg); err != nil {
		return fail(err)
	}
	built, err := command(t.dir, nil, "go", "build", "./"+pkg)
	if err != nil {
		return fail(err)
	}
	s.buildCPU = built.ProcessState.UserTime() + built.ProcessState.SystemTime()
	if s.binary, err = oneCall(t, pkg, call, made); err != nil {
		return fail(err)
	}
	return s
}

// inspect counts the lines of a package, picks the first call of its client and writes how a client is made.
func inspect(dir string, t tool, s *sample) (call, made string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", "", err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", "", err
		}
		s.lines += strings.Count(string(data), "\n")
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution)
		if err != nil {
			return "", "", err
		}
		for _, decl := range file.Decls {
			if c := clientCall(decl, t); c != "" && (call == "" || c < call) {
				call = c
			}
			if m := construction(decl, t); m != "" {
				made = m
			}
		}
	}
	if call == "" || made == "" {
		return "", "", fmt.Errorf("no call found in %s", dir)
	}
	return call, made, nil
}

// construction is an expression that makes a client when decl is the function for that: with zero values, and without
// options.
func construction(decl ast.Decl, t tool) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok || fn.Recv != nil || fn.Name.Name != t.maker {
		return ""
	}
	var args []string
	for _, p := range fn.Type.Params.List {
		if _, variadic := p.Type.(*ast.Ellipsis); variadic {
			continue
		}
		value := "nil"
		if id, isName := p.Type.(*ast.Ident); isName && id.Name == "string" {
			value = "os.Args[0]"
		}
		for range p.Names {
			args = append(args, value)
		}
	}
	return fn.Name.Name + "(" + strings.Join(args, ", ") + ")"
}

// clientCall gives Type.Method when decl is a call of the client: an exported method whose first argument is a context.
func clientCall(decl ast.Decl, t tool) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok || fn.Recv == nil || !fn.Name.IsExported() || !strings.HasSuffix(fn.Name.Name, t.method) || len(fn.Type.Params.List) == 0 {
		return ""
	}
	star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return ""
	}
	recv, ok := star.X.(*ast.Ident)
	if !ok || !strings.HasSuffix(recv.Name, t.client) {
		return ""
	}
	sel, ok := fn.Type.Params.List[0].Type.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Context" {
		return ""
	}
	return recv.Name + "." + fn.Name.Name
}

// oneCall links a program that makes a client and holds on to one call, and gives its size without symbols.
func oneCall(t tool, pkg, call, made string) (int64, error) {
	dir := filepath.Join(t.dir, pkg+"main")
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return 0, err
	}
	recv, method, _ := strings.Cut(call, ".")
	source := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\tapi \"example.com/" + filepath.Base(t.dir) + "/" + pkg + "\"\n)\n\n" +
		"var call = (*api." + recv + ")." + method + "\n\n" +
		"func main() {\n\tc, err := api." + made + "\n\tfmt.Println(len(os.Args), c != nil, err, call != nil)\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, "program")
	if _, err := command(t.dir, nil, "go", "build", "-ldflags=-s -w", "-o", binary, "./"+pkg+"main"); err != nil {
		return 0, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
