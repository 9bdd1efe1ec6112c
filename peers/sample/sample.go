// Package sample makes JSON values that fit the schemas of an OpenAPI document, straight from the document and without
// the generator's help, so that what an SDK sends can be judged by somebody else.
package sample

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Document is an OpenAPI document as plain maps and slices.
type Document struct {
	root map[string]any
	way  way
}

// way is one of several ways to make a value where a schema leaves a choice.
type way struct {
	pick int  // how many alternatives of a union are passed over
	full bool // with all optional members
}

var ways = []way{{}, {full: true}, {pick: 1}, {pick: 2}, {pick: 3}, {pick: 1, full: true}}

// Operation is what one call needs: JSON values by place.
type Operation struct {
	Path, Query, Header, Cookie map[string]any
	Bodies                      map[string][]any // by content type: samples, the plainest first
}

// Operation samples the parameters and the bodies of an operation.
func (d *Document) Operation(path, method string) Operation {
	item := d.object(lookup(d.root, "paths", path))
	op := d.object(item[strings.ToLower(method)])
	out := Operation{Path: map[string]any{}, Query: map[string]any{}, Header: map[string]any{}, Cookie: map[string]any{}, Bodies: map[string][]any{}}
	places := map[string]map[string]any{"path": out.Path, "query": out.Query, "header": out.Header, "cookie": out.Cookie}
	for _, list := range []any{item["parameters"], op["parameters"]} {
		params, _ := list.([]any)
		for _, p := range params {
			param := d.object(p)
			name, _ := param["name"].(string)
			in, _ := param["in"].(string)
			if place, ok := places[in]; ok && (param["required"] == true || in == "path") {
				place[name] = d.parameter(param)
			}
		}
	}
	for _, part := range strings.Split(path, "{")[1:] { // also of path parameters that are not declared as such
		if name, _, _ := strings.Cut(part, "}"); out.Path[name] == nil {
			out.Path[name] = "text"
		}
	}
	content := d.object(d.object(op["requestBody"])["content"])
	for contentType, media := range content {
		out.Bodies[contentType] = d.samples(d.object(media), contentType)
	}
	return out
}

// samples are the different values that all ways make, and last what the document shows.
func (d *Document) samples(media map[string]any, contentType string) []any {
	var out []any
	add := func(v any) {
		if !slices.ContainsFunc(out, func(have any) bool { return reflect.DeepEqual(have, v) }) {
			out = append(out, v)
		}
	}
	for _, w := range ways {
		d.way = w
		add(d.Value(media["schema"], contentType))
	}
	d.way = way{}
	if shown, ok := media["example"]; ok {
		add(shown)
	}
	return out
}

func (d *Document) parameter(param map[string]any) any {
	if content := d.object(param["content"]); len(content) > 0 {
		for _, media := range content {
			return d.Value(d.object(media)["schema"], "")
		}
	}
	return d.Value(param["schema"], "")
}

// Value makes a value that fits schema; hint is the content type that it is sent as.
func (d *Document) Value(schema any, hint string) any {
	return d.value(schema, 0, hint)
}

func lookup(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// object resolves references until there is a mapping.
func (d *Document) object(v any) map[string]any {
	for range 20 {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		v = d.resolve(ref)
	}
	return nil
}

func (d *Document) resolve(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var at any = d.root
	for token := range strings.SplitSeq(pointer, "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			var i int
			if _, err := fmt.Sscanf(token, "%d", &i); err != nil || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

const deepest = 12

// flat is a schema with its allOf merged in, and with what stands beside a reference.
func (d *Document) flat(schema any, depth int) map[string]any {
	s := d.object(schema)
	if m, ok := schema.(map[string]any); ok && len(m) > 1 && m["$ref"] != nil {
		beside := maps.Clone(m)
		delete(beside, "$ref")
		s = map[string]any{"allOf": []any{s, beside}}
	}
	parts, ok := s["allOf"].([]any)
	if !ok || depth > deepest {
		return s
	}
	out := map[string]any{}
	merge := func(from map[string]any) {
		for key, v := range from {
			switch key {
			case "allOf":
			case "properties":
				props, _ := out["properties"].(map[string]any)
				merged := map[string]any{}
				for k, p := range props {
					merged[k] = p
				}
				if m, ok := v.(map[string]any); ok {
					for k, p := range m {
						if old, ok := merged[k]; ok {
							p = map[string]any{"allOf": []any{old, p}}
						}
						merged[k] = p
					}
				}
				out["properties"] = merged
			case "required":
				old, _ := out["required"].([]any)
				list, _ := v.([]any)
				out["required"] = append(slices.Clone(old), list...)
			default:
				out[key] = v
			}
		}
	}
	for _, part := range parts {
		merge(d.flat(part, depth+1))
	}
	merge(s)
	return out
}

func (d *Document) value(schema any, depth int, hint string) any {
	s := d.flat(schema, 0)
	if len(s) == 0 || depth > deepest {
		return map[string]any{}
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		for _, v := range list {
			if v != nil {
				return v
			}
		}
		return nil
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return d.choose(s, key, list, depth, hint)
		}
	}
	switch kind(s) {
	case "object":
		return d.objectValue(s, depth, hint)
	case "array":
		return d.arrayValue(s, depth, hint)
	case "integer":
		return int64(number(s, 1))
	case "number":
		return number(s, 0)
	case "boolean":
		return true
	case "string":
		return text(s)
	case "null":
		return nil
	}
	return "any"
}

// kind is the type of a schema, guessed where it is not given.
func kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, v := range t {
			if v != "null" {
				return fmt.Sprint(v)
			}
		}
		return "null"
	}
	switch {
	case s["properties"] != nil || s["additionalProperties"] != nil || s["required"] != nil:
		return "object"
	case s["items"] != nil || s["prefixItems"] != nil:
		return "array"
	case s["pattern"] != nil || s["format"] != nil || s["minLength"] != nil || s["maxLength"] != nil:
		return "string"
	case s["minimum"] != nil || s["maximum"] != nil:
		return "number"
	}
	return ""
}

// choose samples the first alternative that is not null, together with what stands beside the alternatives.
func (d *Document) choose(s map[string]any, key string, list []any, depth int, hint string) any {
	rest := map[string]any{}
	for k, v := range s {
		if k != key && k != "discriminator" && k != "description" && k != "title" && k != "nullable" && k != "default" && k != "example" {
			rest[k] = v
		}
	}
	var alternatives []any
	for _, alternative := range list {
		if d.object(alternative)["type"] != "null" {
			alternatives = append(alternatives, alternative)
		}
	}
	if len(alternatives) == 0 {
		return nil
	}
	alternative := alternatives[d.way.pick%len(alternatives)]
	if rest["properties"] != nil || rest["required"] != nil {
		alternative = map[string]any{"allOf": []any{rest, alternative}}
	}
	v := d.value(alternative, depth+1, hint)
	d.tag(s, alternatives[d.way.pick%len(alternatives)], v)
	return v
}

// tag sets the discriminator of a chosen alternative.
func (d *Document) tag(s map[string]any, alternative, v any) {
	object, ok := v.(map[string]any)
	discriminator := d.object(s["discriminator"])
	property, named := discriminator["propertyName"].(string)
	ref, referred := lookup(alternative, "$ref").(string)
	if !ok || !named || !referred {
		return
	}
	name := ref[strings.LastIndex(ref, "/")+1:]
	mapping := d.object(discriminator["mapping"])
	tags := make([]string, 0, len(mapping))
	for tag, target := range mapping {
		if target == ref || target == name {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	switch {
	case len(tags) > 0:
		object[property] = tags[0]
	case object[property] == nil:
		object[property] = name
	}
}

func (d *Document) objectValue(s map[string]any, depth int, hint string) any {
	out := map[string]any{}
	props := d.object(s["properties"])
	required, _ := s["required"].([]any)
	for name, p := range props {
		prop := d.flat(p, 0)
		if prop["readOnly"] == true {
			continue
		}
		if slices.Contains(required, any(name)) || depth == 0 && optional(prop) || d.way.full && depth < 3 && prop["deprecated"] != true {
			out[name] = d.value(p, depth+1, hint)
		}
	}
	for _, name := range required { // a member that is demanded and not described
		if name, ok := name.(string); ok && props[name] == nil {
			out[name] = d.value(s["additionalProperties"], depth+1, hint)
		}
	}
	if extra, ok := s["additionalProperties"].(map[string]any); ok && len(props) == 0 {
		out["key"] = d.value(extra, depth+1, hint)
	}
	for i := 0; len(out) < int(asFloat(s["minProperties"], 0)) && i < 5; i++ {
		for name, p := range props {
			if _, ok := out[name]; !ok {
				out[name] = d.value(p, depth+1, hint)
				break
			}
		}
	}
	return out
}

// optional tells that an optional member of a body is worth sending: scalars show how each kind is encoded.
func optional(prop map[string]any) bool {
	k := kind(prop)
	return prop["deprecated"] != true && prop["oneOf"] == nil && prop["anyOf"] == nil && (k == "string" || k == "integer" || k == "boolean" || k == "number")
}

func (d *Document) arrayValue(s map[string]any, depth int, hint string) any {
	n := max(1, int(asFloat(s["minItems"], 1)))
	if most := asFloat(s["maxItems"], math.Inf(1)); float64(n) > most {
		n = int(most)
	}
	out := make([]any, 0, n)
	for i := range n {
		v := d.value(s["items"], depth+1, hint)
		if t, ok := v.(string); ok && i > 0 && s["uniqueItems"] == true {
			v = fmt.Sprint(t, i)
		}
		out = append(out, v)
	}
	return out
}

func asFloat(v any, otherwise float64) float64 {
	switch n := v.(type) {
	case json.Number:
		if f, err := n.Float64(); err == nil {
			return f
		}
	case float64:
		return n
	}
	return otherwise
}

// number is a value within the bounds, a whole one where step is 1.
func number(s map[string]any, step float64) float64 {
	low, high := asFloat(s["minimum"], math.Inf(-1)), asFloat(s["maximum"], math.Inf(1))
	gap := max(step, 0.5)
	if s["exclusiveMinimum"] == true {
		low += gap
	}
	if s["exclusiveMaximum"] == true {
		high -= gap
	}
	low = max(low, asFloat(s["exclusiveMinimum"], math.Inf(-1))+gap)
	high = min(high, asFloat(s["exclusiveMaximum"], math.Inf(1))-gap)
	v := 1.0
	if v < low {
		v = low
	}
	if v > high {
		v = high
	}
	if m := asFloat(s["multipleOf"], 0); m > 0 {
		v = math.Ceil(v/m) * m
	}
	if step == 1 {
		v = math.Ceil(v)
	}
	return v
}
