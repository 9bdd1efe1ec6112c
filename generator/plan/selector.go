package plan

import "strings"

// selected is a place in a result: the Go fields that lead there and the type that stands there.
type selected struct {
	path []string
	typ  string
}

// structOf gives the struct behind a type expression, nil when there is none.
func (b *builder) structOf(expr string) *Type {
	expr = bareType(expr)
	for range 50 {
		d := b.byName[expr]
		switch {
		case d == nil:
			return nil
		case d.typ.Kind == Struct:
			return d.typ
		case d.typ.Kind == Alias:
			expr = bareType(d.typ.Base)
		default:
			return nil
		}
	}
	return nil
}

// bareType takes off what makes a type optional or nullable.
func bareType(expr string) string {
	expr = strings.TrimPrefix(expr, "*")
	if inner, ok := strings.CutPrefix(expr, "wire.Nullable["); ok {
		expr = strings.TrimPrefix(strings.TrimSuffix(inner, "]"), "*")
	}
	return expr
}

// find follows member names, written a.b.c or as a JSONPath such as $.a.b, through the structs of a type.
func (b *builder) find(expr, path string) (selected, bool) {
	path = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "$response."), "$"), ".")
	s := selected{typ: expr}
	if path == "" {
		return s, true
	}
	for name := range strings.SplitSeq(path, ".") {
		t := b.structOf(s.typ)
		if t == nil {
			return selected{}, false
		}
		f := fieldOf(t, name)
		if f == nil {
			return selected{}, false
		}
		s.path = append(s.path, f.GoName)
		s.typ = f.Type
	}
	return s, true
}

// listOf gives the item type when an expression is a list, through named lists too.
func (b *builder) listOf(expr string) (string, bool) {
	expr = bareType(expr)
	for range 50 {
		if item, ok := strings.CutPrefix(expr, "[]"); ok && item != "byte" {
			return item, true
		}
		d := b.byName[expr]
		if d == nil || d.typ.Kind != Define && d.typ.Kind != Alias {
			return "", false
		}
		expr = bareType(d.typ.Base)
	}
	return "", false
}
