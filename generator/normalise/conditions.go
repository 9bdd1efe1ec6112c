package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// conditions drops the keywords that tie one member's value to another's: a Go type cannot say it. Members that only
// the branches declare become optional ones, so that they have a field.
func conditions(s *state, n *spec.Node) {
	if n.Ref != "" {
		return
	}
	branches := make([]*spec.Node, 0, 2)
	for _, key := range []string{"then", "else"} {
		if b := n.Get(key); b.IsObject() {
			branches = append(branches, b)
		}
	}
	for _, m := range n.Get("dependentSchemas").All() {
		if m.Value.IsObject() {
			branches = append(branches, m.Value)
		}
	}
	for _, b := range branches {
		for _, m := range b.Get("properties").All() {
			if !m.Value.IsObject() || n.At("properties", m.Key) != nil || isEmptySchema(m.Value) {
				continue
			}
			if n.Get("properties") == nil {
				n.Set("properties", spec.NewObject(b))
			}
			n.Get("properties").Set(m.Key, m.Value)
		}
	}
	for _, key := range []string{"if", "then", "else", "dependentSchemas", "dependentRequired", "not", "contains", "propertyNames"} {
		n.Delete(key)
	}
	if len(branches) > 0 && !n.Has("type") && n.Has("properties") {
		n.Set("type", spec.NewString(n, "object"))
	}
}

func isEmptySchema(n *spec.Node) bool {
	for _, m := range n.All() {
		switch m.Key {
		case "type", "allOf", "oneOf", "anyOf", "properties", "items", "$ref", "format":
			return false
		}
	}
	return true
}
