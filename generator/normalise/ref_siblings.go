package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// annotations say something about a schema and nothing about its shape.
var annotations = map[string]bool{
	"$ref": true, "$dynamicRef": true, "title": true, "description": true, "summary": true, "example": true, "examples": true, "default": true,
	"deprecated": true, "readOnly": true, "writeOnly": true, "externalDocs": true, "xml": true, "nullable": true,
	"$comment": true, "$id": true, "$anchor": true, "$schema": true, "$dynamicAnchor": true,
}

func isAnnotation(key string) bool {
	return annotations[key] || len(key) > 1 && key[0] == 'x' && key[1] == '-'
}

// refSiblings gives members that stand beside $ref one meaning. In 3.1 they hold together with the reference, as allOf
// says it; in 3.0 they are ignored by rule. Annotations stay: what they say of the place is worth keeping in both.
func refSiblings(s *state, n *spec.Node) {
	if n.Ref == "" || n.Kind != spec.Object {
		return
	}
	var structural []spec.Member
	for _, m := range n.Members {
		if !isAnnotation(m.Key) && m.Key != "$defs" && m.Key != "definitions" {
			structural = append(structural, m)
		}
	}
	if n.Target == nil {
		rest := spec.NewObject(n)
		for _, m := range n.Members {
			if m.Key != "$ref" && m.Key != "$dynamicRef" {
				rest.Set(m.Key, m.Value)
			}
		}
		n.Become(rest)
		return
	}
	if len(structural) == 0 {
		return
	}
	if s.Minor == 0 {
		s.warnf(n, "ref-siblings", "OpenAPI 3.0 ignores %q beside $ref; put both into an allOf if they are meant to hold", structural[0].Key)
		for _, m := range structural {
			n.Delete(m.Key)
		}
		return
	}
	merged := spec.NewObject(n)
	parts := []*spec.Node{spec.NewRef(n, n.Target, n.Ref)}
	for _, m := range n.Members {
		switch m.Key {
		case "$ref", "$dynamicRef":
		case "allOf":
			parts = append(parts, m.Value.List()...)
		default:
			merged.Set(m.Key, m.Value)
		}
	}
	merged.Set("allOf", spec.NewArray(n, parts...))
	n.Become(merged)
}
