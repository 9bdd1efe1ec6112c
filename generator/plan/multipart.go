package plan

import (
	"github.com/retrysafe/retrysafe/generator/spec"
)

// multipartBodies makes the structs of bodies of several parts. A schema with files that is a JSON body as well gets a
// struct of its own for the parts, because JSON has no files.
func (b *builder) multipartBodies(ops []*operation) {
	b.multipart = map[*spec.Node]*named{}
	var bodies []*spec.Node
	seen := map[*spec.Node]bool{}
	elsewhere := map[*spec.Node]bool{}
	for _, m := range b.doc.Root.At("components", "schemas").All() {
		b.uses(m.Value, elsewhere, seen)
	}
	for _, o := range ops {
		for _, m := range o.Node.Get("responses").All() {
			b.usesContent(m.Value.Deref(), elsewhere, seen, nil)
		}
		b.usesContent(o.Node.Get("requestBody").Deref(), elsewhere, seen, &bodies)
	}
	for _, t := range bodies {
		d := b.named[t]
		if d == nil || d.node.Ref != "" || d.shape != structShape || !hasFiles(t) || b.multipart[t] != nil {
			continue
		}
		if elsewhere[t] {
			c := t.Copy()
			d = b.declare(c, d.typ.Pointer+"#multipart", false, "", d.typ.Name+"Multipart")
			d.component = true
		}
		d.multipart = true
		b.multipart[t] = d
	}
}

func (b *builder) usesContent(n *spec.Node, elsewhere, seen map[*spec.Node]bool, bodies *[]*spec.Node) {
	for _, m := range n.Get("content").Deref().All() {
		schema := m.Value.Deref().Get("schema")
		if schema == nil {
			continue
		}
		if bodies != nil && kindOfMedia(m.Key) == "multipart" {
			*bodies = append(*bodies, schema.Deref())
			b.uses(schema.Deref(), elsewhere, seen)
			continue
		}
		if t := schema.Deref(); t != nil {
			elsewhere[t] = true
			b.uses(t, elsewhere, seen)
		}
	}
}

// uses marks every schema that stands inside another.
func (b *builder) uses(n *spec.Node, used, seen map[*spec.Node]bool) {
	if n == nil || seen[n] || n.Kind != spec.Object {
		return
	}
	seen[n] = true
	if n.Ref != "" {
		if n.Target != nil {
			used[n.Deref()] = true
		}
		return
	}
	inner := func(c *spec.Node) {
		if c.IsObject() {
			if t := c.Deref(); t != nil {
				used[t] = true
			}
			b.uses(c, used, seen)
		}
	}
	for _, m := range n.Get("properties").All() {
		inner(m.Value)
	}
	inner(n.Get("items"))
	inner(n.Get("additionalProperties"))
	for _, v := range n.Get("oneOf").List() {
		inner(v)
	}
}
