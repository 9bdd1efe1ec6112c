package plan

import (
	"slices"
	"strconv"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// discriminatorOf gives the member that tells the variants of a choice apart: the declared one, or one that every
// variant declares with a value of its own.
func discriminatorOf(n *spec.Node) string {
	if p := n.At("discriminator", "propertyName").Text(); p != "" {
		return p
	}
	variants := n.Get("oneOf").List()
	first := variants[0].Deref()
	for _, m := range first.Get("properties").All() {
		if distinctConst(variants, m.Key) {
			return m.Key
		}
	}
	return ""
}

func distinctConst(variants []*spec.Node, property string) bool {
	seen := map[string]bool{}
	for _, v := range variants {
		t := v.Deref()
		value := single(t.Get("properties").Get(property))
		if value == nil || value.Kind != spec.String || !requires(t, property) || seen[value.Value] {
			return false
		}
		seen[value.Value] = true
	}
	return true
}

// variants fills in the cases of a choice.
func (b *builder) variants(d *named) {
	if d.typ.Kind != Union {
		return
	}
	t := d.typ
	s := newScope()
	tags := variantTags(d.node, t.Discriminator)
	for i, v := range d.node.Get("oneOf").List() {
		g := b.typeOf(v)
		name := b.variantName(t.Name, v, g, i)
		goName := s.take(name, name+"Value")
		variant := &Variant{
			GoName: goName, Type: g.expr, JSON: jsonKind(v.Deref()), Doc: docText(v.Deref().Str("description")),
			Pointer: g.shape == structShape,
		}
		b.global.taken["New"+t.Name+goName] = true
		if variant.JSON == "object" {
			b.objectVariant(t, variant, v.Deref(), g, tags)
		}
		t.Variants = append(t.Variants, variant)
	}
	if t.Discriminator != "" {
		dropSharedTags(t)
	}
}

func (b *builder) variantName(union string, v *spec.Node, g goType, i int) string {
	if g.named != nil {
		if rest, ok := cutPrefix(g.expr, union); ok {
			return rest
		}
		return g.expr
	}
	switch g.shape {
	case scalarShape:
		return map[string]string{
			"string": "String", "int64": "Integer", "int32": "Integer", "uint64": "Integer", "float64": "Number", "float32": "Number",
			"bool": "Boolean", "time.Time": "Time", "wire.Date": "Date", "json.Number": "Number",
		}[g.expr]
	case sliceShape:
		if g.expr == "[]byte" {
			return "Bytes"
		}
		return "List"
	case mapShape:
		if i > 0 && v.Has("title") {
			return exported(v.Str("title"), "Map")
		}
		return "Map"
	default:
		return "Any"
	}
}

func cutPrefix(name, prefix string) (string, bool) {
	if len(name) > len(prefix) && name[:len(prefix)] == prefix && name[len(prefix)] >= 'A' && name[len(prefix)] <= 'Z' {
		return name[len(prefix):], true
	}
	return "", false
}

func jsonKind(n *spec.Node) string {
	switch shapeOf(n) {
	case structShape, mapShape:
		return "object"
	case sliceShape:
		return "array"
	case scalarShape, enumShape:
		return n.Str("type")
	default:
		return "any"
	}
}

// variantTags gives the discriminator values of each variant.
func variantTags(n *spec.Node, property string) map[*spec.Node][]string {
	tags := map[*spec.Node][]string{}
	if property == "" {
		return tags
	}
	for _, m := range n.At("discriminator", "mapping").All() {
		if t := m.Value.Deref(); t != nil {
			tags[t] = append(tags[t], m.Key)
		}
	}
	return tags
}

func (b *builder) objectVariant(t *Type, v *Variant, n *spec.Node, g goType, tags map[*spec.Node][]string) {
	for _, r := range n.Get("required").List() {
		if !slices.Contains(v.Required, r.Value) {
			v.Required = append(v.Required, r.Value)
		}
	}
	for _, m := range n.Get("properties").All() {
		v.Known = append(v.Known, m.Key)
		target := m.Value.Deref()
		if values := target.Get("enum").List(); len(values) > 0 && len(values) <= 20 && !target.Flag("nullable") {
			if v.Consts == nil {
				v.Consts = map[string][]string{}
			}
			for _, value := range values {
				v.Consts[m.Key] = append(v.Consts[m.Key], jsonText(value))
			}
		}
	}
	if t.Discriminator == "" {
		return
	}
	v.Tags = slices.Clone(tags[n])
	property := n.Get("properties").Get(t.Discriminator)
	if len(v.Tags) == 0 {
		for _, value := range property.Deref().Get("enum").List() {
			v.Tags = append(v.Tags, value.Value)
		}
	}
	if len(v.Tags) == 0 && g.named != nil && g.named.component {
		name := afterLast(g.named.typ.Pointer, "/")
		v.Tags = []string{name}
	}
	if property == nil || g.named == nil {
		return
	}
	for _, f := range g.named.typ.Fields {
		if f.JSON == t.Discriminator && (fillable(f.Type) || b.isStringEnum(f.Type)) {
			v.TagField, v.TagFieldType = f.GoName, f.Type
		}
	}
}

func fillable(expr string) bool { return expr == "string" || expr == "*string" }

func (b *builder) isStringEnum(expr string) bool {
	if expr != "" && expr[0] == '*' {
		expr = expr[1:]
	}
	d := b.byName[expr]
	return d != nil && d.typ.Kind == Enum && d.typ.Base == "string"
}

func jsonText(n *spec.Node) string {
	if n.Kind == spec.String {
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// dropSharedTags gives up on a discriminator that does not tell all variants apart: they are told apart by shape.
func dropSharedTags(t *Type) {
	seen := map[string]int{}
	for _, v := range t.Variants {
		for _, tag := range v.Tags {
			seen[tag]++
		}
	}
	for _, v := range t.Variants {
		if v.JSON == "object" {
			v.Tags = slices.DeleteFunc(v.Tags, func(tag string) bool { return seen[tag] > 1 })
		}
	}
}
