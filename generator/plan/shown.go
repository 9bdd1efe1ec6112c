package plan

import (
	"encoding/json"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// Examples that are longer in JSON are left out: they would be most of the generated package.
const (
	maxShownAnswer = 4 << 10
	maxShownValue  = 400
)

// shown is the JSON text of the first example that one of the nodes holds; "" when there is none or it is too long.
func shown(limit int, nodes ...*spec.Node) string {
	for _, n := range nodes {
		if e := firstExample(n); e != nil {
			if text, ok := appendJSON(nil, e, limit); ok {
				return string(text)
			}
		}
	}
	return ""
}

// appendJSON appends a value of the document as JSON. It gives up when the text grows over the limit.
func appendJSON(out []byte, n *spec.Node, limit int) ([]byte, bool) {
	if n.Ref != "" || len(out) > limit {
		return out, false
	}
	ok := true
	switch n.Kind {
	case spec.Object:
		out = append(out, '{')
		for i, m := range n.Members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, m.Key), ':')
			if out, ok = appendJSON(out, m.Value, limit); !ok {
				return out, false
			}
		}
		out = append(out, '}')
	case spec.Array:
		out = append(out, '[')
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			if out, ok = appendJSON(out, item, limit); !ok {
				return out, false
			}
		}
		out = append(out, ']')
	case spec.Null:
		out = append(out, "null"...)
	case spec.String:
		out = appendString(out, n.Value)
	default:
		ok = json.Valid([]byte(n.Value)) // YAML has more forms of numbers than JSON
		out = append(out, n.Value...)
	}
	return out, ok && len(out) <= limit
}

func appendString(out []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return append(out, `""`...)
	}
	return append(out, text...)
}

// shownAnswer is the example of an answer's content, else of its schema.
func shownAnswer(media, schema *spec.Node) string {
	return shown(maxShownAnswer, media, schema, schema.Deref())
}

// shownHeader is the example of a header as it stands on the wire; "" when it is no single value.
func shownHeader(header, schema *spec.Node) string {
	for _, n := range []*spec.Node{header, schema, schema.Deref()} {
		e := firstExample(n)
		if e == nil || e.Kind == spec.Object || e.Kind == spec.Array || len(e.Value) > maxShownValue || strings.ContainsAny(e.Value, "\r\n") {
			continue
		}
		return e.Value
	}
	return ""
}
