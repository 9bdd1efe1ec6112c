package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// mediaEntry is one entry of a content map.
type mediaEntry struct {
	name   string
	node   *spec.Node
	schema *spec.Node
}

// mediaOf gives the entries of a content map, the preferred first.
func mediaOf(n *spec.Node) []mediaEntry {
	var list []mediaEntry
	for _, m := range n.Get("content").Deref().All() {
		if !strings.Contains(m.Key, "/") {
			continue
		}
		media := m.Value.Deref()
		list = append(list, mediaEntry{m.Key, media, media.Get("schema")})
	}
	slices.SortStableFunc(list, func(x, y mediaEntry) int {
		if d := mediaRank(x.name) - mediaRank(y.name); d != 0 {
			return d
		}
		return strings.Compare(x.name, y.name)
	})
	return list
}

// bodies fills in the ways to send the request body. A way that sends nothing that a better one does not send is left
// out: a form beside JSON of the same schema.
func (b *builder) bodies(o *operation) {
	request := o.Node.Get("requestBody").Deref()
	if !request.IsObject() {
		return
	}
	m := o.method
	suffixes := newScope()
	var kept []mediaEntry
	for _, entry := range mediaOf(request) {
		if !request.Flag("required") && saysNothing(entry.schema.Deref()) {
			b.dropf("%s %s: the optional request body %s allows no member", o.Method, o.Path, entry.name)
			continue
		}
		if i := slices.IndexFunc(kept, func(k mediaEntry) bool { return b.sameBody(k, entry) }); i >= 0 {
			b.dropf("%s %s: the request body %s says what %s says", o.Method, o.Path, entry.name, kept[i].name)
			continue
		}
		kept = append(kept, entry)
		body := b.body(entry)
		body.Required = request.Flag("required")
		body.Doc = docText(request.Str("description"))
		if !body.Required && isStructBody(b, entry, body) {
			body.ByPointer = true
		}
		if len(m.Bodies) > 0 {
			body.GoName = suffixes.take("With"+mediaName(entry.name), "With"+exported(entry.name, "Body"))
		}
		m.Bodies = append(m.Bodies, body)
	}
}

// saysNothing reports whether a schema is an object that may have no member: such an optional body is no argument.
func saysNothing(schema *spec.Node) bool {
	return schema.Str("type") == "object" && schema.Get("additionalProperties").IsFalse() && len(schema.Get("properties").All()) == 0
}

func (b *builder) dropf(format string, args ...any) {
	b.plan.Summary.DroppedStrings = append(b.plan.Summary.DroppedStrings, fmt.Sprintf(format, args...))
}

// sameBody reports whether other carries the same values as kept.
func (b *builder) sameBody(kept, other mediaEntry) bool {
	if kept.schema.Deref() != other.schema.Deref() && !spec.Equal(kept.schema.Deref(), other.schema.Deref()) {
		return false
	}
	first, second := kindOfMedia(kept.name), kindOfMedia(other.name)
	if first == "any" {
		first = "json"
	}
	switch second {
	case "json", "any":
		return first == "json" && !strings.Contains(other.name, "patch") || second == "any"
	case "form":
		return first == "json" || first == "form"
	case "multipart":
		return (first == "json" || first == "form") && !hasFiles(other.schema) || first == "multipart"
	}
	return first == second
}

func hasFiles(n *spec.Node) bool {
	for _, m := range n.Deref().Get("properties").All() {
		if fileType(m.Value) != "" {
			return true
		}
	}
	return false
}

// mediaName names a content type in the name of a method: Form, Multipart, JSONPatch.
func mediaName(media string) string {
	switch kindOfMedia(media) {
	case "form":
		return "Form"
	case "multipart":
		return "Multipart"
	}
	base, _, _ := strings.Cut(media, ";")
	_, sub, _ := strings.Cut(base, "/")
	name := exported(strings.NewReplacer("x-", "", "vnd.", "").Replace(sub), "Body")
	if name == "OctetStream" {
		return "Bytes"
	}
	return name
}

func (b *builder) body(entry mediaEntry) *Body {
	body := &Body{ContentType: entry.name, Kind: kindOfMedia(entry.name), ArgName: "body"}
	if entry.schema != nil && isBinary(entry.schema) && body.Kind != "multipart" && body.Kind != "form" {
		body.Kind = "binary"
	}
	switch body.Kind {
	case "any":
		body.Kind, body.ContentType = "json", "application/json"
		if s := entry.schema.Deref(); s.Str("type") == "string" {
			body.Kind, body.ContentType = "binary", "application/octet-stream"
		}
	case "sse", "ndjson":
		body.Kind = "binary"
	}
	switch body.Kind {
	case "binary":
		body.Type = "io.Reader"
		if strings.Contains(body.ContentType, "*") {
			body.ContentType = "application/octet-stream"
		}
	case "text":
		body.Type = "string"
	case "form", "multipart":
		b.formBody(body, entry)
	default:
		body.Type = b.jsonType(entry.schema).expr
	}
	return body
}

// jsonType gives the type of a JSON body or answer; no schema is any value.
func (b *builder) jsonType(schema *spec.Node) goType {
	if schema == nil {
		return goType{expr: rawType}
	}
	return b.typeOf(schema)
}

// formBody sets the type of a form: a struct or a map, whose members are the parts.
func (b *builder) formBody(body *Body, entry mediaEntry) {
	g := b.jsonType(entry.schema)
	if body.Kind == "multipart" && entry.schema != nil {
		if d := b.multipart[entry.schema.Deref()]; d != nil {
			g = goType{expr: d.typ.Name, shape: structShape, named: d}
		}
	}
	switch g.shape {
	case structShape, mapShape, unionShape:
		body.Type = g.expr
	default:
		body.Type = "map[string]" + rawType
		if body.Kind == "multipart" {
			body.Type = "map[string]*wire.File"
		}
	}
	for _, m := range entry.node.Get("encoding").All() {
		e := &Encoding{Property: m.Key, ContentType: m.Value.Str("contentType"), Style: m.Value.Str("style"), Reserved: m.Value.Flag("allowReserved")}
		if !knownStyle[e.Style] {
			e.Style = ""
		}
		e.Explode = m.Value.Flag("explode") || e.Style == "form" && !m.Value.Has("explode") || e.Style == "deepObject" && !m.Value.Has("explode")
		body.Encoding = append(body.Encoding, e)
	}
	slices.SortFunc(body.Encoding, func(x, y *Encoding) int { return strings.Compare(x.Property, y.Property) })
}

func isStructBody(b *builder, entry mediaEntry, body *Body) bool {
	if body.Kind == "text" || body.Kind == "binary" || entry.schema == nil {
		return false
	}
	switch b.typeOf(entry.schema).shape { //nolint:exhaustive // lists and maps have a nil of their own
	case structShape, unionShape, enumShape, scalarShape:
		return !strings.HasPrefix(body.Type, "map[") && !strings.HasPrefix(body.Type, "[]")
	}
	return false
}
