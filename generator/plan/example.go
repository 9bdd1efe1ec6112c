package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// maxExample bounds the length of a sample call; a longer one explains nothing.
const maxExample = 320

// example makes a sample call of the values that the document itself gives. An operation for which it gives too few has
// none.
func (b *builder) example(o *operation) {
	m := o.method
	args := make([]string, 0, len(m.PathParams)+2)
	given := false
	for _, p := range m.PathParams {
		if p.Const != "" {
			continue
		}
		value, ok := b.value(p.Type, paramExample(o, p))
		if !ok {
			return
		}
		given = true
		args = append(args, value)
	}
	if len(m.Bodies) > 0 {
		body := m.Bodies[0]
		value, ok := b.value(body.Type, bodyExample(o, body))
		if !ok || body.Kind != "json" {
			return
		}
		if body.ByPointer {
			if !strings.HasSuffix(value, "}") { // a call or a literal has no address
				return
			}
			value = "&" + value
		}
		given = true
		args = append(args, value)
	}
	if m.Params != nil {
		var parts []string
		for _, p := range m.Params.Fields {
			if !p.Required {
				continue
			}
			value, ok := b.value(p.Type, paramExample(o, p))
			if !ok {
				return
			}
			given = true
			parts = append(parts, p.GoName+": "+value)
		}
		args = append(args, m.Params.TypeName+"{"+strings.Join(parts, ", ")+"}")
	}
	if text := strings.Join(args, ", "); given && len(text) <= maxExample {
		m.Example = &Example{Args: text}
	}
}

// firstExample finds a value among the members that hold one.
func firstExample(n *spec.Node) *spec.Node {
	if e := n.Get("example"); e != nil {
		return e
	}
	switch list := n.Get("examples"); {
	case list.IsArray() && len(list.Items) > 0:
		return list.Items[0]
	case list.IsObject():
		for _, m := range list.All() {
			if v := m.Value.Get("value"); v != nil {
				return v
			}
		}
	}
	return nil
}

func paramExample(o *operation, p *Param) *spec.Node {
	for _, n := range o.Params {
		if n.Str("name") != p.Name || n.Str("in") != p.In {
			continue
		}
		if e := firstExample(n); e != nil {
			return e
		}
		schema, _ := paramSchema(n)
		if e := firstExample(schema); e != nil {
			return e
		}
		return firstExample(schema.Deref())
	}
	return nil
}

func bodyExample(o *operation, body *Body) *spec.Node {
	media := o.Node.Get("requestBody").Deref().Get("content").Deref().Get(body.ContentType).Deref()
	if e := firstExample(media); e != nil {
		return e
	}
	return firstExample(media.Get("schema").Deref())
}

// value writes a value of the document as a Go expression of a type.
func (b *builder) value(expr string, n *spec.Node) (string, bool) {
	if n == nil || n.Kind == spec.Null {
		return "", false
	}
	if item, ok := strings.CutPrefix(expr, "[]"); ok && n.Kind == spec.Array && item != "byte" {
		return b.values(expr, item, n)
	}
	if item, ok := strings.CutPrefix(expr, "map[string]"); ok && n.Kind == spec.Object {
		return b.mapLiteral(expr, item, n)
	}
	switch expr {
	case "string":
		return strconv.Quote(n.Value), n.Kind == spec.String && len(n.Value) <= 60
	case "bool":
		return n.Value, n.Kind == spec.Bool
	case "int64", "int32", "uint64":
		_, ok := n.Int()
		return n.Value, ok && n.Kind == spec.Number && !strings.ContainsAny(n.Value, ".eE")
	case "float64", "float32":
		return n.Value, n.Kind == spec.Number
	}
	d := b.byName[expr]
	if d == nil {
		return "", false
	}
	switch d.typ.Kind {
	case Alias:
		return b.value(d.typ.Base, n)
	case Enum:
		return enumValue(d.typ, n)
	case Struct:
		return b.structLiteral(d.typ, n)
	case Union:
		return b.variantValue(d.typ, n)
	case Define:
		text, ok := b.value(d.typ.Base, n)
		return strings.Replace(text, d.typ.Base, d.typ.Name, 1), ok
	}
	return "", false
}

func (b *builder) values(expr, item string, n *spec.Node) (string, bool) {
	parts := make([]string, 0, len(n.Items))
	for _, i := range n.Items {
		text, ok := b.value(item, i)
		if !ok {
			return "", false
		}
		if strings.HasPrefix(text, item+"{") {
			text = text[len(item):] // the list says the type
		}
		parts = append(parts, text)
	}
	return expr + "{" + strings.Join(parts, ", ") + "}", true
}

func (b *builder) mapLiteral(expr, item string, n *spec.Node) (string, bool) {
	parts := make([]string, 0, len(n.Members))
	for _, m := range n.Members {
		text, ok := b.value(item, m.Value)
		if !ok {
			return "", false
		}
		parts = append(parts, strconv.Quote(m.Key)+": "+text)
	}
	slices.Sort(parts)
	return expr + "{" + strings.Join(parts, ", ") + "}", true
}

func enumValue(t *Type, n *spec.Node) (string, bool) {
	for _, v := range t.Values {
		if unquote(v.Literal) == n.Value {
			return v.GoName, true
		}
	}
	return "", false
}

// structLiteral fills in what has to be there, and of the rest what needs no pointer.
func (b *builder) structLiteral(t *Type, n *spec.Node) (string, bool) {
	if n.Kind != spec.Object {
		return "", false
	}
	var parts []string
	for _, f := range t.Fields {
		if f.Const != "" || f.ReadOnly || strings.HasPrefix(f.Type, "*") || strings.HasPrefix(f.Type, "wire.") {
			if f.Required && f.Const == "" && !f.ReadOnly && !f.Nullable {
				return "", false
			}
			continue
		}
		text, ok := b.value(f.Type, n.Get(f.JSON))
		if !ok && f.Required {
			return "", false
		}
		if ok {
			parts = append(parts, f.GoName+": "+text)
		}
	}
	return t.Name + "{" + strings.Join(parts, ", ") + "}", true
}

// variantValue chooses the variant of a choice by its tag, or by its JSON type where only one has it.
func (b *builder) variantValue(t *Type, n *spec.Node) (string, bool) {
	var fits []*Variant
	for _, v := range t.Variants {
		if t.Discriminator != "" && slices.Contains(v.Tags, n.Str(t.Discriminator)) || t.Discriminator == "" && v.JSON == exampleKind(n) {
			fits = append(fits, v)
		}
	}
	if len(fits) != 1 {
		return "", false
	}
	text, ok := b.value(fits[0].Type, n)
	return "New" + t.Name + fits[0].GoName + "(" + text + ")", ok
}

func exampleKind(n *spec.Node) string {
	if _, whole := n.Int(); n.Kind == spec.Number && whole && !strings.ContainsAny(n.Value, ".eE") {
		return "integer"
	}
	return n.Kind.String()
}
