package normalise

import (
	"slices"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// simplifyUnions leaves oneOf only where a value really is one of several Go types. What is written with oneOf or anyOf
// and is something else becomes that: an enum with words for each value, a string of several formats, a choice of which
// members are required, a variant beside null.
func simplifyUnions(s *state) {
	for changed := true; changed; {
		changed = false
		s.eachSchema(func(n *spec.Node) {
			if !s.unified[n] {
				s.unified[n] = true
				changed = s.unify(n) || changed
			}
		})
	}
}

// maxVariants is the number of variants above which a union beside members of its own is folded into one struct.
const maxVariants = 40

func (s *state) unify(n *spec.Node) bool {
	if n.Ref != "" || !n.Has("oneOf") && !n.Has("anyOf") {
		return false
	}
	if n.Has("oneOf") && n.Has("anyOf") {
		s.twoLists(n)
	}
	if n.Has("anyOf") {
		list := n.Get("anyOf")
		n.Delete("anyOf")
		n.Set("oneOf", list)
	}
	if !n.Has("oneOf") {
		return true
	}
	list := n.Get("oneOf")
	u := union{state: s, n: n, list: list}
	u.collect(list.List(), map[*spec.Node]bool{n: true}, !n.Has("discriminator"))
	u.settle()
	return true
}

// twoLists handles oneOf beside anyOf: the list that only says which members are required goes, else it is folded in.
func (s *state) twoLists(n *spec.Node) {
	for _, key := range []string{"anyOf", "oneOf"} {
		if all(n.Get(key).List(), isConstraint) {
			n.Delete(key)
			return
		}
	}
	s.fold(n, n.Get("anyOf"))
	n.Delete("anyOf")
}

type union struct {
	*state
	n, list  *spec.Node
	variants []*spec.Node
}

// collect gathers the variants, those of inner unions among them, each once and without null.
func (u *union) collect(list []*spec.Node, open map[*spec.Node]bool, splice bool) {
	for _, v := range list {
		t := v.Deref()
		if t == nil || t.Kind != spec.Object {
			u.add(spec.NewObject(v), v)
			continue
		}
		if t == u.n {
			continue
		}
		if isNull(t) {
			u.n.Set("nullable", spec.NewBool(v, true))
			continue
		}
		if t.Flag("nullable") || v.Flag("nullable") {
			u.n.Set("nullable", spec.NewBool(v, true))
		}
		inner := t.Get("oneOf")
		if inner == nil {
			inner = t.Get("anyOf")
		}
		if splice && inner != nil && !t.Has("properties") && !t.Has("discriminator") {
			if !open[t] {
				open[t] = true
				u.collect(inner.List(), open, true)
			}
			continue
		}
		u.add(t, v)
	}
}

func (u *union) add(t, v *spec.Node) {
	for _, old := range u.variants {
		o := old.Deref()
		if o == t || old.Ref == "" && v.Ref == "" && spec.Equal(o, t) {
			return
		}
	}
	u.variants = append(u.variants, v)
}

func all(list []*spec.Node, is func(*spec.Node) bool) bool {
	for _, v := range list {
		if !is(v.Deref()) {
			return false
		}
	}
	return len(list) > 0
}

// isConstraint reports whether a variant only narrows the schema around it.
func isConstraint(v *spec.Node) bool {
	for _, m := range v.All() {
		switch {
		case isAnnotation(m.Key), m.Key == "required", m.Key == "minProperties", m.Key == "maxProperties", m.Key == "$ref":
		case m.Key == "type" && m.Value.Text() == "object":
		case m.Key == "properties" && all(values(m.Value), func(p *spec.Node) bool { return p != nil && isEmptySchema(p) && !p.Has("enum") }):
		case m.Key == "additionalProperties" && m.Value.Kind == spec.Bool:
		default:
			return false
		}
	}
	return true
}

func values(n *spec.Node) []*spec.Node {
	out := make([]*spec.Node, 0, len(n.All()))
	for _, m := range n.All() {
		out = append(out, m.Value)
	}
	return out
}

func (u *union) settle() {
	n := u.n
	own := n.Has("properties") || n.Get("additionalProperties").IsObject()
	if own || n.Str("type") == "object" {
		declared := len(u.variants)
		u.variants = slices.DeleteFunc(u.variants, func(v *spec.Node) bool { return own && isConstraint(v.Deref()) })
		if len(u.variants) == 0 {
			n.Delete("oneOf")
			n.Delete("discriminator")
			n.Set("type", spec.NewString(n, "object"))
			return
		}
		if own && len(u.variants) == 1 && declared > 1 && isObjectLike(u.variants[0].Deref()) {
			u.foldAll() // the other variants do without its members, also where it demands them
			return
		}
	}
	u.inheritType()
	for _, v := range u.variants {
		if isAny(v.Deref()) {
			u.widen(u.list, "a choice one of whose variants is any value")
			u.become(spec.NewObject(n))
			return
		}
	}
	u.scalars()
	u.arrays()
	if own && len(u.variants) > 0 {
		u.distribute()
		if !n.Has("oneOf") {
			return
		}
	}
	switch len(u.variants) {
	case 0:
		n.Delete("oneOf")
		n.Delete("discriminator")
		if !n.Has("type") {
			n.Set("type", spec.NewString(n, "null"))
		}
	case 1:
		u.become(u.variants[0])
	default:
		n.Delete("type")
		n.Delete("enum")
		n.Delete("items")
		n.Set("oneOf", spec.NewArray(u.list, u.variants...))
	}
}

func isAny(n *spec.Node) bool {
	return !hasShape(n, "") && !n.Has("type")
}

// inheritType gives variants without a type the one that the schema around them has.
func (u *union) inheritType() {
	outer := u.n.Str("type")
	if outer == "" {
		return
	}
	for i, v := range u.variants {
		t := v.Deref()
		if t.Has("type") || t.Has("oneOf") || t.Has("anyOf") {
			continue
		}
		c := t.Copy()
		c.Set("type", u.n.Get("type"))
		if outer == "array" && !c.Has("items") && u.n.Has("items") {
			c.Set("items", u.n.Get("items"))
		}
		if f := u.n.Get("format"); f != nil && !c.Has("format") {
			c.Set("format", f)
		}
		u.variants[i] = c
	}
}

// become makes the schema mean one thing, with its own annotations.
func (u *union) become(v *spec.Node) {
	nullable := u.n.Flag("nullable")
	result := v.Copy()
	if v.Ref != "" {
		result = spec.NewRef(u.n, v.Target, v.Ref)
		annotate(result, v, false)
	}
	annotate(result, u.n, true)
	if nullable {
		result.Set("nullable", spec.NewBool(u.n, true))
	}
	if tags := u.Tags[v]; tags != nil && u.Tags[u.n] == nil {
		u.Tags[u.n] = tags
	}
	u.n.Become(result)
}

// distribute moves the members of the schema around a choice into each of its variants.
func (u *union) distribute() {
	n := u.n
	base := spec.NewObject(n)
	for _, m := range n.Members {
		if m.Key != "oneOf" && m.Key != "discriminator" && !isAnnotation(m.Key) {
			base.Set(m.Key, m.Value)
		}
	}
	if len(u.variants) > maxVariants || !all(u.variants, isObjectLike) {
		u.foldAll()
		return
	}
	for i, v := range u.variants {
		t := v.Deref()
		if covers(t, base) {
			continue
		}
		both := spec.NewObject(v, spec.Member{Key: "allOf", Value: spec.NewArray(v, base, v)})
		if v.Ref != "" {
			both.Set("x-variant-of", spec.NewString(v, v.Ref))
		}
		for _, key := range []string{"title", "description"} {
			if text := t.Get(key); text != nil {
				both.Set(key, text)
			}
		}
		u.retarget(t, both)
		u.flatten(both)
		u.Tags[both] = u.Tags[t]
		u.variants[i] = both
	}
	for _, m := range base.Members {
		n.Delete(m.Key)
	}
	n.Set("oneOf", spec.NewArray(u.list, u.variants...))
}

// foldAll makes one struct of the schema and its variants.
func (u *union) foldAll() {
	u.fold(u.n, spec.NewArray(u.list, u.variants...))
	u.n.Delete("oneOf")
	u.n.Delete("discriminator")
	u.n.Set("type", spec.NewString(u.n, "object"))
}

// retarget makes the discriminator map to the variant with the members of both.
func (u *union) retarget(from, to *spec.Node) {
	mapping := u.n.At("discriminator", "mapping")
	for _, m := range mapping.All() {
		if m.Value.Deref() == from {
			c := m.Value.Copy()
			c.Ref, c.Target = m.Value.Ref, to
			mapping.Set(m.Key, c)
		}
	}
}

func isObjectLike(v *spec.Node) bool {
	return v != nil && (v.Str("type") == "object" || v.Has("properties")) && !v.Has("oneOf") && !v.Has("anyOf")
}

func covers(v, base *spec.Node) bool {
	for _, m := range base.Get("properties").All() {
		if v.Get("properties").Get(m.Key) == nil {
			return false
		}
	}
	return true
}
