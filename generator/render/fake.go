package render

import (
	"strconv"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// printFake prints the answers of the server for tests.
func (r *renderer) printFake() error {
	var operations []string
	first := ""
	r.eachService(func(s *plan.Service) {
		for _, m := range s.Methods {
			if r.methods[m.ID] != m {
				continue // the streaming form of another method
			}
			if first == "" || m.Key != nil && r.methods[first].Key == nil {
				first = m.ID
			}
			operations = append(operations, r.fakeOperation(m))
		}
	})
	if operations == nil {
		return nil
	}
	return r.execute("fake", "fake.tmpl", map[string]any{dataPackage: r.plan.Package, "Operation": quote(first), "Operations": operations})
}

func (r *renderer) fakeOperation(m *plan.Method) string {
	parts := []string{"ID: " + quote(m.ID), "Method: " + quote(m.HTTP), "Path: " + quote(m.Path)}
	if len(m.Result.Answers) == 0 {
		return "{" + strings.Join(append(parts, "Status: 200"), ", ") + "}"
	}
	a := m.Result.Answers[0]
	parts = append(parts, "Status: "+strconv.Itoa(statusOf(a.Status)))
	if a.ContentType != "" && m.HTTP != "HEAD" {
		parts = append(parts, "Type: "+quote(strings.Replace(a.ContentType, "*/*", "application/octet-stream", 1)), "Body: "+goText(r.fakeBody(m, a)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// statusOf is a status that a declared one stands for.
func statusOf(declared string) int {
	if n, err := strconv.Atoi(declared); err == nil {
		return n
	}
	return 200
}

// goText is a Go string literal, raw where that reads better.
func goText(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return quote(s)
}

func (r *renderer) fakeBody(m *plan.Method, a *plan.Answer) string {
	j := jsonSampler{types: r.types, literals: r.literals}
	if p := m.Pagination; p != nil {
		j.last = p
	}
	switch a.Kind {
	case resultText, resultBinary:
		return "content"
	case resultSSE:
		return "data: " + j.value(a.Type, 0) + "\n\n"
	case resultNDJSON:
		return j.value(a.Type, 0) + "\n"
	}
	return j.value(a.Type, 0)
}

// jsonSampler writes JSON that a Go type of the plan reads: what is required, and as little of it as that allows.
type jsonSampler struct {
	types    map[string]*plan.Type
	literals map[string]string // enum constants
	last     *plan.Pagination  // a list that ends with this page
}

var jsonSamples = map[string]string{
	typeString: `"text"`, "bool": "true", "int": "1", "int32": "1", "int64": "1", "float32": "1.5", "float64": "1.5",
	"any": "null", "[]byte": `"Y29udGVudA=="`, "time.Time": `"2026-01-02T15:04:05Z"`, "wire.Date": `"2026-01-02"`,
	typeRaw: "{}", "json.Number": "1.5", "wire.Secret": `"text"`,
}

func (j jsonSampler) value(goType string, depth int) string {
	if text, ok := jsonSamples[goType]; ok {
		return text
	}
	switch {
	case strings.HasPrefix(goType, "[]"):
		if depth >= sampleDepth {
			return "[]"
		}
		return "[" + j.value(goType[2:], depth+1) + "]"
	case strings.HasPrefix(goType, "map["):
		return "{}"
	case strings.HasPrefix(goType, "*"):
		if depth > 0 {
			return "null"
		}
		return j.value(goType[1:], depth)
	}
	t := j.types[goType]
	if t == nil {
		return "null"
	}
	return j.named(t, depth)
}

func (j jsonSampler) named(t *plan.Type, depth int) string {
	switch t.Kind {
	case plan.Enum:
		if len(t.Values) > 0 {
			return jsonLiteral(t.Values[0].Literal)
		}
	case plan.Union:
		if len(t.Variants) == 0 {
			return "{}"
		}
		v := t.Variants[0]
		text := j.value(v.Type, depth+1)
		if t.Discriminator != "" && len(v.Tags) > 0 && strings.HasPrefix(text, "{") && !strings.Contains(text, quote(t.Discriminator)+":") {
			comma := ","
			if text == "{}" {
				comma = ""
			}
			text = "{" + quote(t.Discriminator) + ":" + quote(v.Tags[0]) + comma + text[1:]
		}
		return text
	case plan.Struct:
		return j.object(t, depth)
	case plan.Alias, plan.Define:
	}
	return j.value(t.Base, depth)
}

func (j jsonSampler) object(t *plan.Type, depth int) string {
	if depth > sampleDepth+2 {
		return "{}"
	}
	var parts []string
	for _, f := range t.Fields {
		list := depth == 0 && j.last != nil && len(j.last.Items) > 0 && f.GoName == j.last.Items[0]
		if !f.Required && !list || f.WriteOnly {
			continue
		}
		parts = append(parts, quote(f.JSON)+":"+j.field(f, depth))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (j jsonSampler) field(f *plan.Field, depth int) string {
	if f.Const != "" {
		if literal, ok := j.literals[f.Const]; ok {
			return jsonLiteral(literal)
		}
		return jsonLiteral(f.Const)
	}
	if j.last != nil {
		switch {
		case endsWith(j.last.HasMore, f.GoName):
			return "false"
		case endsWith(j.last.Next, f.GoName) && f.Type == typeString:
			return `""`
		case endsWith(j.last.Next, f.GoName):
			return "null"
		}
	}
	return j.value(strings.TrimPrefix(f.Type, "*"), depth+1)
}

func endsWith(path []string, name string) bool { return len(path) > 0 && path[len(path)-1] == name }

// jsonLiteral is a Go literal as JSON.
func jsonLiteral(literal string) string {
	if s, err := strconv.Unquote(literal); err == nil {
		return strconv.Quote(s)
	}
	return literal
}
