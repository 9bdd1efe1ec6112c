package normalise

import (
	"strconv"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// merger adds schemas up into acc.
type merger struct {
	*state
	at       *spec.Node
	acc      *spec.Node
	unions   []*spec.Node // each holds one oneOf or anyOf
	closed   bool         // every part so far refuses undeclared members
	conflict bool
	nulls    int // parts that allow null
	shapes   int // parts with a shape
}

// add merges one schema. byRef says that it is a component of its own, whose words about itself do not carry over; own
// says that it is the schema around the allOf, whose words win.
func (m *merger) add(from *spec.Node, byRef, own bool) {
	if hasShape(from, "") {
		m.shapes++
		if from.Flag("nullable") {
			m.nulls++
		}
		if from.Has("properties") && !from.Get("additionalProperties").IsFalse() {
			m.closed = false
		}
	}
	for _, member := range from.All() {
		m.member(member, byRef, own)
	}
	if own && from.Flag("nullable") {
		m.nulls = m.shapes
	}
}

func (m *merger) member(member spec.Member, byRef, own bool) {
	key, value := member.Key, member.Value
	switch key {
	case "properties":
		m.properties(value)
	case "required":
		m.required(value)
	case "type":
		m.typ(value)
	case "enum":
		m.enum(value)
	case "oneOf", "anyOf":
		m.unions = append(m.unions, spec.NewObject(value, spec.Member{Key: "oneOf", Value: value}))
	case "items":
		if old := m.acc.Get("items"); old != nil {
			value = m.combine(old, value)
		}
		m.acc.Set("items", value)
	case "additionalProperties":
		m.additional(value)
	case "minimum", "minLength", "minItems":
		m.bound(key, value, false)
	case "maximum", "maxLength", "maxItems":
		m.bound(key, value, true)
	case "nullable", "$defs", "definitions":
	case "discriminator":
		if !byRef {
			m.acc.Set(key, value)
		}
	default:
		if byRef && isAnnotation(key) {
			return
		}
		if own || !m.acc.Has(key) {
			m.acc.Set(key, value)
		}
	}
}

func (m *merger) properties(from *spec.Node) {
	to := m.acc.Get("properties")
	if to == nil {
		to = spec.NewObject(from)
		m.acc.Set("properties", to)
	}
	m.budget -= len(from.Members)
	for _, p := range from.Members {
		if old := to.Get(p.Key); old != nil {
			to.Set(p.Key, m.combine(old, p.Value))
			continue
		}
		to.Set(p.Key, p.Value)
	}
}

func (m *merger) required(from *spec.Node) {
	to := m.acc.Get("required")
	if to == nil {
		to = spec.NewArray(from)
		m.acc.Set("required", to)
	}
	seen := make(map[string]bool, len(to.Items))
	for _, item := range to.Items {
		seen[item.Value] = true
	}
	for _, item := range from.List() {
		if !seen[item.Value] {
			seen[item.Value] = true
			to.Items = append(to.Items, item)
		}
	}
}

func (m *merger) typ(value *spec.Node) {
	old, now := m.acc.Str("type"), value.Text()
	switch {
	case old == "" || old == now || old == "number" && now == "integer":
		m.acc.Set("type", value)
	case old == "integer" && now == "number":
	default:
		m.conflict = true
	}
}

func (m *merger) enum(value *spec.Node) {
	old := m.acc.Get("enum")
	if old == nil {
		m.acc.Set("enum", value)
		return
	}
	var both []*spec.Node
	for _, v := range value.List() {
		for _, o := range old.List() {
			if v.Value == o.Value {
				both = append(both, v)
				break
			}
		}
	}
	if len(both) == 0 {
		m.warnf(value, "all-of-enum", "no value is in both enums of this allOf; the later one is taken")
		both = value.List()
	}
	m.acc.Set("enum", spec.NewArray(value, both...))
}

func (m *merger) additional(value *spec.Node) {
	old := m.acc.Get("additionalProperties")
	switch {
	case old == nil || old.Kind == spec.Bool && value.Kind == spec.Object:
		m.acc.Set("additionalProperties", value)
	case old.Kind == spec.Object && value.Kind == spec.Object && !spec.Equal(old, value):
		m.acc.Set("additionalProperties", m.combine(old, value))
	}
}

// bound keeps the tighter of two limits.
func (m *merger) bound(key string, value *spec.Node, lower bool) {
	old := m.acc.Get(key)
	if old != nil {
		a, errA := strconv.ParseFloat(old.Text(), 64)
		b, errB := strconv.ParseFloat(value.Text(), 64)
		if errA == nil && (errB != nil || lower == (a < b)) {
			return
		}
	}
	m.acc.Set(key, value)
}

// combine gives the schema of a member that two parts declare.
func (m *merger) combine(a, b *spec.Node) *spec.Node {
	x, y := a.Deref(), b.Deref()
	switch {
	case x == nil || y == nil || x == y || spec.Equal(x, y):
		if y == nil || y.Ref == "" && b.Ref == "" && a.Ref != "" {
			return a
		}
		return b
	case isEmptySchema(y) && !y.Has("enum"):
		return annotated(a, b)
	case isEmptySchema(x) && !x.Has("enum"):
		return annotated(b, a)
	}
	pair := [2]*spec.Node{x, y}
	if done := m.pairs[pair]; done != nil {
		return spec.NewRef(b, done, "#")
	}
	both := spec.NewObject(b, spec.Member{Key: "allOf", Value: spec.NewArray(b, a, b)})
	m.pairs[pair] = both
	m.flatten(both)
	return both
}

func annotated(n, by *spec.Node) *spec.Node {
	has := false
	for _, m := range by.All() {
		has = has || isAnnotation(m.Key) && m.Key != "$ref"
	}
	if !has {
		return n
	}
	c := n.Copy()
	annotate(c, by, true)
	return c
}

func (m *merger) finish() *spec.Node {
	if m.conflict {
		m.warnf(m.at, "all-of-conflict", "the parts of this allOf are of different types, so that no value fits; any value is assumed")
		m.widen(m.at, "an allOf of different types")
		free := spec.NewObject(m.at)
		annotate(free, m.acc, true)
		return free
	}
	if m.acc.Get("additionalProperties").IsFalse() && !m.closed {
		m.acc.Delete("additionalProperties")
	}
	if m.acc.Has("properties") && !m.acc.Has("type") && len(m.unions) == 0 {
		m.acc.Set("type", spec.NewString(m.at, "object"))
	}
	if m.nulls > 0 && m.nulls >= m.shapes {
		m.acc.Set("nullable", spec.NewBool(m.at, true))
	}
	for i, u := range m.unions {
		switch {
		case i == 0:
			m.acc.Set("oneOf", u.Get("oneOf"))
		case !spec.Equal(u.Get("oneOf"), m.acc.Get("oneOf")):
			m.fold(m.acc, u.Get("oneOf"))
		}
	}
	return m.acc
}

// fold adds the members of all variants as optional members: a union beside another union, or of more variants than
// anyone would look through, is one struct in Go.
func (s *state) fold(to, variants *spec.Node) {
	s.widen(variants, "variants beside other variants; their members are optional")
	for _, v := range variants.List() {
		t := v.Deref()
		if t == nil || s.merged[t] == open {
			continue
		}
		s.flatten(t)
		for _, p := range t.Deref().Get("properties").All() {
			if to.Get("properties") == nil {
				to.Set("properties", spec.NewObject(variants))
			}
			old := to.Get("properties").Get(p.Key)
			switch {
			case old == nil:
				to.Get("properties").Set(p.Key, p.Value)
			case !spec.Equal(old, p.Value):
				to.Get("properties").Set(p.Key, s.either(old, p.Value))
			}
			s.budget--
		}
	}
}

func (s *state) either(a, b *spec.Node) *spec.Node {
	pair := [2]*spec.Node{a, b}
	if done := s.eithers[pair]; done != nil {
		return spec.NewRef(b, done, "#")
	}
	n := spec.NewObject(b, spec.Member{Key: "oneOf", Value: spec.NewArray(b, a, b)})
	s.eithers[pair] = n
	return n
}
