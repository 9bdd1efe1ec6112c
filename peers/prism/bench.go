package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/peers/sample"
	"github.com/retrysafe/retrysafe/peers/smoke"
	"github.com/retrysafe/retrysafe/peers/work"
)

// row is what one document gave.
type row struct {
	Name     string          `json:"name"`
	Outcomes []smoke.Outcome `json:"outcomes"`
	Seconds  float64         `json:"seconds"`
	Fault    string          `json:"fault,omitempty"`
}

// built is a program that waits for Prism.
type built struct {
	work.Document
	binary string
	plan   *plan.Plan
	doc    *sample.Document
	kept   *row
	err    error
	took   time.Duration
}

// rows builds one program while another talks to Prism; there is one Prism at a time.
func rows(bench *work.Bench, specs []work.Document, verbose bool) []row {
	programs := make(chan built)
	go func() {
		defer close(programs)
		for _, d := range specs {
			programs <- build(bench, d)
		}
	}()
	rows := make([]row, 0, len(specs))
	for p := range programs {
		r := hold(bench, p)
		fmt.Fprintln(os.Stderr, line(r))
		for _, o := range r.Outcomes {
			if verbose && o.Result != "ok" && o.Result != "error-answer" {
				fmt.Fprintf(os.Stderr, "  %s %s: %s\n", o.ID, o.Result, shorten(o.Detail, 600))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// build generates the package and its smoke program, unless what it gave is kept.
func build(bench *work.Bench, d work.Document) (p built) {
	start := time.Now()
	defer func() { p.took = time.Since(start) }()
	p.Document = d
	data, err := bench.Kept("prism-"+d.Name, d.Path)
	if err != nil {
		p.err = err
		return p
	}
	if data != nil && json.Unmarshal(data, &p.kept) == nil {
		return p
	}
	pkg, err := bench.Generate(d.Name, d.Path)
	if err != nil {
		p.err = err
		return p
	}
	p.plan = pkg.Plan
	values, err := sample.Load(d.Path)
	if err != nil {
		p.err = err
		return p
	}
	p.doc = values
	program := pkg.Name + "prism"
	if p.err = bench.Write(program, "main.go", source(pkg, values)); p.err == nil {
		p.binary, p.err = bench.Build(program)
	}
	return p
}

// hold starts Prism and calls every operation.
func hold(bench *work.Bench, p built) row {
	if p.kept != nil {
		return *p.kept
	}
	r := row{Name: p.Name}
	start := time.Now()
	outcomes, err := p.outcomes()
	r.Outcomes, r.Seconds = outcomes, (p.took + time.Since(start)).Seconds()
	if err != nil {
		r.Fault = shorten(err.Error(), 160)
		return r
	}
	if err := bench.Keep("prism-"+p.Name, p.Path, r); err != nil {
		fmt.Fprintln(os.Stderr, "prism: not kept:", err)
	}
	return r
}

func (p built) outcomes() ([]smoke.Outcome, error) {
	if p.err != nil {
		return nil, p.err
	}
	stop, base, err := startPrism(p.Path)
	if err != nil {
		return nil, err
	}
	defer stop()
	outcomes, err := call(p.binary, base, p.plan)
	p.confirm(p.plan.Services, outcomes)
	return outcomes, err
}

// confirm holds the answers that the SDK refused, and another one of which it took, against their schemas without the
// generator's help. One that contradicts nothing is a fault of the SDK all the same.
func (p built) confirm(services []*plan.Service, outcomes []smoke.Outcome) {
	for _, s := range services {
		p.confirm(s.Children, outcomes)
		for _, m := range s.Methods {
			for i := range outcomes {
				o := &outcomes[i]
				if o.ID != m.ID || o.Answer == nil {
					continue
				}
				why := p.doc.Contradicts(m.Path, m.HTTP, o.Answer.Status, o.Answer.ContentType, []byte(o.Answer.Body))
				if o.Answer = nil; why != "" {
					o.Detail += "; the answer contradicts the schema: " + why
				} else if o.Result == "example" {
					o.Result = "decode"
				}
			}
		}
	}
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
