package plan

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// typeNames gives the names in a type expression.
func typeNames(expr string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range strings.FieldsFuncSeq(expr, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !yield(name) {
				return
			}
		}
	}
}

// partTypes hands every type expression in the declaration of a type to reach.
func partTypes(t *Type, reach func(string)) {
	reach(t.Base)
	reach(t.Extra)
	for _, f := range t.Fields {
		reach(f.Type)
	}
	for _, v := range t.Variants {
		reach(v.Type)
	}
}

// prune leaves out types that nothing refers to: made-up ones always, components when only a part of the document was
// asked for.
func (b *builder) prune() {
	reached := map[string]bool{}
	var reach func(expr string)
	reach = func(expr string) {
		for name := range typeNames(expr) {
			if d := b.byName[name]; d != nil && !reached[name] {
				reached[name] = true
				partTypes(d.typ, reach)
			}
		}
	}
	if !b.subset {
		for _, d := range b.order {
			if d.component {
				reach(d.typ.Name)
			}
		}
	}
	for m := range b.plan.Methods() {
		methodTypes(m, reach)
	}
	for _, w := range b.plan.Webhooks {
		reach(w.Type)
	}
	b.plan.Types = slices.DeleteFunc(b.plan.Types, func(t *Type) bool { return !reached[t.Name] })
	b.plan.Names = slices.DeleteFunc(b.plan.Names, func(n Name) bool {
		first, _, _ := strings.Cut(n.Go, ".")
		return n.Kind != "method" && n.Kind != "service" && n.Kind != "enum-value" && b.byName[first] != nil && !reached[first]
	})
}

// methodTypes hands every type expression of a method to reach.
func methodTypes(m *Method, reach func(string)) {
	for _, p := range m.PathParams {
		reach(p.Type)
	}
	if m.Params != nil {
		for _, p := range m.Params.Fields {
			reach(p.Type)
		}
	}
	for _, body := range m.Bodies {
		reach(body.Type)
	}
	reach(m.Result.Type)
	for _, a := range m.Result.Answers {
		reach(a.Type)
	}
	for _, e := range m.Errors {
		reach(e.Type)
	}
	for _, h := range m.Headers {
		reach(h.Type)
	}
	if m.Pagination != nil {
		reach(m.Pagination.ItemType)
	}
}
