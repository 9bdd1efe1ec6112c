package render

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// jsonSampler writes JSON that a Go type of the plan reads: the examples of the document as far as they fit the type,
// values of its own for the rest.
type jsonSampler struct {
	types    map[string]*plan.Type
	literals map[string]string // enum constants
	list     *plan.Pagination  // the answer is a page, the last one; nil: it is none
	job      *plan.Job         // the answer is the status of a job, one that has ended well; nil: it is none
	behind   bool              // the page behind the last one, without items
	count    *int              // gets the number of items of the page; may be nil
	optional bool              // members that need not be there are written when the document has an example of them
}

// sampleEntries bounds lists and maps.
const sampleEntries = 3

var jsonSamples = map[string]string{
	typeString: `"text"`, "bool": "true", "int": "1", "int32": "1", "int64": "1", "uint64": "1", "float32": "1.5", "float64": "1.5",
	"any": "null", "[]byte": `"Y29udGVudA=="`, "time.Time": `"2026-01-02T15:04:05Z"`, "wire.Date": `"2026-01-02"`,
	typeRaw: "{}", "json.Number": "1.5", "wire.Secret": `"text"`,
}

// value writes a value of a Go type. The example is JSON text, "" when there is none; the path is the Go selector from
// the answer, as pagination names members by it.
func (j jsonSampler) value(goType, example string, depth int, path string) string {
	if text, ok := jsonSamples[goType]; ok {
		if fitsScalar(goType, example) {
			return example
		}
		return text
	}
	switch {
	case strings.HasPrefix(goType, "[]"):
		return j.array(goType[2:], example, depth, path)
	case strings.HasPrefix(goType, "map["):
		return j.dictionary(goType[strings.Index(goType, "]")+1:], example, depth)
	case strings.HasPrefix(goType, "*"), strings.HasPrefix(goType, "wire.Nullable["):
		inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(goType, "*"), "wire.Nullable["), "]")
		if strings.HasPrefix(goType, "*") {
			inner = goType[1:]
		}
		if example == "null" || example == "" && (depth > 0 || goType[0] != '*') {
			return "null"
		}
		return j.value(inner, example, depth, path)
	}
	if t := j.types[goType]; t != nil {
		return j.named(t, example, depth, path)
	}
	return "null"
}

func (j jsonSampler) array(elem, example string, depth int, path string) string {
	page := j.list != nil && path == strings.Join(j.list.Items, ".")
	if j.behind && page {
		return "[]"
	}
	var items []json.RawMessage
	if strings.HasPrefix(example, "[") && json.Unmarshal([]byte(example), &items) == nil {
		items = items[:min(len(items), sampleEntries)]
	} else if depth < sampleDepth {
		items = []json.RawMessage{nil}
	}
	if page && j.count != nil {
		*j.count = len(items)
	}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = j.value(elem, string(item), depth+1, path+".[]")
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (j jsonSampler) dictionary(elem, example string, depth int) string {
	members := objectOf(example)
	names := slices.Sorted(maps.Keys(members))
	names = names[:min(len(names), sampleEntries)]
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = jsonString(name) + ":" + j.value(elem, string(members[name]), depth+1, "*")
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (j jsonSampler) named(t *plan.Type, example string, depth int, path string) string {
	if example == "" {
		example = t.Example
	}
	switch t.Kind {
	case plan.Enum:
		if fitsScalar(t.Base, example) {
			return example
		}
		if len(t.Values) > 0 {
			return jsonLiteral(t.Values[0].Literal)
		}
	case plan.Union:
		if example != "" {
			return example // a union keeps what it does not know
		}
		return j.variant(t, depth)
	case plan.Struct:
		return j.object(t, example, depth, path)
	case plan.Alias, plan.Define:
	}
	return j.value(t.Base, example, depth, path)
}

func (j jsonSampler) variant(t *plan.Type, depth int) string {
	if len(t.Variants) == 0 {
		return "{}"
	}
	v := t.Variants[0]
	text := j.value(v.Type, "", depth+1, "*")
	if t.Discriminator == "" || len(v.Tags) == 0 || !strings.HasPrefix(text, "{") {
		return text
	}
	members := objectOf(text)
	if tag := members[t.Discriminator]; tag != nil && slices.Contains(v.Tags, unquoted(string(tag))) {
		return text
	}
	members[t.Discriminator] = json.RawMessage(quote(v.Tags[0]))
	joined, err := json.Marshal(members)
	if err != nil {
		return text
	}
	return string(joined)
}

func (j jsonSampler) object(t *plan.Type, example string, depth int, path string) string {
	if depth > sampleDepth+2 {
		return "{}"
	}
	shown := objectOf(example)
	var parts []string
	for _, f := range t.Fields {
		own, at := shown[f.JSON], f.GoName
		if path != "" {
			at = path + "." + f.GoName
		}
		wanted := f.Required || own != nil || j.paged(at) ||
			shown == nil && j.optional && f.Example != "" && f.Deprecated == "" && depth < sampleDepth
		if !wanted || f.WriteOnly {
			continue
		}
		parts = append(parts, jsonString(f.JSON)+":"+j.field(f, string(own), depth, at))
		delete(shown, f.JSON)
	}
	if t.Extra == typeRaw { // members that the schema does not name
		for _, name := range slices.Sorted(maps.Keys(shown)) {
			if !slices.ContainsFunc(t.Fields, func(f *plan.Field) bool { return f.JSON == name }) {
				parts = append(parts, jsonString(name)+":"+string(shown[name]))
			}
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (j jsonSampler) field(f *plan.Field, example string, depth int, at string) string {
	if example == "" {
		example = f.Example
	}
	if f.Const != "" {
		if literal, ok := j.literals[f.Const]; ok {
			return jsonLiteral(literal)
		}
		return jsonLiteral(f.Const)
	}
	if j.job != nil && len(j.job.Done) > 0 && at == strings.Join(j.job.StatusPath, ".") {
		return jsonString(j.job.Done[0])
	}
	switch at {
	case "":
	case j.path(func(p *plan.Pagination) []string { return p.HasMore }):
		return "false"
	case j.path(func(p *plan.Pagination) []string { return p.Total }), j.path(func(p *plan.Pagination) []string { return p.TotalPages }):
		if strings.TrimPrefix(f.Type, "*") == typeString {
			return `"1"`
		}
		return j.value(strings.TrimPrefix(f.Type, "*"), "1", depth+1, at)
	case j.path(func(p *plan.Pagination) []string { return p.Next }):
		if f.Type == typeString {
			return `""`
		}
		return "null"
	}
	if (f.Required && !f.Nullable || j.paged(at)) && example == "null" {
		example = ""
	}
	goType := f.Type
	if example != "null" {
		goType = strings.TrimPrefix(goType, "*")
	}
	return j.value(goType, example, depth+1, at)
}

// paged tells the members of a page that are written whatever the example has: the items and what ends the list, and the
// objects on the way to them.
func (j jsonSampler) paged(at string) bool {
	if j.list == nil {
		return false
	}
	for _, path := range [][]string{j.list.Items, j.list.HasMore, j.list.Total, j.list.TotalPages} {
		if len(path) > 0 && strings.HasPrefix(strings.Join(path, ".")+".", at+".") {
			return true
		}
	}
	return false
}

// path is a selector of the pagination, "-" when there is none: a path that no member has.
func (j jsonSampler) path(of func(*plan.Pagination) []string) string {
	if j.list == nil || len(of(j.list)) == 0 {
		return "-"
	}
	return strings.Join(of(j.list), ".")
}

// fitsScalar reports whether an example is a JSON text that the type reads.
func fitsScalar(goType, example string) bool {
	if example == "" || example == "null" {
		return false
	}
	text, isText := stringOf(example)
	switch goType {
	case typeString, "wire.Secret":
		return isText
	case "time.Time":
		_, err := time.Parse(time.RFC3339, text)
		return isText && err == nil
	case "wire.Date":
		_, err := time.Parse(time.DateOnly, text)
		return isText && err == nil
	case "[]byte":
		_, err := base64.StdEncoding.DecodeString(text)
		return isText && err == nil
	case "bool":
		return example == "true" || example == "false"
	case "int", "int64":
		_, err := strconv.ParseInt(example, 10, 64)
		return err == nil
	case "uint64":
		_, err := strconv.ParseUint(example, 10, 64)
		return err == nil
	case "int32":
		_, err := strconv.ParseInt(example, 10, 32)
		return err == nil
	case "float32":
		f, err := strconv.ParseFloat(example, 64)
		return err == nil && math.Abs(f) <= math.MaxFloat32
	case "float64", "json.Number":
		_, err := strconv.ParseFloat(example, 64)
		return err == nil
	}
	return goType == typeRaw || goType == "any"
}

// objectOf reads an object, nil when it is none.
func objectOf(text string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &members) != nil {
		return nil
	}
	return members
}

func stringOf(text string) (string, bool) {
	var s string
	if !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &s) != nil {
		return "", false
	}
	return s, true
}

func unquoted(text string) string {
	s, _ := stringOf(text)
	return s
}

func jsonString(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}

// jsonLiteral is a Go literal as JSON.
func jsonLiteral(literal string) string {
	if s, err := strconv.Unquote(literal); err == nil {
		return jsonString(s)
	}
	return literal
}
