package sample

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Misfit is a place of a value that is not what its schema says.
type Misfit struct {
	Path, Reason string
	// Harmless says that the value is right: a member is not there whose only value is its default.
	Harmless bool
}

// Misfits looks at the things that decide how a value is decoded: kinds, null, members that must be there or must not,
// the formats of numbers, dates and bytes. Lengths, bounds, patterns and the values of enums are not looked at. The
// path of a value is $.a[0].b.
func (d *Document) Misfits(schema, value any) []Misfit {
	return d.misfits(nil, schema, value, "$", nil)
}

// misfits adds to out. Tried are the lists of alternatives that the same value is being held against: children that are
// made of their parent with allOf have the parent's list again.
func (d *Document) misfits(out []Misfit, schema, v any, path string, tried []*any) []Misfit {
	s := d.flat(schema, 0)
	if len(s) == 0 {
		return out
	}
	if v == nil {
		if !d.takesNull(s, 0) {
			out = append(out, Misfit{Path: path, Reason: "null where the schema has none"})
		}
		return out
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 && !slices.Contains(tried, &list[0]) {
			var least []Misfit
			faults := math.MaxInt
			for _, alternative := range list {
				found := d.misfits(nil, alternative, v, path, append(slices.Clip(tried), &list[0]))
				if n := wrong(found); n < faults {
					least, faults = found, n
				}
			}
			if faults == 0 {
				out = append(out, least...)
				continue
			}
			for _, m := range least {
				if !m.Harmless {
					out = append(out, Misfit{Path: path, Reason: "fits no alternative: " + m.Path + " " + m.Reason})
					break
				}
			}
		}
	}
	got, want := kindOf(v), kinds(s)
	if len(want) > 0 && !slices.Contains(want, got) && (got != "integer" || !slices.Contains(want, "number")) {
		return append(out, Misfit{Path: path, Reason: fmt.Sprintf("%s where the schema has %s", got, strings.Join(want, " or "))})
	}
	switch v := v.(type) {
	case map[string]any:
		return d.members(out, s, v, path)
	case []any:
		for i, item := range v {
			out = d.misfits(out, s["items"], item, path+"["+strconv.Itoa(i)+"]", nil)
		}
	case string:
		if reason := wrongText(s, v); reason != "" {
			out = append(out, Misfit{Path: path, Reason: reason})
		}
	case json.Number:
		if reason := wrongNumber(s, v); reason != "" {
			out = append(out, Misfit{Path: path, Reason: reason})
		}
	}
	return out
}

// wrong counts those that are not harmless.
func wrong(list []Misfit) (n int) {
	for _, m := range list {
		if !m.Harmless {
			n++
		}
	}
	return n
}

func (d *Document) members(out []Misfit, s, v map[string]any, path string) []Misfit {
	props := d.object(s["properties"])
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			if _, there := v[name]; !there {
				out = append(out, Misfit{Path: path + "." + name, Reason: "is demanded and not there"})
			}
		}
	}
	for name, p := range props {
		prop := d.flat(p, 0)
		only := prop["const"]
		if list, ok := prop["enum"].([]any); ok && len(list) == 1 {
			only = list[0]
		}
		if _, there := v[name]; !there && only != nil && reflect.DeepEqual(only, prop["default"]) {
			out = append(out, Misfit{Path: path + "." + name, Reason: "is not there and its only value is its default", Harmless: true})
		}
	}
	for name, member := range v {
		if p, known := props[name]; known {
			out = d.misfits(out, p, member, path+"."+name, nil)
		} else if s["additionalProperties"] == false {
			out = append(out, Misfit{Path: path + "." + name, Reason: "is not allowed"})
		} else if s["additionalProperties"] != nil {
			out = d.misfits(out, s["additionalProperties"], member, path+"."+name, nil)
		}
	}
	return out
}

func (d *Document) takesNull(s map[string]any, depth int) bool {
	list, _ := s["enum"].([]any)
	if s["nullable"] == true || slices.Contains(kinds(s), "null") || slices.Contains(list, nil) {
		return true
	}
	untyped := len(kinds(s)) == 0
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, ok := s[key].([]any); ok {
			return slices.ContainsFunc(list, func(alternative any) bool { return depth < 4 && d.takesNull(d.flat(alternative, 0), depth+1) })
		}
	}
	return untyped && list == nil && s["properties"] == nil
}

// kinds are the types that a schema names.
func kinds(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, v := range t {
			out = append(out, fmt.Sprint(v))
		}
		return out
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok && r.IsInt() {
			return "integer"
		}
		return "number"
	}
	return "null"
}

func wrongText(s map[string]any, v string) string {
	if !slices.Contains(kinds(s), "string") || s["enum"] != nil {
		return ""
	}
	var err error
	switch s["format"] {
	case "date-time":
		_, err = time.Parse(time.RFC3339Nano, strings.Replace(strings.ToUpper(v), " ", "T", 1))
		if strings.Contains(v, " ") {
			return "not an RFC 3339 date-time"
		}
	case "date":
		_, err = time.Parse(time.DateOnly, v)
	case "byte":
		_, err = base64.StdEncoding.DecodeString(v)
	}
	if err != nil {
		return fmt.Sprintf("not of the format %s", s["format"])
	}
	return ""
}

func wrongNumber(s map[string]any, v json.Number) string {
	bits := 64
	if slices.Contains([]any{"int32", "int16", "int8"}, s["format"]) {
		bits = 32
	}
	if !slices.Contains(kinds(s), "integer") {
		return ""
	}
	r, ok := new(big.Rat).SetString(v.String())
	if !ok || !r.IsInt() {
		return ""
	}
	unsigned := s["format"] == "uint64" || asFloat(s["maximum"], 0) > math.MaxInt64
	if n := r.Num().BitLen(); n > bits || n == bits && !unsigned {
		return fmt.Sprintf("does not fit %d bits", bits)
	}
	return ""
}
