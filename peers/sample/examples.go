package sample

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Example is a value that a document shows.
type Example struct {
	Place  string // where it stands, for people
	Schema any
	Value  any
}

// Media is one entry of a content map.
type Media struct {
	Place, ContentType string
	Status             string // "" for a request body
	node               map[string]any
}

// Medias are the request bodies and the answers of an operation.
func (d *Document) Medias(path, method string) []Media {
	op := d.object(lookup(d.root, "paths", path, strings.ToLower(method)))
	place := method + " " + path
	out := d.medias(nil, place+" request", "", op["requestBody"])
	responses := d.object(op["responses"])
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		out = d.medias(out, place+" "+status, status, responses[status])
	}
	return out
}

// Hook is the payload of a webhook.
func (d *Document) Hook(name string) []Media {
	return d.medias(nil, "webhook "+name, "", d.object(lookup(d.root, "webhooks", name, "post"))["requestBody"])
}

func (d *Document) medias(out []Media, place, status string, holder any) []Media {
	content := d.object(d.object(holder)["content"])
	for _, contentType := range slices.Sorted(maps.Keys(content)) {
		out = append(out, Media{place, contentType, status, d.object(content[contentType])})
	}
	return out
}

// Examples are those of a media type, and of its schema when that has no name of its own.
func (d *Document) Examples(m Media) []Example {
	schema := m.node["schema"]
	out := d.shown(m.Place, m.node, schema)
	if lookup(schema, "$ref") == nil {
		out = append(out, d.shown(m.Place+" schema", d.object(schema), schema)...)
	}
	return out
}

// Contradicts tells that an answer is not what the document says, where that can be seen: the first misfit, "" when
// there is none or the answer is not described.
func (d *Document) Contradicts(path, method string, status int, contentType string, body []byte) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return ""
	}
	media, _, _ := strings.Cut(contentType, ";")
	exact := strconv.Itoa(status)
	for _, wanted := range []string{exact, exact[:1] + "XX", "default"} {
		for _, m := range d.Medias(path, method) {
			declared, _, _ := strings.Cut(m.ContentType, ";")
			if !strings.EqualFold(m.Status, wanted) || !strings.EqualFold(declared, media) && declared != "*/*" {
				continue
			}
			for _, misfit := range d.Misfits(m.node["schema"], value) {
				if !misfit.Harmless {
					return misfit.Path + " " + misfit.Reason
				}
			}
			return ""
		}
	}
	return ""
}

// SchemaExamples are those of the schema at a JSON pointer.
func (d *Document) SchemaExamples(pointer string) []Example {
	schema, _ := d.resolve("#" + pointer).(map[string]any)
	return d.shown(pointer, schema, schema)
}

func (d *Document) shown(place string, holder map[string]any, schema any) []Example {
	var out []Example
	if v, ok := holder["example"]; ok {
		out = append(out, Example{place, schema, v})
	}
	switch list := holder["examples"].(type) {
	case map[string]any: // of a media type
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if v, ok := d.object(list[name])["value"]; ok {
				out = append(out, Example{place + " " + name, schema, v})
			}
		}
	case []any: // of a schema
		for _, v := range list {
			out = append(out, Example{place, schema, v})
		}
	}
	return out
}

// ReadOnly are the names of all members that are readOnly somewhere in the document.
func (d *Document) ReadOnly() map[string]bool {
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if props, ok := v["properties"].(map[string]any); ok {
				for name, p := range props {
					if d.flat(p, 0)["readOnly"] == true {
						out[name] = true
					}
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(d.root)
	return out
}
