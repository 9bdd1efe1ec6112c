package render

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

const exampleFile = "example_test.go"

// exampleView is one example: a call against the fake server, what is done with its result, and what that prints.
type exampleView struct {
	Kind   string // the template's case
	Name   string // behind Example
	Doc    string // comment text
	ID     string // operation
	Call   string // call, with the response captured where the case wants it
	Use    string // statements after a call that went well; "" when its result is not looked at
	Output string

	Prefix string // of the package, with its dot
	Fake   bool   // the fake server is scripted
	Result bool   // the call gives back more than an error
}

// example is a test file of examples that run and show in the documentation: the whole way, then one for each service
// and for each thing that the API has (streams, downloads, jobs, webhooks); nil when no call can be shown.
func (r *renderer) example() ([]byte, error) {
	name, prefix := r.plan.Package, ""
	if r.external() {
		name, prefix = r.plan.Package+"_test", r.plan.Package+"."
	}
	e := &exampler{r: r, s: sampler{r.types, prefix}, taken: map[string]bool{}}
	e.general()
	e.services()
	e.webhook()
	if e.views == nil {
		return nil, nil
	}
	var body bytes.Buffer
	if err := r.templates.ExecuteTemplate(&body, "example.tmpl", e.views); err != nil {
		return nil, err
	}
	if !r.external() {
		return r.source("", name, body.String(), nil)
	}
	return r.importing("", name, body.String())
}

// importing is a file outside the package that imports it.
func (r *renderer) importing(doc, name, body string) ([]byte, error) {
	line := quote(r.plan.ImportPath)
	if path.Base(r.plan.ImportPath) != r.plan.Package {
		line = r.plan.Package + " " + line
	}
	return r.source(doc, name, body, []string{"\t" + line})
}

// source is a file of Go with its imports, besides what the body shows by itself.
func (r *renderer) source(doc, name, body string, more []string) ([]byte, error) {
	imports, err := importsOf(body)
	if err != nil {
		return nil, err
	}
	if more != nil && len(imports) > 0 && !strings.Contains(imports[len(imports)-1], runtimePath) {
		imports = append(imports, "")
	}
	var b bytes.Buffer
	err = r.templates.ExecuteTemplate(&b, "file.tmpl", map[string]any{
		dataSource: r.plan.Source, "Doc": doc, dataPackage: name, "Imports": append(imports, more...), "Body": body,
	})
	if err != nil {
		return nil, err
	}
	return formatted(b.Bytes())
}

// external tells that the examples can import the package: its path is known, and its name means nothing else in them.
func (r *renderer) external() bool {
	local := []string{"c", "ctx", "err", "failed", "fake", "server", "info", "item", "event", "n", "body", "result", "header", "verifier", "file", "download", "w", "r", "main"}
	return r.plan.ImportPath != "" && packages[r.plan.Package] == "" && !slices.Contains(local, r.plan.Package)
}

// exampler collects the examples of a package.
type exampler struct {
	r     *renderer
	s     sampler
	views []exampleView
	taken map[string]bool // names of examples
}

func (e *exampler) add(v exampleView) {
	if !e.taken[v.Name] {
		e.taken[v.Name] = true
		v.Prefix, v.Fake = e.s.prefix, v.ID != ""
		e.views = append(e.views, v)
	}
}

// general shows a client with its first call, a call that is retried, and a call that fails.
func (e *exampler) general() {
	first, at := e.r.sampleMethod()
	if first != nil {
		use, output := e.outcome(first)
		e.add(exampleView{
			Kind: "call", Doc: "A client and a call. A program leaves the server out: New reads the environment.",
			Call: e.s.call(first, "c."+at), Use: use, Output: output, Result: true,
		})
	}
	if m, path := e.retried(); m != nil {
		doc := "A call whose answer is lost is made again, within its attempts, its deadline and the budget of the client."
		if m.Key != nil {
			doc = "A call whose answer is lost is made again under the same key, within its attempts, its deadline and the budget."
		}
		e.add(exampleView{
			Kind: "retry", Name: "_retry", Doc: doc, ID: m.ID, Call: e.captured(m, path),
			Output: strconv.Itoa(statusOf(firstStatus(m))) + " in attempt 2", Result: m.Result.Kind != resultNone,
		})
	}
	if first != nil {
		e.add(exampleView{
			Kind: "error", Name: "_error", Doc: "Every answer outside 2xx is an Error: what the server said, and how the call went.",
			ID: first.ID, Call: e.s.call(first, "c."+at), Output: "404 in attempt 1",
		})
	}
}

// retried is a method that is retried by the defaults, one with a key if there is any.
func (e *exampler) retried() (*plan.Method, string) {
	plain := func(m *plan.Method) bool {
		return !m.Retry.Disabled && m.Retry.Attempts != 1 && m.Retry.Statuses == nil && m.Retry.DeadlineMS == 0
	}
	if m, path := e.find(func(m *plan.Method) bool { return m.Key != nil && plain(m) }); m != nil {
		return m, path
	}
	return e.find(func(m *plan.Method) bool { return m.Idempotent && plain(m) })
}

func firstStatus(m *plan.Method) string {
	if len(m.Result.Answers) == 0 {
		return "200"
	}
	return m.Result.Answers[0].Status
}

// find is the first method that can be shown and fits, with the path to its service.
func (e *exampler) find(fits func(*plan.Method) bool) (*plan.Method, string) {
	var found *plan.Method
	at := ""
	e.walk(func(s *plan.Service, path string) {
		for _, m := range s.Methods {
			if found == nil && m.Deprecated == "" && (m.Result.Kind == resultOne || m.Result.Kind == resultNone) && fits(m) {
				found, at = m, path
			}
		}
	})
	return found, at
}

func (e *exampler) walk(visit func(s *plan.Service, path string)) {
	var walk func(list []*plan.Service, prefix string)
	walk = func(list []*plan.Service, prefix string) {
		for _, s := range list {
			visit(s, prefix+s.GoName)
			walk(s.Children, prefix+s.GoName+".")
		}
	}
	walk(e.r.plan.Services, "c.")
}

// services shows a list or another call of each service, and the first of each kind that not every service has.
func (e *exampler) services() {
	kinds := map[string]bool{}
	e.walk(func(s *plan.Service, path string) {
		if m := showable(s.Methods); m != nil {
			e.method(s, m, path)
		}
		for _, m := range s.Methods {
			kind := ""
			switch {
			case m.Deprecated != "":
			case m.Result.Kind == resultSSE, m.Result.Kind == resultNDJSON, m.Result.Kind == resultBinary:
				kind = m.Result.Kind
			case e.r.jobOf(m) != nil && m.Result.Kind == resultOne:
				kind = "job"
			case len(m.Bodies) > 0 && m.Bodies[0].Kind == "multipart" && (m.Result.Kind == resultOne || m.Result.Kind == resultNone):
				kind = "upload"
			}
			if kind != "" && !kinds[kind] {
				kinds[kind] = true
				e.special(s, m, path, kind)
			}
		}
	})
}

// method shows a call by what the fake server answers to it.
func (e *exampler) method(s *plan.Service, m *plan.Method, path string) {
	v := exampleView{Kind: "call", Name: s.TypeName + "_" + m.GoName, Call: e.s.call(m, path), Result: m.Result.Kind != resultNone}
	v.Use, v.Output = e.outcome(m)
	if m.Pagination != nil && m.Pagination.ItemType != "" && m.Result.Kind == resultOne {
		all, _ := iteratorNames(m)
		list := *m
		list.GoName = all
		v = exampleView{Kind: "items", Name: s.TypeName + "_" + all, Call: e.s.call(&list, path), Output: e.countItems(m)}
	}
	e.add(v)
}

func (e *exampler) special(s *plan.Service, m *plan.Method, path, kind string) {
	v := exampleView{Kind: kind, Name: s.TypeName + "_" + m.GoName, Call: e.s.call(m, path), Result: m.Result.Kind != resultNone}
	switch kind {
	case resultSSE:
		v.Output = "1"
	case resultNDJSON:
		v.Kind, v.Output = "items", "1"
	case resultBinary:
		v.Output = fakeContent
	case "upload":
		v.Kind = "call"
		v.Use, v.Output = e.outcome(m)
	case "job":
		wait := *m
		wait.GoName = waitName(m)
		v.Kind, v.Name, v.Call = "call", s.TypeName+"_"+wait.GoName, e.s.call(&wait, path)
		v.Use, v.Output = e.outcome(m)
	}
	e.add(v)
}

// webhook shows the first event that the API sends.
func (e *exampler) webhook() {
	for _, w := range e.r.plan.Webhooks {
		t := e.r.types[w.Type]
		if t == nil || t.Kind != plan.Struct {
			continue
		}
		j := jsonSampler{types: e.r.types, literals: e.r.literals, optional: true}
		text := j.value(w.Type, "", 0, "")
		if len(text) <= maxFake {
			e.add(exampleView{Kind: "webhook", Name: "ParseWebhook", Call: goText(text), Use: "event." + w.GoName + " != nil", Output: "evt_1 true"})
		}
		return
	}
}

// countItems is how many items a list of the fake server has.
func (e *exampler) countItems(m *plan.Method) string {
	n := 0
	e.r.fakeText(m, m.Result.Answers[0], e.r.unbounded(m), &n)
	return strconv.Itoa(n)
}

// outcome is a statement that prints something of a result, and what it prints.
func (e *exampler) outcome(m *plan.Method) (use, output string) {
	if m.Result.Kind != resultOne || len(m.Result.Answers) == 0 {
		return "", "done"
	}
	t := e.r.types[m.Result.Type]
	if t == nil || t.Kind != plan.Struct {
		return "", "done"
	}
	if p := m.Pagination; p != nil && len(p.Items) == 1 {
		return "fmt.Println(len(result." + p.Items[0] + "))", e.countItems(m)
	}
	members := objectOf(e.r.fakeText(m, m.Result.Answers[0], false, nil))
	best := -1
	for i, f := range t.Fields {
		value, ok := stringOf(string(members[f.JSON]))
		if f.Type != typeString || f.Secret || f.WriteOnly || !ok || value == "" || len(value) > 40 || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }) {
			continue
		}
		if best < 0 || f.GoName == "ID" {
			best, output = i, value
		}
	}
	if best < 0 {
		return "", "done"
	}
	return "fmt.Println(result." + t.Fields[best].GoName + ")", output
}

// captured is a call whose response is looked at.
func (e *exampler) captured(m *plan.Method, path string) string {
	return strings.TrimSuffix(e.s.call(m, path), ")") + ", " + e.s.prefix + "WithResponse(&info), " + e.s.prefix + "WithLogger(nil))"
}

// showable is the first method whose call gives back one thing, lists first.
func showable(methods []*plan.Method) *plan.Method {
	var first *plan.Method
	for _, m := range methods {
		if m.Deprecated != "" || m.Result.Kind != resultOne && m.Result.Kind != resultNone {
			continue
		}
		if m.Pagination != nil && m.Pagination.ItemType != "" {
			return m
		}
		if first == nil {
			first = m
		}
	}
	return first
}
