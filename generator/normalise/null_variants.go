package normalise

import "github.com/retrysafe/retrysafe/generator/spec"

// nullVariants takes the variant null out of oneOf and anyOf and marks the schema nullable: null is a state of a Go
// field, not a type of its own. A list of variants with one entry left is that entry.
func nullVariants(s *state, n *spec.Node) {
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		list := n.Get(key)
		if list == nil {
			continue
		}
		if !list.IsArray() {
			if list.IsObject() {
				s.warnf(list, "not-a-list", "%s has to be a list of schemas; the one schema there is taken", key)
				n.Set(key, spec.NewArray(list, list))
				list = n.Get(key)
			} else {
				s.warnf(list, "not-a-list", "%s has to be a list of schemas; it is left out", key)
				n.Delete(key)
				continue
			}
		}
		var kept []*spec.Node
		for _, v := range list.Items {
			if key != "allOf" && isNull(v) {
				n.Set("nullable", spec.NewBool(v, true))
			} else {
				kept = append(kept, v)
			}
		}
		switch {
		case len(kept) == 0 && len(list.Items) > 0:
			n.Delete(key)
			n.Set("type", spec.NewString(list, "null"))
		case len(kept) == 0:
			n.Delete(key)
		case len(kept) == 1 && key != "allOf":
			n.Delete(key)
			if !n.Has("allOf") {
				n.Set("allOf", spec.NewArray(list, kept[0]))
			} else {
				n.Set("allOf", spec.NewArray(list, append(append([]*spec.Node(nil), n.Get("allOf").List()...), kept[0])...))
			}
		case len(kept) != len(list.Items):
			n.Set(key, spec.NewArray(list, kept...))
		}
	}
}

func isNull(v *spec.Node) bool {
	if v.Kind != spec.Object || v.Ref != "" {
		return v.Kind == spec.Null
	}
	if v.Flag("nullable") && isAny(v) {
		return true // some writers of 3.0 say null so
	}
	t := v.Get("type")
	if t != nil && t.Kind == spec.Null || t.Text() == "null" {
		return true
	}
	if e := v.Get("enum"); e.IsArray() && len(e.Items) == 1 && e.Items[0].Kind == spec.Null {
		return true
	}
	c := v.Get("const")
	return c != nil && c.Kind == spec.Null
}
