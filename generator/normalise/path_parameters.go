package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// pathParameters makes the declared path parameters those of the template: one that is not declared is a string, one
// that the template does not have cannot be sent, and all of them are required. A name that stands in the template
// twice is one argument.
func pathParameters(s *state) {
	for _, op := range s.Operations {
		names := TemplateNames(op.Path)
		inTemplate := make(map[string]bool, len(names))
		for _, n := range names {
			inTemplate[n] = true
		}
		declared := map[string]*spec.Node{}
		kept := make([]*spec.Node, 0, len(op.Params))
		for _, p := range op.Params {
			if p.Str("in") != "path" {
				kept = append(kept, p)
				continue
			}
			name := p.Str("name")
			if !inTemplate[name] {
				if like := similar(names, name); like != "" && declared[like] == nil {
					s.warnf(p, "path-parameter", "%s %s: the path parameter %q is read as {%s} of the path", op.Method, op.Path, name, like)
					p = p.Copy()
					p.Set("name", spec.NewString(p, like))
					name = like
				} else {
					s.warnf(p, "path-parameter", "%s %s declares a path parameter %q that the path does not have; it is left out", op.Method, op.Path, name)
					continue
				}
			}
			declared[name] = p
		}
		op.Params = s.inOrder(op, names, declared, kept)
	}
}

func (s *state) inOrder(op *Operation, names []string, declared map[string]*spec.Node, rest []*spec.Node) []*spec.Node {
	out := make([]*spec.Node, 0, len(names)+len(rest))
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		p := declared[name]
		if p == nil {
			s.warnf(op.Node, "path-parameter", "%s %s does not declare its path parameter %q; a string is assumed", op.Method, op.Path, name)
			p = spec.NewObject(op.Node,
				spec.Member{Key: "name", Value: spec.NewString(op.Node, name)},
				spec.Member{Key: "in", Value: spec.NewString(op.Node, "path")},
				spec.Member{Key: "schema", Value: spec.NewObject(op.Node, spec.Member{Key: "type", Value: spec.NewString(op.Node, "string")})})
		}
		out = append(out, p)
	}
	return append(out, rest...)
}

// TemplateNames gives the names between braces of a path template, in order.
func TemplateNames(path string) []string {
	var names []string
	for {
		_, after, found := strings.Cut(path, "{")
		if !found {
			return names
		}
		name, rest, found := strings.Cut(after, "}")
		if !found {
			return names
		}
		if name != "" {
			names = append(names, name)
		}
		path = rest
	}
}

func similar(names []string, name string) string {
	for _, n := range names {
		if plainName(n) == plainName(name) {
			return n
		}
	}
	return ""
}

func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", "*", "", "+", "").Replace(s))
}
