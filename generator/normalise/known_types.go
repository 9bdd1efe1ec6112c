package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

var knownType = map[string]bool{
	"string": true, "number": true, "integer": true, "boolean": true, "array": true, "object": true, "null": true,
}

// otherTypes are words that authors write for a type, and the type and format that they mean.
var otherTypes = map[string][2]string{
	"file": {"string", "binary"}, "binary": {"string", "binary"}, "text": {"string", ""}, "str": {"string", ""},
	"date": {"string", "date"}, "datetime": {"string", "date-time"}, "date-time": {"string", "date-time"},
	"timestamp": {"string", "date-time"}, "uuid": {"string", "uuid"}, "enum": {"string", ""}, "int": {"integer", ""},
	"int32": {"integer", "int32"}, "int64": {"integer", "int64"}, "long": {"integer", "int64"}, "float": {"number", ""},
	"double": {"number", "double"}, "decimal": {"number", "decimal"}, "bool": {"boolean", ""}, "list": {"array", ""},
	"map": {"object", ""}, "dict": {"object", ""}, "nil": {"null", ""}, "none": {"null", ""}, "any": {"", ""}, "mixed": {"", ""},
}

// knownTypes replaces type names that JSON Schema does not have by what they mean; without a meaning any value goes.
func knownTypes(s *state, n *spec.Node) {
	t := n.Get("type")
	switch {
	case t == nil || t.Kind == spec.Array:
		return
	case t.Kind == spec.Null:
		n.Set("type", spec.NewString(t, "null"))
		return
	case t.Kind != spec.String:
		s.warnf(t, "unknown-type", "type has to be a word or a list of words; any value is assumed")
		n.Delete("type")
		return
	case knownType[t.Value]:
		return
	}
	word := strings.ToLower(strings.TrimSpace(t.Value))
	means, ok := otherTypes[word]
	if knownType[word] {
		means, ok = [2]string{word, ""}, true
	}
	switch {
	case !ok || means[0] == "":
		s.warnf(t, "unknown-type", "JSON Schema has no type %q; any value is assumed", t.Value)
		n.Delete("type")
		return
	default:
		s.warnf(t, "unknown-type", "JSON Schema has no type %q; %s is assumed", t.Value, strings.TrimSpace(means[0]+" "+means[1]))
	}
	n.Set("type", spec.NewString(t, means[0]))
	if means[1] != "" && !n.Has("format") {
		n.Set("format", spec.NewString(t, means[1]))
	}
}
