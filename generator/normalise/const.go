package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// constToEnum writes const as an enum of one value, the form that 3.0 has; const stays and marks that the value is sent
// by itself. A null const is a type.
func constToEnum(_ *state, n *spec.Node) {
	c := n.Get("const")
	if c == nil || n.Ref != "" {
		return
	}
	if c.Kind == spec.Null {
		n.Delete("const")
		n.Set("type", spec.NewString(c, "null"))
		return
	}
	if c.Kind == spec.Array || c.Kind == spec.Object {
		n.Delete("const")
		return
	}
	n.Set("enum", spec.NewArray(c, c))
}
