package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// parameters gives each operation one list of its parameters: the path item's under its own, without references, each
// name and place once. What cannot be sent is left out; Accept, Content-Type and Authorization are not parameters by
// the rule of OpenAPI.
func parameters(s *state) {
	for _, list := range [][]*Operation{s.Operations, s.Webhooks} {
		for _, op := range list {
			s.params(op)
		}
	}
}

func (s *state) params(op *Operation) {
	own := s.readable(op, op.Node.Get("parameters"))
	index := map[string]int{}
	for _, p := range s.readable(op, op.Item.Get("parameters")) {
		s.put(op, index, p, true)
	}
	seen := map[string]bool{}
	for _, p := range own {
		key := paramKey(p)
		if seen[key] {
			s.warnf(p, "duplicate-parameter", "%s %s declares the %s parameter %q twice; the later one is used", op.Method, op.Path, p.Str("in"), p.Str("name"))
		}
		seen[key] = true
		s.put(op, index, p, false)
	}
}

func paramKey(p *spec.Node) string {
	name := p.Str("name")
	if p.Str("in") == "header" {
		name = strings.ToLower(name)
	}
	return p.Str("in") + " " + name
}

func (s *state) put(op *Operation, index map[string]int, p *spec.Node, shared bool) {
	key := paramKey(p)
	if i, ok := index[key]; ok {
		if shared {
			s.warnf(p, "duplicate-parameter", "the path %s declares the %s parameter %q twice; the later one is used", op.Path, p.Str("in"), p.Str("name"))
		}
		op.Params[i] = p
		return
	}
	index[key] = len(op.Params)
	op.Params = append(op.Params, p)
}

func (s *state) readable(op *Operation, list *spec.Node) []*spec.Node {
	items := list.List()
	if list != nil && list.Kind == spec.Object && list.Ref == "" {
		s.warnf(list, "parameters", "parameters has to be a list; its values are read as one")
		items = values(list)
	}
	out := make([]*spec.Node, 0, len(items))
	for _, written := range items {
		p := written.Deref()
		if !p.IsObject() {
			s.warnf(written, "parameter", "%s %s refers to a parameter that is not there; it is left out", op.Method, op.Path)
			continue
		}
		if p.Str("in") == "" && p.Str("name") == "" && (p.Has("properties") || p.Has("type")) {
			s.warnf(written, "parameter", "%s %s refers to a schema where a parameter has to be; it is left out", op.Method, op.Path)
			continue
		}
		name, in := p.Str("name"), p.Str("in")
		switch in {
		case "path", "query", "cookie":
		case "header":
			if isReservedHeader(name) {
				continue
			}
		case "body", "formData":
			s.warnf(p, "parameter", "%s %s: a parameter in %s is Swagger 2.0; declare a requestBody. It is left out", op.Method, op.Path, in)
			continue
		default:
			s.warnf(p, "parameter", "%s %s: the parameter %q has no place that OpenAPI knows; it is left out", op.Method, op.Path, name)
			continue
		}
		if name == "" {
			s.warnf(p, "parameter", "%s %s: a %s parameter has no name; it is left out", op.Method, op.Path, in)
			continue
		}
		if !p.Has("schema") && !p.Has("content") {
			p = inlineSchema(p)
		}
		out = append(out, p)
	}
	return out
}

func isReservedHeader(name string) bool {
	return strings.EqualFold(name, "Accept") || strings.EqualFold(name, "Content-Type") || strings.EqualFold(name, "Authorization")
}

// inlineSchema reads the schema keywords of a parameter written as Swagger 2.0 had it.
func inlineSchema(p *spec.Node) *spec.Node {
	schema := spec.NewObject(p)
	for _, key := range []string{"type", "format", "enum", "items", "default", "minimum", "maximum", "pattern", "minLength", "maxLength"} {
		if v := p.Get(key); v != nil {
			schema.Set(key, v)
		}
	}
	if !schema.Has("type") {
		schema.Set("type", spec.NewString(p, "string"))
	}
	c := p.Copy()
	c.Set("schema", schema)
	return c
}
