package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// openMembers says with additionalProperties alone what members an object may have beside the declared ones:
// patternProperties and unevaluatedProperties of 3.1 become part of it.
func openMembers(s *state, n *spec.Node) {
	if n.Ref != "" {
		return
	}
	if p := n.Get("properties"); p != nil && p.Kind != spec.Object {
		s.warnf(p, "properties", "properties has to be an object; it is left out")
		n.Delete("properties")
	}
	if patterns := n.Get("patternProperties").All(); len(patterns) > 0 {
		same := patterns[0].Value
		for _, m := range patterns[1:] {
			if !spec.Equal(same, m.Value) {
				same = spec.NewObject(n)
				s.widen(n, "members by several name patterns; they are any value")
				break
			}
		}
		if a := n.Get("additionalProperties"); a == nil || a.Kind == spec.Bool {
			n.Set("additionalProperties", same)
		}
	}
	n.Delete("patternProperties")
	if u := n.Get("unevaluatedProperties"); u != nil && !n.Has("additionalProperties") {
		n.Set("additionalProperties", u)
	}
	n.Delete("unevaluatedProperties")
	if a := n.Get("additionalProperties"); a != nil && a.Kind != spec.Object && a.Kind != spec.Bool {
		s.warnf(a, "additional-properties", "additionalProperties has to be a schema or a boolean; it is left out")
		n.Delete("additionalProperties")
	}
}
