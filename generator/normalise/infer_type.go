package normalise

import (
	"slices"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// inferType names the type of a schema that leaves it out but uses the keywords of one type only.
func inferType(_ *state, n *spec.Node) {
	if n.Ref != "" || n.Has("type") {
		return
	}
	if slices.ContainsFunc([]string{"allOf", "oneOf", "anyOf"}, n.Has) {
		return
	}
	if t := typeFromKeywords(n); t != "" {
		n.Set("type", spec.NewString(n, t))
	}
}

func typeFromKeywords(n *spec.Node) string {
	if values := n.Get("enum").List(); len(values) > 0 {
		return typeFromValues(values)
	}
	for _, rule := range []struct {
		typ  string
		keys []string
	}{
		{"object", []string{"properties", "additionalProperties", "patternProperties", "unevaluatedProperties", "minProperties", "maxProperties"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}},
		{"string", []string{"pattern", "minLength", "maxLength"}},
		{"number", []string{"multipleOf", "minimum", "maximum"}},
	} {
		if slices.ContainsFunc(rule.keys, n.Has) {
			return rule.typ
		}
	}
	switch n.Str("format") {
	case "date", "date-time", "uuid", "uri", "url", "email", "byte", "binary", "hostname", "ipv4", "ipv6", "password":
		return "string"
	case "int32", "int64":
		return "integer"
	case "float", "double", "decimal":
		return "number"
	}
	return ""
}

// typeFromValues gives the one type of all values, "" when they are of several.
func typeFromValues(values []*spec.Node) string {
	typ := ""
	for _, v := range values {
		k := kindOf(v)
		switch {
		case k == "null" || k == typ:
		case typ == "" || typ == "integer" && k == "number":
			typ = k
		case typ == "number" && k == "integer":
		default:
			return ""
		}
	}
	return typ
}
