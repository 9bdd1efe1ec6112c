// Package render prints a plan as the files of one Go package.
//
// Go code here decides, the templates print. Each file is gofmt'ed, imports exactly what it uses, and is the same from
// run to run.
package render

import (
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"sort"
	"strings"
	"sync"
	"text/template"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/templates"
)

// Render gives the content of every file of the package by its name.
func Render(p *plan.Plan) (map[string][]byte, error) {
	t, err := parseTemplates()
	if err != nil {
		return nil, err
	}
	r := &renderer{plan: p, templates: t, bodies: map[string]*strings.Builder{}}
	r.index()
	if err := r.print(); err != nil {
		return nil, err
	}
	return r.files()
}

func parseTemplates() (*template.Template, error) {
	t := template.New("sdk")
	dir := templates.SDK()
	names, err := fs.Glob(dir, "*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		if _, err := t.New(name).Parse(string(text)); err != nil {
			return nil, fmt.Errorf("template %s: %w", name, err)
		}
	}
	return t, nil
}

// renderer is one run.
type renderer struct {
	plan       *plan.Plan
	templates  *template.Template
	bodies     map[string]*strings.Builder // file base name -> text after the imports
	types      map[string]*plan.Type
	methods    map[string]*plan.Method // by operation id
	printed    map[string]bool         // parameter structs that stand in a file
	literals   map[string]string       // enum constants
	jobs       map[string]*plan.Job    // by the id of the operation that reads the status
	signatures map[*plan.Service][]methodView
	common     []*plan.ErrorResponse // the set of error answers that most operations declare
}

func (r *renderer) index() {
	r.types = make(map[string]*plan.Type, len(r.plan.Types))
	r.literals = map[string]string{}
	for _, t := range r.plan.Types {
		r.types[t.Name] = t
		for _, v := range t.Values {
			r.literals[v.GoName] = v.Literal
		}
	}
	r.methods = map[string]*plan.Method{}
	r.printed = map[string]bool{}
	r.jobs = map[string]*plan.Job{}
	r.signatures = map[*plan.Service][]methodView{}
	for s := range r.plan.All() {
		for _, m := range s.Methods {
			if r.methods[m.ID] == nil { // the streaming form of a method comes behind it
				r.methods[m.ID] = m
			}
			if m.Job != nil && m.Job.StatusOp != "" && r.jobs[m.Job.StatusOp] == nil {
				r.jobs[m.Job.StatusOp] = m.Job
			}
		}
	}
	r.common = r.commonErrors()
}

// to is the text of a file, begun when it is first asked for.
func (r *renderer) to(file string) *strings.Builder {
	if r.bodies[file] == nil {
		r.bodies[file] = &strings.Builder{}
	}
	return r.bodies[file]
}

func (r *renderer) execute(file, name string, data any) error {
	if err := r.templates.ExecuteTemplate(r.to(file), name, data); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	return nil
}

func (r *renderer) print() error {
	for _, step := range []func() error{
		r.printDoc, r.printClient, r.printOptions, r.printErrors, r.printServices, r.printInterfaces, r.printHeaders, r.printFake, r.printTypes, r.printWebhooks,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) printTypes() error {
	texts, err := models.Declarations(r.plan.Types)
	if err != nil {
		return err
	}
	for _, t := range r.plan.Types {
		_, _ = r.to(t.File).WriteString("\n" + texts[t.Name])
	}
	return nil
}

// maxLines bounds a file; what is longer goes on in numbered ones.
const maxLines = 4000

func (r *renderer) files() (map[string][]byte, error) {
	names := make([]string, 0, len(r.bodies))
	for name := range r.bodies {
		names = append(names, name)
	}
	sort.Strings(names)
	var parts []*part
	for _, name := range names {
		for i, body := range chunks(r.bodies[name].String()) {
			file := name
			if i > 0 {
				file = fmt.Sprintf("%s_%d", name, i+1)
			}
			parts = append(parts, &part{base: name, file: file + ".gen.go", body: body})
		}
	}
	r.formatAll(parts)
	out := make(map[string][]byte, len(parts))
	for _, p := range parts {
		if p.err != nil {
			return nil, fmt.Errorf("%s: %w", p.file, p.err)
		}
		out[p.file] = p.text
	}
	docs, err := r.markdown()
	if err != nil {
		return nil, err
	}
	maps.Copy(out, docs)
	examples, err := r.example()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exampleFile, err)
	}
	if examples != nil {
		out[exampleFile] = examples
	}
	programs, err := r.programs()
	if err != nil {
		return nil, fmt.Errorf("examples: %w", err)
	}
	maps.Copy(out, programs)
	return out, nil
}

// part is one file on its way.
type part struct {
	base, file, body string
	text             []byte
	err              error
}

// formatAll makes the files of their parts, side by side: parsing and formatting is most of a run.
func (r *renderer) formatAll(parts []*part) {
	var workers sync.WaitGroup
	next := make(chan *part)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for p := range next {
				p.text, p.err = r.file(p.base, p.body)
			}
		})
	}
	for _, p := range parts {
		next <- p
	}
	close(next)
	workers.Wait()
}

// chunks cuts a long text between top-level declarations.
func chunks(body string) []string {
	if strings.Count(body, "\n") <= maxLines {
		return []string{body}
	}
	var parts []string
	var current strings.Builder
	lines := 0
	for _, block := range blocks(body) {
		n := strings.Count(block, "\n")
		if lines > 0 && lines+n > maxLines {
			parts = append(parts, current.String())
			current.Reset()
			lines = 0
		}
		current.WriteString(block)
		lines += n
	}
	return append(parts, current.String())
}

// blocks are the pieces of a body that begin with a comment or a declaration in column one behind an empty line.
func blocks(body string) []string {
	var list []string
	var current strings.Builder
	empty := true
	for line := range strings.Lines(body) {
		if empty && current.Len() > 0 && begins(line) {
			list = append(list, current.String())
			current.Reset()
		}
		current.WriteString(line)
		empty = strings.TrimSpace(line) == ""
	}
	return append(list, current.String())
}

func begins(line string) bool {
	for _, start := range []string{"//", "type ", "func ", "var ", "const "} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

func (r *renderer) file(name, body string) ([]byte, error) {
	doc := ""
	if name == docFile {
		doc = r.packageDoc()
	}
	return r.source(doc, r.plan.Package, body, nil)
}
