package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// required makes sure that required is a list of names. Authors who learnt an older draft write required: true on the
// member itself.
func required(s *state, n *spec.Node) {
	if n.Ref != "" {
		return
	}
	if r := n.Get("required"); r != nil && !r.IsArray() {
		if r.Kind != spec.Bool {
			s.warnf(r, "required", "required has to be a list of member names; it is left out")
		}
		n.Delete("required")
	}
	for _, m := range n.Get("properties").All() {
		if m.Value.Ref != "" || !m.Value.Flag("required") {
			continue
		}
		s.warnf(m.Value.Get("required"), "required", "required: true on a member is read as part of the object's required list")
		list := n.Get("required")
		if list == nil {
			list = spec.NewArray(m.Value)
			n.Set("required", list)
		}
		list.Items = append(list.Items, spec.NewString(m.Value, m.Key))
	}
}
