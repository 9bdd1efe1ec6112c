package normalise

import (
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// typeKeywords says which keywords belong to one type, so that each variant of a list of types keeps its own.
var typeKeywords = map[string][]string{
	"object": {
		"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
		"maxProperties", "unevaluatedProperties", "discriminator",
	},
	"array":   {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"},
	"string":  {"format", "pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"},
	"integer": {"format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"number":  {"format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}

// typeLists turns type: [string, "null"] of 3.1 into a nullable string, and a list of several types into anyOf with one
// variant for each, since a Go field has one type.
func typeLists(s *state, n *spec.Node) {
	list := n.Get("type")
	if !list.IsArray() {
		return
	}
	types, null := readTypes(list)
	if null {
		n.Set("nullable", spec.NewBool(list, true))
	}
	switch {
	case len(types) == 1:
		n.Set("type", spec.NewString(list, types[0]))
		return
	case len(types) == 0 && null:
		n.Set("type", spec.NewString(list, "null"))
		return
	case len(types) == 0 || len(types) >= 5:
		n.Delete("type")
		return
	case n.Has("oneOf") || n.Has("anyOf") || n.Has("allOf"):
		n.Delete("type") // the variants say it
		return
	}
	variants := make([]*spec.Node, 0, len(types))
	for _, t := range types {
		variants = append(variants, variantOf(n, list, t))
	}
	for _, words := range typeKeywords {
		for _, w := range words {
			n.Delete(w)
		}
	}
	n.Delete("type")
	n.Delete("enum")
	n.Delete("const")
	n.Set("anyOf", spec.NewArray(list, variants...))
}

func readTypes(list *spec.Node) (types []string, null bool) {
	seen := map[string]bool{}
	for _, item := range list.Items {
		word := strings.ToLower(item.Text())
		if item.Kind == spec.Null || word == "null" {
			null = true
		}
		if word != "null" && knownType[word] && !seen[word] {
			seen[word] = true
			types = append(types, word)
		}
	}
	if seen["number"] && seen["integer"] { // every integer is a number
		kept := types[:0]
		for _, t := range types {
			if t != "integer" {
				kept = append(kept, t)
			}
		}
		types = kept
	}
	return types, null
}

func variantOf(n, list *spec.Node, typ string) *spec.Node {
	v := spec.NewObject(list, spec.Member{Key: "type", Value: spec.NewString(list, typ)})
	for _, word := range typeKeywords[typ] {
		if value := n.Get(word); value != nil {
			v.Set(word, value)
		}
	}
	var values []*spec.Node
	for _, value := range n.Get("enum").List() {
		if kindOf(value) == typ || typ == "number" && kindOf(value) == "integer" {
			values = append(values, value)
		}
	}
	if len(values) > 0 {
		v.Set("enum", spec.NewArray(list, values...))
	}
	return v
}

// kindOf names the JSON Schema type of a value.
func kindOf(n *spec.Node) string {
	switch n.Kind {
	case spec.Null:
		return "null"
	case spec.Bool:
		return "boolean"
	case spec.String:
		return "string"
	case spec.Array:
		return "array"
	case spec.Object:
		return "object"
	case spec.Number:
		if _, ok := n.Int(); ok && !strings.ContainsAny(n.Value, ".eE") {
			return "integer"
		}
		return "number"
	}
	return ""
}
