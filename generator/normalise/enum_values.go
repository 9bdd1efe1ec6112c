package normalise

import (
	"strconv"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// enumValues makes every enum a list of distinct values of its schema's type, because each becomes a Go constant of
// that type. null is not a value but a state; values of another type are read as the type where that loses nothing.
func enumValues(s *state, n *spec.Node) {
	enum := n.Get("enum")
	if enum == nil || n.Ref != "" {
		return
	}
	if !enum.IsArray() || len(enum.Items) == 0 {
		s.warnf(enum, "enum-values", "enum has to be a list with at least one value; it is left out")
		n.Delete("enum")
		return
	}
	values := make([]*spec.Node, 0, len(enum.Items))
	for _, v := range enum.Items {
		switch v.Kind {
		case spec.Null:
			n.Set("nullable", spec.NewBool(v, true))
		case spec.Array, spec.Object:
			s.widen(v, "an enum of lists or objects; any value is allowed")
			n.Delete("enum")
			return
		default:
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		n.Delete("enum")
		n.Set("type", spec.NewString(enum, "null"))
		return
	}
	typed(s, n, enum, values)
}

func typed(s *state, n, enum *spec.Node, values []*spec.Node) {
	typ := n.Str("type")
	switch typ {
	case "":
		splitEnum(n, enum, values)
		return
	case "boolean":
		boolEnum(s, n, enum, values)
		return
	case "array", "object":
		if items := n.Get("items"); typ == "array" && items.IsObject() && items.Ref == "" && !items.Has("enum") {
			s.warnf(enum, "enum-values", "an enum of scalars on an array is read as the enum of its items")
			items.Set("enum", enum)
			enumValues(s, items)
		} else {
			s.warnf(enum, "enum-values", "the enum's values are not of type %s; the enum is left out", typ)
		}
		n.Delete("enum")
		n.Delete("const")
		return
	case "string":
		values = asStrings(s, values)
	default:
		numbers, ok := asNumbers(values, typ)
		if !ok {
			s.warnf(enum, "enum-values", "the enum's values are not of type %s; string is assumed", typ)
			n.Set("type", spec.NewString(n.Get("type"), "string"))
			n.Delete("format")
			numbers = asStrings(nil, values)
		}
		values = numbers
	}
	n.Set("enum", spec.NewArray(enum, distinct(s, values)...))
	if c := n.Get("const"); c != nil {
		n.Set("const", n.Get("enum").Items[0])
	}
}

func asStrings(s *state, values []*spec.Node) []*spec.Node {
	out := make([]*spec.Node, len(values))
	for i, v := range values {
		out[i] = v
		if v.Kind != spec.String {
			out[i] = spec.NewString(v, v.Value)
			if s != nil {
				s.warnf(v, "enum-values", "the value %s of a string enum is a %s; %q is assumed, quote it", v.Value, v.Kind, v.Value)
			}
		}
	}
	return out
}

func asNumbers(values []*spec.Node, typ string) ([]*spec.Node, bool) {
	out := make([]*spec.Node, len(values))
	for i, v := range values {
		out[i] = v
		_, err := strconv.ParseFloat(v.Value, 64)
		if v.Kind == spec.Bool || err != nil {
			return nil, false
		}
		if _, whole := v.Int(); typ == "integer" && !whole {
			return nil, false
		}
		if v.Kind == spec.String {
			out[i] = spec.NewNumber(v, v.Value)
		}
	}
	return out, true
}

// boolEnum keeps a boolean that is always true or always false as a const; both values together say nothing.
func boolEnum(s *state, n, enum *spec.Node, values []*spec.Node) {
	n.Delete("enum")
	if len(values) != 1 {
		return
	}
	v := values[0]
	if v.Kind != spec.Bool {
		s.warnf(enum, "enum-values", "the enum's value %q is not a boolean; the enum is left out", v.Value)
		n.Delete("const")
		return
	}
	n.Set("enum", spec.NewArray(enum, v))
}

func distinct(s *state, values []*spec.Node) []*spec.Node {
	seen := make(map[string]bool, len(values))
	out := make([]*spec.Node, 0, len(values))
	for _, v := range values {
		if seen[v.Value] {
			s.warnf(v, "enum-values", "the value %q stands in the enum twice; one is left out", v.Value)
			continue
		}
		seen[v.Value] = true
		out = append(out, v)
	}
	return out
}

// splitEnum makes one variant for each type among the values.
func splitEnum(n, enum *spec.Node, values []*spec.Node) {
	if n.Has("oneOf") || n.Has("anyOf") || n.Has("allOf") {
		return
	}
	byType := map[string][]*spec.Node{}
	var order []string
	for _, v := range values {
		t := kindOf(v)
		if t == "integer" {
			t = "number"
		}
		if byType[t] == nil {
			order = append(order, t)
		}
		byType[t] = append(byType[t], v)
	}
	variants := make([]*spec.Node, 0, len(order))
	for _, t := range order {
		v := spec.NewObject(enum, spec.Member{Key: "type", Value: spec.NewString(enum, t)})
		if t != "boolean" || len(byType[t]) == 1 {
			v.Set("enum", spec.NewArray(enum, byType[t]...))
		}
		variants = append(variants, v)
	}
	n.Delete("enum")
	n.Set("anyOf", spec.NewArray(enum, variants...))
}
