package render

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

type referenceService struct {
	Path, Doc string
	Methods   []referenceMethod
}

type referenceMethod struct{ Name, HTTP, URL, Notes, Doc, Sample string }

// markdown gives the documents beside the code.
func (r *renderer) markdown() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, data := range map[string]map[string]any{"README": r.readme(), "reference": r.reference()} {
		var b bytes.Buffer
		if err := r.templates.ExecuteTemplate(&b, strings.ToLower(name)+".md.tmpl", data); err != nil {
			return nil, fmt.Errorf("%s.md: %w", name, err)
		}
		out[name+".md"] = b.Bytes()
	}
	return out, nil
}

func (r *renderer) readme() map[string]any {
	p := r.plan
	keyed := 0
	for _, ref := range r.methods {
		if ref.Key != nil {
			keyed++
		}
	}
	lines := "c, err := " + p.Package + ".New()\nif err != nil {\n\treturn err\n}"
	if m, path := r.sampleMethod(); m != nil {
		lines += "\n" + resultOf(m) + formatExpr(sampler{r.types, p.Package + "."}.call(m, "c."+path))
	}
	return map[string]any{
		dataSource: p.Source, dataPackage: p.Package, dataTitle: p.Title, "Description": p.Description, "Sample": lines,
		"Env": r.environment(), "Safe": p.Summary.Safe, "Operations": len(r.methods), "Keyed": keyed,
		"List": r.readmeList(), "Fake": r.scripted(), "Examples": r.programNames(),
	}
}

type readmeList struct{ All, Pages, Page, Sample string }

// readmeList shows the first list; nil when the API has none.
func (r *renderer) readmeList() *readmeList {
	var found *readmeList
	e := &exampler{r: r, s: sampler{r.types, r.plan.Package + "."}}
	e.walk(func(s *plan.Service, path string) {
		for _, m := range s.Methods {
			if found != nil || m.Pagination == nil || m.Pagination.ItemType == "" || m.Result.Kind != resultOne || m.Deprecated != "" {
				continue
			}
			all, pages := iteratorNames(m)
			list := *m
			list.GoName = all
			found = &readmeList{
				All: all, Pages: pages, Page: strings.TrimSuffix(pages, "s"),
				Sample: "for item, err := range " + formatExpr(e.s.call(&list, path)) + " {\n\tif err != nil {\n\t\treturn err // what came before it is good\n\t}\n\tfmt.Println(item)\n}",
			}
		}
	})
	return found
}

// scripted is the operation, as a Go string, that the sample of the fake server scripts: one with a key if there is any.
func (r *renderer) scripted() string {
	first := ""
	for s := range r.plan.All() {
		for _, m := range s.Methods {
			if first == "" || m.Key != nil && r.methods[first].Key == nil {
				first = m.ID
			}
		}
	}
	if first == "" {
		return ""
	}
	return quote(first)
}

// programNames lists the programs in the folder examples.
func (r *renderer) programNames() string {
	if !r.external() {
		return ""
	}
	var names []string
	for _, v := range (&exampler{r: r, s: sampler{r.types, r.plan.Package + "."}}).programs() {
		names = append(names, "`"+v.Kind+"`")
	}
	return strings.Join(names, ", ")
}

func (r *renderer) environment() string {
	if r.plan.EnvPrefix == "" {
		return ""
	}
	names := []string{"`" + r.plan.EnvPrefix + "_BASE_URL`"}
	for _, s := range r.plan.Schemes {
		for _, env := range s.Env {
			names = append(names, "`"+env+"`")
		}
	}
	return strings.Join(names, ", ")
}

func (r *renderer) reference() map[string]any {
	var services []referenceService
	var walk func(list []*plan.Service, prefix string)
	walk = func(list []*plan.Service, prefix string) {
		for _, s := range list {
			services = append(services, r.referenceService(s, prefix+s.GoName))
			walk(s.Children, prefix+s.GoName+".")
		}
	}
	walk(r.plan.Services, "c.")
	return map[string]any{dataSource: r.plan.Source, dataPackage: r.plan.Package, dataTitle: r.plan.Title, "Services": services}
}

func (r *renderer) referenceService(s *plan.Service, path string) referenceService {
	out := referenceService{Path: strings.TrimPrefix(path, "c."), Doc: withoutName(s.TypeName, s.Doc)}
	for _, m := range s.Methods {
		out.Methods = append(out.Methods, referenceMethod{
			Name: m.GoName, HTTP: m.HTTP, URL: m.Path, Notes: notes(m), Doc: withoutName(m.GoName, m.Doc),
			Sample: resultOf(m) + formatExpr(sampler{r.types, r.plan.Package + "."}.call(m, path)),
		})
	}
	return out
}

// withoutName is a comment below a heading that says the name already.
func withoutName(name, doc string) string {
	if rest, ok := strings.CutPrefix(doc, name+": "); ok {
		return upper(rest)
	}
	if rest, ok := strings.CutPrefix(doc, name+" is "); ok {
		return upper(rest)
	}
	return doc
}

// resultOf is what stands before a sample call.
func resultOf(m *plan.Method) string {
	switch m.Result.Kind {
	case resultNone:
		return "err = "
	case resultSSE, resultNDJSON:
		return "events := "
	}
	return "result, err := "
}

func notes(m *plan.Method) string {
	var list []string
	switch {
	case m.Key != nil:
		list = append(list, "takes an idempotency key")
	case m.Idempotent:
		list = append(list, "may be repeated")
	default:
		list = append(list, "not retried once the server may have seen it")
	}
	if m.Pagination != nil {
		all, pages := iteratorNames(m)
		list = append(list, "`"+all+"` and `"+pages+"` go through all pages, `"+strings.TrimSuffix(pages, "s")+"` gives one")
	}
	if m.Deprecated != "" {
		list = append(list, "deprecated")
	}
	return strings.Join(list, " · ")
}

func formatExpr(expr string) string {
	out, err := format.Source([]byte(expr))
	if err != nil {
		return expr
	}
	return string(out)
}
