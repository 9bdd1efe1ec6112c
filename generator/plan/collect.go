package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// named is a schema that becomes a named Go type.
type named struct {
	node      *spec.Node
	typ       *Type
	shape     shape
	component bool
	isError   bool
	// multipart says that binary members are files: the struct is a body of several parts.
	multipart bool
}

// pending is the target of a reference that is no component.
type pending struct {
	node *spec.Node
	name string
	from string
}

// components names the schemas under components, before anything else: nothing that is made up may take their names.
// Those whose name is Go already keep it; the others follow in alphabetical order.
func (b *builder) components() {
	schemas := b.doc.Root.At("components", "schemas").All()
	order := slices.Clone(schemas)
	slices.SortStableFunc(order, func(x, y spec.Member) int {
		return rank(x.Key) - rank(y.Key)
	})
	for _, m := range order {
		pointer := "/components/schemas/" + spec.EscapePointer(m.Key)
		b.declare(m.Value, pointer, true, b.override(pointer), exported(m.Key, "Type"))
	}
}

func rank(name string) int {
	if exported(name, "") == name {
		return 0
	}
	return 1
}

// declare gives a schema a named type. The first of candidates is the override of the config and may be empty.
func (b *builder) declare(n *spec.Node, pointer string, component bool, candidates ...string) *named {
	s := shapeOf(n)
	base := candidates[1]
	switch {
	case component:
		candidates = append(candidates, base+"Model")
	case s == enumShape:
		candidates = append(candidates, base+"Enum")
	case s == unionShape:
		candidates = append(candidates, base+"Union")
	default:
		candidates = append(candidates, base+"Object")
	}
	if candidates[0] == "" {
		candidates = candidates[1:]
	}
	d := &named{node: n, shape: s, component: component, typ: &Type{
		Name: b.global.takeType(candidates...), Pos: n.Pos(), Pointer: pointer,
	}}
	b.named[n] = d
	b.order = append(b.order, d)
	b.note(pointer, "type", d.typ.Name)
	return d
}

// takeType avoids names that printed options and constructors would take.
func (s *scope) takeType(candidates ...string) string {
	free := candidates[:0:0]
	for _, c := range candidates {
		if !isHelperName(c) {
			free = append(free, c)
		}
	}
	if len(free) == 0 {
		free = append(free, candidates[0]+"Type")
	}
	return s.take(free...)
}

func isHelperName(name string) bool {
	for _, prefix := range []string{"With", "New"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && prefix == "With" {
			return true
		}
	}
	return false
}

// declareHoisted names the inline objects, enums and choices: first those inside components, then those of operations,
// then targets of references into the middle of something.
func (b *builder) declareHoisted(ops []*operation) {
	components := b.doc.Root.Get("components")
	for _, m := range components.Get("schemas").All() {
		b.inside(m.Value)
	}
	for _, o := range ops {
		b.operationSchemas(o)
	}
	for _, hook := range b.doc.Webhooks {
		b.webhookSchemas(hook)
	}
	for len(b.later) > 0 {
		next := b.later[0]
		b.later = b.later[1:]
		b.hoist(next.node, next.name, next.from)
	}
}

// inside looks for schemas to name in one that has its name.
func (b *builder) inside(n *spec.Node) {
	d := b.named[n]
	if d == nil {
		return
	}
	b.children(n, d.typ.Name, d.typ.Pointer)
}

func (b *builder) children(n *spec.Node, name, pointer string) {
	if n.Ref != "" {
		b.follow(n)
		return
	}
	for _, m := range n.Get("properties").All() {
		at := pointer + "/properties/" + spec.EscapePointer(m.Key)
		b.hoist(m.Value, name+exported(m.Key, "Field"), at)
	}
	if a := n.Get("additionalProperties"); a.IsObject() {
		b.hoist(a, itemName(name, "Value"), pointer+"/additionalProperties")
	}
	if items := n.Get("items"); items.IsObject() {
		b.hoist(items, itemName(name, "Item"), pointer+"/items")
	}
	for i, v := range n.Get("oneOf").List() {
		b.hoist(v, name+variantHint(n, v, i), pointer+"/oneOf/"+itoa(i))
	}
	for _, key := range []string{"$defs", "definitions"} {
		for _, m := range n.Get(key).All() {
			if m.Value.IsObject() && m.Value.Ref == "" {
				b.later = append(b.later, pending{m.Value, exported(m.Key, "Type"), pointer + "/" + key + "/" + spec.EscapePointer(m.Key)})
			}
		}
	}
}

// itemName names what a list holds: OrderLines holds OrderLine, Fees holds Fee, Sheep holds SheepItem.
func itemName(name, suffix string) string {
	list := words(name)
	if len(list) == 0 {
		return name + suffix
	}
	last := list[len(list)-1]
	one := singular(last)
	if one == last || !strings.HasSuffix(name, last) {
		return name + suffix
	}
	return strings.TrimSuffix(name, last) + one
}

// hoist names a schema if it needs a name, and looks inside. An enum of one value needs none: there is nothing to choose.
func (b *builder) hoist(n *spec.Node, name, pointer string) {
	if n == nil || n.Kind != spec.Object {
		return
	}
	if n.Ref != "" {
		b.follow(n)
		return
	}
	if b.named[n] != nil || b.seen(n) {
		return
	}
	s := shapeOf(n)
	switch {
	case s == structShape, s == unionShape, s == enumShape && single(n) == nil:
		d := b.declare(n, pointer, false, b.override(pointer), name)
		b.children(n, d.typ.Name, pointer)
	case s == enumShape:
	default:
		b.children(n, name, pointer)
	}
}

// seen marks a schema without a name, so that each is looked into once.
func (b *builder) seen(n *spec.Node) bool {
	if b.visited == nil {
		b.visited = map[*spec.Node]bool{}
	}
	if b.visited[n] {
		return true
	}
	b.visited[n] = true
	return false
}

// follow remembers the target of a reference that has no name yet.
func (b *builder) follow(n *spec.Node) {
	t := n.Deref()
	if t == nil || b.named[t] != nil {
		return
	}
	ref := n.Ref
	for r := n; r.Target != nil && r.Target.Ref != ""; r = r.Target {
		ref = r.Target.Ref
	}
	b.later = append(b.later, pending{t, b.refName(ref), ref})
}

// refName makes a name of a reference: the name of what it points to.
func (b *builder) refName(ref string) string {
	file, fragment, _ := strings.Cut(ref, "#")
	if fragment == "" || fragment == "/" {
		base := path.Base(file)
		return exported(strings.TrimSuffix(base, path.Ext(base)), "Type")
	}
	parts := strings.Split(strings.TrimPrefix(fragment, "/"), "/")
	var kept []string
	for i, p := range parts {
		p = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
		switch p {
		case "components", "schemas", "$defs", "definitions", "paths", "content", "schema", "responses", "parameters":
			if i < len(parts)-1 {
				kept = nil
			}
		case "properties", "allOf", "anyOf", "oneOf", "requestBody", "application/json":
		default:
			kept = append(kept, p)
		}
	}
	return exported(strings.Join(kept, " "), "Type")
}

func requires(n *spec.Node, property string) bool {
	for _, r := range n.Get("required").List() {
		if r.Value == property {
			return true
		}
	}
	return false
}

// variantHint names an inline variant of a choice by what tells it from the others.
func variantHint(union, v *spec.Node, i int) string {
	if ref := v.Str("x-variant-of"); ref != "" {
		name := afterLast(ref, "/")
		return exported(name, "Variant")
	}
	if title := v.Str("title"); title != "" && len(words(title)) <= 5 {
		return exported(title, "Variant")
	}
	if property := union.At("discriminator", "propertyName").Text(); property != "" {
		if value := single(v.Get("properties").Get(property)); value != nil {
			return exported(value.Value, "Variant")
		}
	}
	for _, name := range []string{"type", "object", "kind"} {
		if value := single(v.Get("properties").Get(name)); value != nil {
			return exported(value.Value, "Variant")
		}
	}
	switch shapeOf(v) {
	case enumShape:
		return "Enum"
	case unionShape:
		return "Choice" + itoa(i+1)
	default:
		return "Variant" + itoa(i+1)
	}
}

func afterLast(s, sep string) string { return s[strings.LastIndex(s, sep)+1:] }

// operationSchemas names the schemas of parameters, bodies and answers of an operation.
func (b *builder) operationSchemas(o *operation) {
	for _, p := range o.Params {
		schema, _ := paramSchema(p)
		b.hoist(schema, o.base+exported(p.Str("name"), "Param"), o.Pointer+"/parameters/"+p.Str("in")+"/"+spec.EscapePointer(p.Str("name")))
	}
	b.bodySchemas(o.Operation, o.base+"Request")
	responses := o.Node.Get("responses").All()
	names := responseNames(responses, o.base)
	for i, m := range responses {
		response := m.Value.Deref()
		at := o.Pointer + "/responses/" + m.Key
		for _, media := range response.Get("content").Deref().All() {
			if schema := media.Value.Deref().Get("schema"); schema != nil {
				b.hoist(schema, names[i], at+"/content/"+spec.EscapePointer(media.Key)+"/schema")
			}
		}
		for _, h := range response.Get("headers").All() {
			if schema, _ := paramSchema(h.Value.Deref()); schema != nil {
				b.hoist(schema, o.base+exported(h.Key, "Header")+"Header", at+"/headers/"+spec.EscapePointer(h.Key))
			}
		}
	}
}

func (b *builder) bodySchemas(op *normalise.Operation, name string) {
	for _, media := range op.Node.Get("requestBody").Deref().Get("content").Deref().All() {
		schema := media.Value.Deref().Get("schema")
		if schema == nil {
			continue
		}
		hint := name
		if kind := kindOfMedia(media.Key); kind != "json" && len(op.Node.Get("requestBody").Deref().Get("content").Deref().All()) > 1 {
			hint += exported(kind, "")
		}
		b.hoist(schema, hint, op.Pointer+"/requestBody/content/"+spec.EscapePointer(media.Key)+"/schema")
	}
}

func (b *builder) webhookSchemas(op *normalise.Operation) {
	b.bodySchemas(op, exported(op.Path, "Webhook")+"Event")
}

// responseNames names inline answers: the one success is the Response, failures are named by their status.
func responseNames(responses []spec.Member, base string) []string {
	successes := 0
	for _, m := range responses {
		if isSuccess(m.Key) {
			successes++
		}
	}
	names := make([]string, len(responses))
	first := true
	for i, m := range responses {
		switch {
		case isSuccess(m.Key) && first:
			names[i] = base + "Response"
			first = false
		case isSuccess(m.Key):
			names[i] = base + "Response" + pascal(m.Key)
		case m.Key == "default" && successes == 0:
			names[i] = base + "Response"
		default:
			names[i] = base + statusName(m.Key) + "Error"
		}
	}
	return names
}

func isSuccess(status string) bool { return strings.HasPrefix(status, "2") }
