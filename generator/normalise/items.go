package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// items gives every array one schema for its items: a Go slice has one element type. Tuples, written as prefixItems or
// as a list of items, hold any value unless all their places agree.
func items(s *state, n *spec.Node) {
	if n.Ref != "" || n.Str("type") != "array" {
		return
	}
	list := n.Get("prefixItems")
	if one := n.Get("items"); one.IsArray() {
		list = one
		n.Delete("items")
	}
	if list.IsArray() && len(list.Items) > 0 {
		same := list.Items[0]
		for _, item := range list.Items[1:] {
			if !spec.Equal(same, item) {
				s.widen(list, "a list with another type at each place; its items are any value")
				same = spec.NewObject(list)
				break
			}
		}
		n.Set("items", same)
	}
	n.Delete("prefixItems")
	one := n.Get("items")
	if one == nil || one.Kind == spec.Bool || one.Kind == spec.Null {
		n.Set("items", spec.NewObject(n))
	}
}
