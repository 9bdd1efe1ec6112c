package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/peers/meaning"
	"github.com/retrysafe/retrysafe/peers/sample"
	"github.com/retrysafe/retrysafe/peers/work"
)

// shown is an example on its way into a generated type.
type shown struct {
	sample.Example
	meaning.Case
}

// try generates the package, builds a program of its types and gives all examples to it.
func try(bench *work.Bench, d work.Document) (row, error) {
	doc, err := sample.Load(d.Path)
	if err != nil {
		return row{}, err
	}
	pkg, err := bench.Generate(d.Name, d.Path)
	if err != nil {
		return row{}, err
	}
	examples, err := collect(doc, pkg.Plan)
	if err != nil || len(examples) == 0 {
		return row{}, err
	}
	folder := pkg.Name + "roundtrip"
	cases := make([]meaning.Case, len(examples))
	types := map[string]bool{}
	for i, e := range examples {
		cases[i] = e.Case
		types[e.Type] = true
	}
	data, err := json.Marshal(cases)
	if err != nil {
		return row{}, err
	}
	err = errors.Join(
		bench.Write(pkg.Name, "round_trip.go", registry(pkg.Name, slices.Sorted(maps.Keys(types)))),
		bench.Write(folder, "cases.json", string(data)),
		bench.Write(folder, "main.go", "package main\n\nimport (\n\t\"github.com/retrysafe/retrysafe/peers/meaning\"\n\n\tapi \""+pkg.Import+"\"\n)\n\nfunc main() { meaning.Main(api.RoundTrip) }\n"),
	)
	if err != nil {
		return row{}, err
	}
	binary, err := bench.Build(folder)
	if err != nil {
		return row{}, err
	}
	outcomes, err := outcomes(binary, filepath.Join(bench.Dir, folder, "cases.json"))
	if err == nil && len(outcomes) != len(cases) {
		err = fmt.Errorf("%d examples, %d outcomes", len(cases), len(outcomes))
	}
	if err != nil {
		return row{}, err
	}
	return judge(d.Name, doc, examples, outcomes), nil
}

func outcomes(binary, cases string) ([]meaning.Outcome, error) {
	cmd := exec.CommandContext(context.Background(), binary, cases)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list []meaning.Outcome
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var o meaning.Outcome
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
}

// registry is a file in the generated package that makes new values of its types.
func registry(pkg string, types []string) string {
	var table strings.Builder
	for _, t := range types {
		fmt.Fprintf(&table, "\t%q: func() any { return new(%s) },\n", t, t)
	}
	var imports strings.Builder
	for prefix, path := range map[string]string{
		"json.": "encoding/json", "time.": "time", "wire.": "github.com/retrysafe/retrysafe/sdk/wire", "client.": "github.com/retrysafe/retrysafe/sdk/client",
	} {
		if slices.ContainsFunc(types, func(t string) bool { return strings.Contains(t, prefix) }) {
			fmt.Fprintf(&imports, "import %q\n", path)
		}
	}
	return "package " + pkg + "\n\n" + imports.String() + "\n// RoundTrip makes new values.\nvar RoundTrip = map[string]func() any{\n" + table.String() + "}\n"
}

// collect finds the examples and the generated types that they belong to.
func collect(doc *sample.Document, p *plan.Plan) ([]shown, error) {
	c := collector{have: map[string]bool{}}
	for _, t := range p.Types {
		if strings.HasPrefix(t.Pointer, "/components/") {
			c.add(t.Name, false, doc.SchemaExamples(t.Pointer))
		}
	}
	for m := range p.Methods() {
		for _, media := range doc.Medias(m.Path, m.HTTP) {
			if t := typeOf(m, media); t != "" {
				c.add(t, media.Status == "", doc.Examples(media))
			}
		}
	}
	for _, w := range p.Webhooks {
		if medias := doc.Hook(w.Name); len(medias) > 0 {
			c.add(w.Type, false, doc.Examples(medias[0]))
		}
	}
	return c.out, c.err
}

type collector struct {
	out  []shown
	have map[string]bool // the same example of the same type is tried one time
	err  error
}

// typeOf gives the Go type of a body or an answer that is JSON.
func typeOf(m *plan.Method, media sample.Media) string {
	if media.Status == "" {
		for _, b := range m.Bodies {
			if b.ContentType == media.ContentType && (b.Kind == "json" || b.Kind == "form") {
				return b.Type
			}
		}
		return ""
	}
	for _, a := range m.Result.Answers {
		if a.Kind == "json" && a.ContentType == media.ContentType && strings.EqualFold(a.Status, media.Status) {
			return a.Type
		}
	}
	for _, e := range m.Errors {
		if e.ContentType == media.ContentType && strings.EqualFold(e.Status, media.Status) {
			return e.Type
		}
	}
	return ""
}

func (c *collector) add(goType string, request bool, examples []sample.Example) {
	for _, e := range examples {
		if e.Value == nil { // null belongs to the place where a type is used, not to the type
			continue
		}
		text, err := json.Marshal(e.Value)
		if err != nil {
			c.err = errors.Join(c.err, fmt.Errorf("%s: %w", e.Place, err))
			continue
		}
		key := fmt.Sprint(goType, request, string(text))
		if !c.have[key] {
			c.have[key] = true
			c.out = append(c.out, shown{e, meaning.Case{Type: goType, Request: request, Text: text}})
		}
	}
}
