package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/peers/sample"
	"github.com/retrysafe/retrysafe/peers/smoke"
)

// bench is where packages are generated and built, and what earlier runs gave.
type bench struct {
	options
	work   string
	source string // hash of all that is ours
}

// row is what one document gave.
type row struct {
	Name     string          `json:"name"`
	Outcomes []smoke.Outcome `json:"outcomes"`
	Seconds  float64         `json:"seconds"`
	Fault    string          `json:"fault,omitempty"`
}

// built is a program that waits for Prism.
type built struct {
	document
	binary string
	plan   *plan.Plan
	key    string
	cached *row
	err    error
	took   time.Duration
}

func newBench(work string, o options) (*bench, error) {
	b := &bench{options: o, work: work}
	var err error
	if b.source, err = sourceHash(); err != nil {
		return nil, err
	}
	return b, b.layOut()
}

// layOut makes one module for all generated packages and their programs.
func (b *bench) layOut() error {
	repo, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	const root = "github.com/retrysafe/retrysafe"
	mod := "module example.com/prism\n\ngo 1.26.0\n\nrequire (\n\t" + root + "/sdk v0.0.0\n\t" + root + "/peers v0.0.0\n)\n\nreplace (\n\t" +
		root + " => " + repo + "\n\t" + root + "/sdk => " + filepath.Join(repo, "sdk") + "\n\t" + root + "/peers => " + filepath.Join(repo, "peers") + "\n)\n"
	if err := os.WriteFile(filepath.Join(b.work, "go.mod"), []byte(mod), 0o600); err != nil {
		return err
	}
	using := "package prism\n\nimport (\n\t_ \"" + root + "/peers/smoke\"\n\t_ \"" + root + "/sdk/client\"\n)\n"
	if err := os.WriteFile(filepath.Join(b.work, "prism.go"), []byte(using), 0o600); err != nil {
		return err
	}
	return command(b.work, "go", "mod", "tidy")
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

// rows builds one program while another talks to Prism; there is one Prism at a time.
func (b *bench) rows(specs []document) []row {
	programs := make(chan built)
	go func() {
		defer close(programs)
		for _, d := range specs {
			programs <- b.build(d)
		}
	}()
	rows := make([]row, 0, len(specs))
	for p := range programs {
		r := b.hold(p)
		fmt.Fprintln(os.Stderr, line(r))
		if b.verbose {
			for _, o := range r.Outcomes {
				if o.Result != "ok" && o.Result != "error-answer" {
					fmt.Fprintf(os.Stderr, "  %s %s: %s\n", o.ID, o.Result, shorten(o.Detail, 600))
				}
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// build generates the package and its smoke program, unless the cache has what it gave.
func (b *bench) build(d document) (p built) {
	start := time.Now()
	defer func() { p.took = time.Since(start) }()
	p.document = d
	if p.key, p.err = b.key(d.path); p.err != nil {
		return p
	}
	if p.cached = b.load(p.name, p.key); p.cached != nil {
		return p
	}
	pkg := strings.ReplaceAll(d.name, "-", "")
	result, err := generator.Generate(context.Background(), generator.Options{Spec: d.path, Out: filepath.Join(b.work, pkg), Package: pkg})
	if err != nil {
		p.err = err
		return p
	}
	p.plan = result.Plan
	values, err := sample.Load(d.path)
	if err != nil {
		p.err = err
		return p
	}
	program := filepath.Join(b.work, pkg+"main")
	p.binary = filepath.Join(program, "program")
	p.err = errors.Join(
		os.MkdirAll(program, 0o750),
		os.WriteFile(filepath.Join(program, "main.go"), []byte(source(result.Plan, pkg, values)), 0o600),
	)
	if p.err == nil {
		p.err = command(b.work, "go", "build", "-o", p.binary, "./"+pkg+"main")
	}
	return p
}

// hold starts Prism and calls every operation.
func (b *bench) hold(p built) row {
	if p.cached != nil {
		return *p.cached
	}
	r := row{Name: p.name}
	start := time.Now()
	outcomes, err := p.outcomes()
	r.Outcomes, r.Seconds = outcomes, (p.took + time.Since(start)).Seconds()
	if err != nil {
		r.Fault = shorten(err.Error(), 160)
		return r
	}
	if err := b.save(p.key, r); err != nil {
		fmt.Fprintln(os.Stderr, "prism: not kept:", err)
	}
	return r
}

func (p built) outcomes() ([]smoke.Outcome, error) {
	if p.err != nil {
		return nil, p.err
	}
	stop, base, err := startPrism(p.path)
	if err != nil {
		return nil, err
	}
	defer stop()
	return call(p.binary, base, p.plan)
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
			return outcomes, errors.Join(err, cmd.Wait())
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, cmd.Wait()
}
