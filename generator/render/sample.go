package render

import (
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// sampler writes Go expressions of sample values, for documentation and tests.
type sampler struct {
	types  map[string]*plan.Type
	prefix string // package qualifier with its dot, "" inside the package
}

const sampleDepth = 4 // levels of structs in a sample; deeper ones are left empty

//nolint:gosec // sample values of types, no credentials
var samples = map[string]string{
	typeString: `"text"`, "bool": "true", "int": "1", "int32": "1", "int64": "1", "uint64": "1", "float32": "1.5", "float64": "1.5",
	"any": valueNil, "[]byte": `[]byte("content")`,
	"time.Time":   "time.Date(2026, time.January, 2, 15, 4, 5, 0, time.UTC)",
	"wire.Date":   "wire.Date{Year: 2026, Month: time.January, Day: 2}",
	typeRaw:       "json.RawMessage(`{}`)",
	"json.Number": `json.Number("1.50")`,
	"io.Reader":   `strings.NewReader("content")`,
	"*wire.File":  `wire.FromBytes("file.txt", []byte("content"))`,
	"wire.Secret": `wire.Secret("secret")`,
}

// value is an expression of a Go type; hint is a name that a string sample may carry.
func (s sampler) value(goType, hint string, depth int) string {
	if text, ok := samples[goType]; ok {
		if goType == typeString && hint != "" {
			return quote(hint)
		}
		return text
	}
	switch {
	case strings.HasPrefix(goType, "[]"):
		elem := goType[2:]
		if depth >= sampleDepth {
			return s.qualify(goType) + "{}"
		}
		return s.qualify(goType) + "{" + s.value(elem, "", depth+1) + "}"
	case strings.HasPrefix(goType, "map["):
		return s.qualify(goType) + "{}"
	case strings.HasPrefix(goType, "*"), strings.HasPrefix(goType, "wire.Nullable["):
		return valueNil
	}
	t := s.types[goType]
	if t == nil {
		return s.qualify(goType) + "{}"
	}
	return s.named(t, depth)
}

func (s sampler) named(t *plan.Type, depth int) string {
	switch t.Kind {
	case plan.Enum:
		if len(t.Values) > 0 {
			return s.prefix + t.Values[0].GoName
		}
	case plan.Union:
		if len(t.Variants) == 0 || depth >= sampleDepth {
			return s.prefix + t.Name + "{}"
		}
		v := t.Variants[0]
		return s.prefix + "New" + t.Name + v.GoName + "(" + s.value(v.Type, "", depth+1) + ")"
	case plan.Struct:
		return s.literal(t, depth)
	case plan.Alias, plan.Define:
		if t.Kind == plan.Define {
			break
		}
		return s.value(t.Base, "", depth+1)
	}
	if strings.HasPrefix(t.Base, "[]") || strings.HasPrefix(t.Base, "map[") {
		return s.prefix + t.Name + "{}"
	}
	return s.prefix + t.Name + "(" + s.value(t.Base, "", depth+1) + ")"
}

// literal fills the fields that a caller must fill.
func (s sampler) literal(t *plan.Type, depth int) string {
	var parts []string
	for _, f := range t.Fields {
		if !f.Required || f.ReadOnly || f.Const != "" || depth >= sampleDepth {
			continue
		}
		if value := s.value(f.Type, f.JSON, depth+1); value != valueNil {
			parts = append(parts, f.GoName+": "+value)
		}
	}
	return s.prefix + t.Name + "{" + strings.Join(parts, ", ") + "}"
}

// qualify puts the package before the names of a type expression that are the package's own.
func (s sampler) qualify(goType string) string {
	i := strings.LastIndexAny(goType, "]*") + 1
	if name := goType[i:]; s.types[name] != nil {
		return goType[:i] + s.prefix + name
	}
	return goType
}

// call is a whole sample call of a method, without its results.
func (s sampler) call(m *plan.Method, path string) string {
	args := []string{"ctx"}
	if m.Example != nil && m.Example.Args != "" {
		args = append(args, qualified(m.Example.Args, s.prefix))
	} else {
		args = append(args, s.arguments(m)...)
	}
	return path + "." + m.GoName + "(" + strings.Join(args, ", ") + ")"
}

func (s sampler) arguments(m *plan.Method) []string {
	var args []string
	for _, p := range m.PathParams {
		if p.Const == "" {
			args = append(args, s.value(p.Type, p.Name, 0))
		}
	}
	if len(m.Bodies) > 0 {
		b := m.Bodies[0]
		value := s.value(b.Type, "", 0)
		if b.ByPointer {
			value = address(value)
		}
		args = append(args, value)
	}
	if m.Params != nil {
		var parts []string
		for _, p := range m.Params.Fields {
			if p.Required {
				if value := s.value(p.Type, p.Name, 1); value != valueNil {
					parts = append(parts, p.GoName+": "+value)
				}
			}
		}
		args = append(args, fmt.Sprintf("%s%s{%s}", s.prefix, m.Params.TypeName, strings.Join(parts, ", ")))
	}
	return args
}

// address is a pointer to a value; a value that has no address, such as a constructor's, is left out.
func address(value string) string {
	if !strings.HasSuffix(value, "}") {
		return valueNil
	}
	return "&" + value
}
