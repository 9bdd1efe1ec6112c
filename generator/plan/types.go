package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// goType is a Go type expression and what is known about it.
type goType struct {
	expr     string
	shape    shape
	nullable bool
	named    *named // when expr is the name of a named type
}

// typeOf gives the Go type of a schema at a place: the name of its type, or an expression.
func (b *builder) typeOf(n *spec.Node) goType {
	return b.typeWithin(n, 0)
}

// maxNesting bounds types of types, such as lists of lists.
const maxNesting = 12

func (b *builder) typeWithin(n *spec.Node, depth int) goType {
	nullable := n.Flag("nullable")
	t := n.Deref()
	if t == nil || depth > maxNesting {
		b.widest++
		return goType{expr: rawType, nullable: true}
	}
	nullable = nullable || t.Flag("nullable")
	if d := b.named[t]; d != nil {
		return goType{expr: d.typ.Name, shape: b.namedShape(d), nullable: nullable, named: d}
	}
	s := shapeOf(t)
	switch s {
	case sliceShape:
		return goType{expr: "[]" + b.element(t.Get("items"), depth), shape: s, nullable: nullable}
	case mapShape:
		return goType{expr: "map[string]" + b.mapValue(t, depth), shape: s, nullable: nullable}
	case scalarShape, enumShape:
		expr := scalarType(t)
		if expr == "[]byte" {
			s = sliceShape
		} else {
			s = scalarShape
		}
		return goType{expr: expr, shape: s, nullable: nullable}
	default:
		b.widest++
		return goType{expr: rawType, shape: anyShape, nullable: true}
	}
}

// namedShape is what the type behind a name is.
func (b *builder) namedShape(d *named) shape {
	n := d.node
	if n.Ref != "" {
		t := n.Deref()
		if other := b.named[t]; other != nil && other != d {
			return b.namedShape(other)
		}
		n = t
	}
	s := shapeOf(n)
	if s == scalarShape && scalarType(n) == "[]byte" {
		return sliceShape
	}
	return s
}

// element gives the type of list items and map values.
func (b *builder) element(n *spec.Node, depth int) string {
	t := b.typeWithin(n, depth+1)
	if t.nullable && t.shape != anyShape && t.shape != sliceShape && t.shape != mapShape {
		return "*" + t.expr
	}
	return t.expr
}

func (b *builder) mapValue(n *spec.Node, depth int) string {
	if a := n.Get("additionalProperties"); a.IsObject() {
		return b.element(a, depth)
	}
	return rawType
}

// emitTypes fills in the declarations.
func (b *builder) emitTypes() {
	b.byName = make(map[string]*named, len(b.order))
	for _, d := range b.order {
		b.byName[d.typ.Name] = d
	}
	for _, d := range b.order {
		b.emit(d)
		b.plan.Types = append(b.plan.Types, d.typ)
	}
	b.holderDocs()
	for _, d := range b.order {
		b.constants(d)
	}
	for _, d := range b.order {
		b.variants(d)
	}
	slices.SortFunc(b.plan.Types, func(x, y *Type) int { return strings.Compare(x.Name, y.Name) })
}

func (b *builder) emit(d *named) {
	t, n := d.typ, d.node
	t.Doc = typeDoc(t.Name, n)
	t.Deprecated = deprecation(n)
	t.IsError = d.isError
	t.Example = shown(maxShownValue, n, n.Deref())
	if n.Ref != "" {
		t.Kind = Alias
		t.Base = b.typeOf(n).expr
		return
	}
	switch d.shape {
	case structShape:
		t.Kind = Struct
		b.fields(d)
	case enumShape:
		t.Kind = Enum
		t.Base = enumBase(n)
	case unionShape:
		t.Kind = Union
		t.Discriminator = discriminatorOf(n)
	case sliceShape:
		t.Kind = Define
		t.Base = "[]" + b.element(n.Get("items"), 0)
	case mapShape:
		t.Kind = Define
		t.Base = "map[string]" + b.mapValue(n, 0)
	case scalarShape:
		t.Kind, t.Base = Alias, scalarType(n)
	case anyShape, fileShape:
		b.widest++
		t.Kind, t.Base = Alias, rawType
	}
	if d.isError && t.Kind == Alias {
		t.Kind = Define
	}
}

// enumBase is the Go type behind an enum's constants.
func enumBase(n *spec.Node) string {
	switch n.Str("type") {
	case "integer":
		if n.Str("format") == "int32" {
			return "int32"
		}
		return "int64"
	case "number":
		return "float64"
	}
	return "string"
}

// constants names the values of an enum. All constants are named after all types, so that a type never gives way.
func (b *builder) constants(d *named) {
	t, n := d.typ, d.node
	if t.Kind != Enum {
		return
	}
	number := t.Base != "string"
	names := enumNames(n)
	docs := enumDocs(n)
	for i, v := range n.Get("enum").List() {
		name := valueName(v.Value, number)
		if i < len(names) && names[i] != "" {
			name = pascal(names[i])
		}
		pointer := t.Pointer + "/enum/" + spec.EscapePointer(v.Value)
		candidates := []string{t.Name + name}
		if o := b.override(pointer); o != "" {
			candidates = []string{o}
		} else if raw := rawCase(v.Value); !number && raw != "" {
			candidates = append(candidates, t.Name+raw)
		}
		value := &EnumValue{GoName: b.global.take(candidates...), Literal: v.Value}
		if !number {
			value.Literal = strconv.Quote(v.Value)
		} else {
			value.Literal = numberLiteral(v.Value, t.Base)
		}
		if i < len(docs) {
			value.Doc = docText(docs[i])
		}
		t.Values = append(t.Values, value)
		b.note(pointer, "enum-value", value.GoName)
	}
}

// rawCase keeps the case of a value, for enums whose values differ in nothing else.
func rawCase(value string) string {
	var out strings.Builder
	for _, w := range words(value) {
		out.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	if s := out.String(); s != "" && s[0] < 0x80 {
		return s
	}
	return ""
}

func numberLiteral(text, base string) string {
	if base == "float64" {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return text
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatInt(int64(f), 10)
	}
	return text
}

// enumNames reads the names that authors give to values by extension.
func enumNames(n *spec.Node) []string {
	for _, key := range []string{"x-enum-varnames", "x-enumNames", "x-enum-names", "x-speakeasy-enums"} {
		list := n.Get(key)
		if list.IsArray() && len(list.Items) == len(n.Get("enum").List()) {
			return texts(list.Items)
		}
	}
	if values := n.At("x-ms-enum", "values"); values.IsArray() {
		return byValue(n, values.Items, "value", "name")
	}
	if f := n.Get("x-fern-enum"); f.IsObject() {
		names := make([]string, len(n.Get("enum").List()))
		for i, v := range n.Get("enum").List() {
			names[i] = f.Get(v.Value).Str("name")
		}
		return names
	}
	return nil
}

func enumDocs(n *spec.Node) []string {
	for _, key := range []string{"x-enum-descriptions", "x-enumDescriptions", "x-enum-comments"} {
		switch list := n.Get(key); {
		case list.IsArray() && len(list.Items) == len(n.Get("enum").List()):
			return texts(list.Items)
		case list.IsObject():
			docs := make([]string, len(n.Get("enum").List()))
			for i, v := range n.Get("enum").List() {
				docs[i] = list.Str(v.Value)
			}
			return docs
		}
	}
	if values := n.At("x-ms-enum", "values"); values.IsArray() {
		return byValue(n, values.Items, "value", "description")
	}
	return nil
}

func byValue(n *spec.Node, entries []*spec.Node, value, want string) []string {
	out := make([]string, len(n.Get("enum").List()))
	for i, v := range n.Get("enum").List() {
		for _, e := range entries {
			if e.Str(value) == v.Value {
				out[i] = e.Str(want)
			}
		}
	}
	return out
}

func texts(items []*spec.Node) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = item.Text()
	}
	return out
}

func itoa(i int) string { return strconv.Itoa(i) }
