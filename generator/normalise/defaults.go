package normalise

import (
	"strconv"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// defaults leaves out a default that its own schema does not allow: docs would teach a value that the server refuses.
func defaults(s *state, n *spec.Node) {
	d := n.Get("default")
	if d == nil || n.Ref != "" || d.Kind == spec.Null {
		return
	}
	if !fits(n, d) {
		s.warnf(d, "default", "the default is not a value of its schema; it is left out")
		n.Delete("default")
	}
}

func fits(n, d *spec.Node) bool {
	kind := kindOf(d)
	switch typ := n.Str("type"); typ {
	case "":
		return true
	case "string":
		if kind == "array" || kind == "object" {
			return false
		}
	case "number", "integer":
		if _, err := strconv.ParseFloat(d.Text(), 64); err != nil {
			return false
		}
	default:
		if kind != typ && (typ != "boolean" || d.Text() != "true" && d.Text() != "false") {
			return false
		}
	}
	values := n.Get("enum").List()
	if len(values) == 0 || d.Kind == spec.Array {
		return true
	}
	for _, v := range values {
		if v.Value == d.Value {
			return true
		}
	}
	return false
}
