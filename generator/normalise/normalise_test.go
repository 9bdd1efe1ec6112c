package normalise_test

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// run normalises a document of that version.
func run(t *testing.T, text string) *normalise.Document {
	t.Helper()
	loaded, err := spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := normalise.Run(loaded)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// schemas makes a document of component schemas, written in YAML flow form on one line each.
func schemas(version string, lines ...string) string {
	return "openapi: " + version + "\npaths: {}\ncomponents:\n  schemas:\n    " + strings.Join(lines, "\n    ") + "\n"
}

// show writes a tree on one line, members sorted, references as the word after the last slash.
func show(n *spec.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case spec.Object:
		parts := make([]string, 0, len(n.Members))
		for _, m := range n.Members {
			if m.Key == "$ref" {
				parts = append(parts, "-> "+n.Ref[strings.LastIndexByte(n.Ref, '/')+1:])
				continue
			}
			parts = append(parts, m.Key+": "+show(m.Value))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case spec.Array:
		parts := make([]string, len(n.Items))
		for i, item := range n.Items {
			parts[i] = show(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case spec.String:
		if _, err := strconv.ParseFloat(n.Value, 64); err == nil || n.Value == "true" || n.Value == "false" || n.Value == "" {
			return strconv.Quote(n.Value)
		}
		return n.Value
	case spec.Null:
		return "null"
	default:
		return n.Value
	}
}

// passCase is one schema X before and after, and the codes of the warnings.
type passCase struct {
	name, in, want string
	warn           string
	version        string
	more           []string // other schemas
}

func check(t *testing.T, cases []passCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			version := c.version
			if version == "" {
				version = "3.1.0"
			}
			doc := run(t, schemas(version, append([]string{"X: " + c.in}, c.more...)...))
			if got := show(doc.Root.At("components", "schemas", "X")); got != c.want {
				t.Errorf("\n in   %s\n got  %s\n want %s", c.in, got, c.want)
			}
			codes := make([]string, len(doc.Diagnostics))
			for i, d := range doc.Diagnostics {
				codes[i] = d.Code
				if d.Pos.Line == 0 {
					t.Errorf("a warning has no place: %s", d)
				}
			}
			if got := strings.Join(codes, " "); got != c.warn {
				t.Errorf("warnings %q, want %q: %v", got, c.warn, doc.Diagnostics)
			}
		})
	}
}

const (
	aType = "A: {type: object, required: [a], properties: {a: {type: string}, s: {type: string, enum: [x, y]}}}"
	bType = "B: {type: object, properties: {b: {type: integer}}, description: about b}"
)

func TestBooleanSchemas(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "true", in: "{type: object, properties: {p: true}}", want: "{properties: {p: {}}, type: object}"},
		{name: "false", in: "{type: array, items: false}", want: "{items: {}, type: array}"},
		{name: "no schema", in: "[string]", want: "{}", warn: "not-a-schema"},
		{name: "nothing", in: "", want: "{}"},
	})
}

func TestRefSiblings(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "annotations stay", in: "{$ref: '#/components/schemas/A', description: mine, nullable: true}", want: "{-> A, description: mine, nullable: true}", more: []string{aType}},
		{name: "3.1 holds both", in: "{$ref: '#/components/schemas/B', required: [b]}", want: "{properties: {b: {type: integer}}, required: [b], type: object}", more: []string{bType}},
		{name: "3.0 ignores", in: "{$ref: '#/components/schemas/B', required: [b]}", want: "{-> B}", more: []string{bType}, warn: "ref-siblings", version: "3.0.3"},
		{name: "dangling", in: "{$ref: '#/components/schemas/None', description: mine}", want: "{description: mine}", warn: "dangling-ref"},
	})
}

func TestKnownTypes(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "file", in: "{type: file}", want: "{format: binary, type: string}", warn: "unknown-type"},
		{name: "capitals", in: "{type: String}", want: "{type: string}", warn: "unknown-type"},
		{name: "own format stays", in: "{type: datetime, format: x}", want: "{format: x, type: string}", warn: "unknown-type"},
		{name: "unknown", in: "{type: money}", want: "{}", warn: "unknown-type"},
		{name: "null", in: "{type: null}", want: "{type: null}", warn: ""},
		{name: "not a word", in: "{type: {a: b}}", want: "{}", warn: "unknown-type"},
	})
}

func TestTypeLists(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "nullable", in: "{type: [string, 'null'], maxLength: 3}", want: "{maxLength: 3, nullable: true, type: string}"},
		{name: "one", in: "{type: [integer]}", want: "{type: integer}"},
		{name: "number covers integer", in: "{type: [integer, number]}", want: "{type: number}"},
		{
			name: "several", in: "{type: [string, integer, array], maxLength: 3, items: {type: string}, enum: [a, 1]}",
			want: "{oneOf: [{enum: [a], maxLength: 3, type: string}, {enum: [1], type: integer}, {items: {type: string}, type: array}]}",
		},
		{name: "only null", in: "{type: ['null']}", want: "{nullable: true, type: null}"},
		{name: "everything", in: "{type: [string, number, boolean, array, object]}", want: "{}"},
	})
}

func TestConst(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "text", in: "{const: card}", want: "{const: card, enum: [card], type: string}"},
		{name: "number", in: "{const: 2}", want: "{const: 2, enum: [2], type: integer}"},
		{name: "null", in: "{const: null}", want: "{type: null}"},
		{name: "object", in: "{type: object, const: {a: 1}}", want: "{type: object}"},
	})
}

func TestNullVariants(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "type null", in: "{oneOf: [{type: string}, {type: 'null'}]}", want: "{nullable: true, type: string}"},
		{name: "reference or null", in: "{anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}], description: d}", want: "{-> A, description: d, nullable: true}", more: []string{aType}},
		{name: "enum null", in: "{oneOf: [{type: string}, {enum: [null]}, {type: integer}]}", want: "{nullable: true, oneOf: [{type: string}, {type: integer}]}"},
		{name: "nullable alone", in: "{anyOf: [{type: string}, {nullable: true}]}", want: "{nullable: true, type: string}", version: "3.0.3"},
		{name: "null only", in: "{oneOf: [{type: 'null'}]}", want: "{nullable: true, type: null}"},
		{name: "no list", in: "{oneOf: {type: string}}", want: "{type: string}", warn: "not-a-list"},
		{name: "a word", in: "{type: string, oneOf: A}", want: "{type: string}", warn: "not-a-list"},
	})
}

func TestInferType(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "properties", in: "{properties: {a: {minLength: 1}}}", want: "{properties: {a: {minLength: 1, type: string}}, type: object}"},
		{name: "items", in: "{items: {format: int64}}", want: "{items: {format: int64, type: integer}, type: array}"},
		{name: "numbers", in: "{enum: [1, 2.5]}", want: "{enum: [1, 2.5], type: number}"},
		{name: "nothing to go by", in: "{description: d}", want: "{description: d}"},
	})
}

func TestEnumValues(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "null is a state", in: "{type: string, enum: [a, null]}", want: "{enum: [a], nullable: true, type: string}"},
		{name: "unquoted", in: "{type: string, enum: [1, true, a]}", want: `{enum: ["1", "true", a], type: string}`, warn: "enum-values enum-values"},
		{name: "twice", in: "{type: string, enum: [a, b, a]}", want: "{enum: [a, b], type: string}", warn: "enum-values"},
		{name: "texts typed number", in: "{type: number, enum: [asc, desc]}", want: "{enum: [asc, desc], type: string}", warn: "enum-values"},
		{name: "quoted numbers", in: "{type: integer, enum: ['1', '2']}", want: "{enum: [1, 2], type: integer}"},
		{name: "both booleans", in: "{type: boolean, enum: [true, false]}", want: "{type: boolean}"},
		{name: "one boolean", in: "{type: boolean, enum: [true]}", want: "{enum: [true], type: boolean}"},
		{name: "on an array", in: "{type: array, items: {type: string}, enum: [a, b]}", want: "{items: {enum: [a, b], type: string}, type: array}", warn: "enum-values"},
		{name: "several types", in: "{enum: [auto, 1, 2]}", want: "{oneOf: [{enum: [auto], type: string}, {enum: [1, 2], type: number}]}"},
		{name: "objects", in: "{type: object, enum: [{a: 1}]}", want: "{type: object}"},
		{name: "empty", in: "{type: string, enum: []}", want: "{type: string}", warn: "enum-values"},
	})
}

func TestItems(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "missing", in: "{type: array}", want: "{items: {}, type: array}"},
		{name: "tuple", in: "{type: array, prefixItems: [{type: string}, {type: integer}]}", want: "{items: {}, type: array}"},
		{name: "tuple of one type", in: "{type: array, items: [{type: string}, {type: string}]}", want: "{items: {type: string}, type: array}"},
	})
}

func TestOpenMembers(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "one pattern", in: "{type: object, patternProperties: {'^x': {type: string}}}", want: "{additionalProperties: {type: string}, type: object}"},
		{name: "several patterns", in: "{type: object, patternProperties: {'^x': {type: string}, '^y': {type: integer}}}", want: "{additionalProperties: {}, type: object}"},
		{name: "unevaluated", in: "{type: object, unevaluatedProperties: false}", want: "{additionalProperties: false, type: object}"},
		{name: "wrong kind", in: "{type: object, properties: [a], additionalProperties: yes please}", want: "{additionalProperties: {}, type: object}", warn: "not-a-schema properties"},
	})
}

func TestConditions(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{
			name: "branches", in: "{type: object, properties: {a: {type: string}}, if: {required: [a]}, then: {properties: {b: {type: integer}, a: {const: 1}}}, not: {required: [c]}}",
			want: "{properties: {a: {type: string}, b: {type: integer}}, type: object}",
		},
		{
			name: "dependent", in: "{type: object, dependentSchemas: {a: {properties: {b: {type: string}}}}, dependentRequired: {a: [b]}}",
			want: "{properties: {b: {type: string}}, type: object}",
		},
	})
}

func TestRequired(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "on the member", in: "{type: object, properties: {a: {type: string, required: true}}}", want: "{properties: {a: {type: string}}, required: [a], type: object}", warn: "required"},
		{name: "not a list", in: "{type: object, required: a}", want: "{type: object}", warn: "required"},
	})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "fits", in: "{type: integer, default: 3}", want: "{default: 3, type: integer}"},
		{name: "another type", in: "{type: integer, default: many}", want: "{type: integer}", warn: "default"},
		{name: "not in the enum", in: "{type: string, enum: [a], default: b}", want: "{enum: [a], type: string}", warn: "default"},
	})
}
