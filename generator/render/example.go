package render

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

const exampleFile = "example_test.go"

type exampleView struct{ TypeName, Method, Call string }

// example is a test file whose examples compile and show in the documentation: one for each service; nil when no service
// has a call that can be shown.
func (r *renderer) example() ([]byte, error) {
	name, prefix := r.plan.Package, ""
	if r.external() {
		name, prefix = r.plan.Package+"_test", r.plan.Package+"."
	}
	s := sampler{r.types, prefix}
	data := map[string]any{"Prefix": prefix, "Services": r.exampleServices(s)}
	if m, path := r.sampleMethod(); m != nil {
		data["First"] = "_, err = " + s.call(m, "c."+path)
	}
	var body bytes.Buffer
	if err := r.templates.ExecuteTemplate(&body, "example.tmpl", data); err != nil {
		return nil, err
	}
	if !strings.Contains(body.String(), "func Example") { // no call is easy to show
		return nil, nil
	}
	imports, err := importsOf(body.String())
	if err != nil {
		return nil, err
	}
	if r.external() {
		line := quote(r.plan.ImportPath)
		if path.Base(r.plan.ImportPath) != r.plan.Package {
			line = r.plan.Package + " " + line
		}
		if len(imports) > 0 && !strings.Contains(imports[len(imports)-1], runtimePath) {
			imports = append(imports, "")
		}
		imports = append(imports, "\t"+line)
	}
	var b bytes.Buffer
	err = r.templates.ExecuteTemplate(&b, "file.tmpl", map[string]any{
		dataSource: r.plan.Source, "Doc": "", dataPackage: name, "Imports": imports, "Body": body.String(),
	})
	if err != nil {
		return nil, err
	}
	return formatted(b.Bytes())
}

// external tells that the examples can import the package: its path is known, and its name means nothing else in them.
func (r *renderer) external() bool {
	local := []string{"c", "ctx", "cancel", "err", "failed", "item", "result"}
	return r.plan.ImportPath != "" && packages[r.plan.Package] == "" && !slices.Contains(local, r.plan.Package)
}

func (r *renderer) exampleServices(s sampler) []exampleView {
	var views []exampleView
	var walk func(list []*plan.Service, prefix string)
	walk = func(list []*plan.Service, prefix string) {
		for _, service := range list {
			path := prefix + service.GoName
			if m := showable(service.Methods); m != nil {
				views = append(views, exampleView{service.TypeName, exampleName(m), exampleCall(m, path, s)})
			}
			walk(service.Children, path+".")
		}
	}
	walk(r.plan.Services, "c.")
	return views
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

// exampleName is the method that the example shows.
func exampleName(m *plan.Method) string {
	if m.Pagination != nil && m.Pagination.ItemType != "" && m.Result.Kind == resultOne {
		all, _ := iteratorNames(m)
		return all
	}
	return m.GoName
}

func exampleCall(m *plan.Method, path string, s sampler) string {
	if name := exampleName(m); name != m.GoName {
		list := *m
		list.GoName = name
		return "\tfor item, err := range " + s.call(&list, path) + " {\n\t\tif err != nil {\n\t\t\tlog.Fatal(err)\n\t\t}\n\t\tlog.Println(item)\n\t}"
	}
	return "\t" + useResult(m, s.call(m, path))
}

// useResult is a call with its result printed.
func useResult(m *plan.Method, call string) string {
	if m.Result.Kind == resultNone {
		return "if err := " + call + "; err != nil {\n\t\tlog.Fatal(err)\n\t}"
	}
	return "result, err := " + call + "\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tlog.Println(result)"
}
