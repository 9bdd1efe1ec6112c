package normalise_test

import (
	"strings"
	"testing"
)

func TestAllOf(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{name: "wrapper", in: "{allOf: [{$ref: '#/components/schemas/A'}], description: mine, nullable: true}", want: "{-> A, description: mine, nullable: true}", more: []string{aType}},
		{name: "wrapper with words", in: "{allOf: [{$ref: '#/components/schemas/A'}, {description: mine}]}", want: "{-> A, description: mine}", more: []string{aType}},
		{name: "wrapper that repeats the type", in: "{type: object, allOf: [{$ref: '#/components/schemas/A'}]}", want: "{-> A}", more: []string{aType}},
		{
			name: "sum", in: "{allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, {properties: {c: {type: boolean}}}], required: [b]}",
			want: "{properties: {a: {type: string}, b: {type: integer}, c: {type: boolean}, s: {enum: [x, y], type: string}}, required: [a, b], type: object}", more: []string{aType, bType},
		},
		{name: "only required", in: "{allOf: [{$ref: '#/components/schemas/B'}, {required: [b]}]}", want: "{properties: {b: {type: integer}}, required: [b], type: object}", more: []string{bType}},
		{
			name: "member twice", in: "{allOf: [{properties: {m: {type: string, enum: [x, y, z]}}}, {properties: {m: {type: string, enum: [y, z, q]}}}]}",
			want: "{properties: {m: {enum: [y, z], type: string}}, type: object}",
		},
		{
			name: "member described again", in: "{allOf: [{$ref: '#/components/schemas/A'}, {properties: {a: {description: better}}}]}",
			want: "{properties: {a: {description: better, type: string}, s: {enum: [x, y], type: string}}, required: [a], type: object}", more: []string{aType},
		},
		{name: "tighter bounds", in: "{allOf: [{type: integer, minimum: 1, maximum: 9}, {type: number, minimum: 3, maximum: 20}]}", want: "{maximum: 9, minimum: 3, type: integer}"},
		{name: "different types", in: "{allOf: [{type: string}, {type: object, properties: {a: {type: string}}}]}", want: "{}", warn: "all-of-conflict"},
		{
			name: "closed part opens", in: "{allOf: [{type: object, properties: {a: {type: string}}, additionalProperties: false}, {type: object, properties: {b: {type: string}}}]}",
			want: "{properties: {a: {type: string}, b: {type: string}}, type: object}",
		},
		{
			name: "all closed", in: "{allOf: [{type: object, properties: {a: {type: string}}, additionalProperties: false}, {type: object, properties: {b: {type: string}}, additionalProperties: false}]}",
			want: "{additionalProperties: false, properties: {a: {type: string}, b: {type: string}}, type: object}",
		},
		{name: "contains itself", in: "{allOf: [{$ref: '#/components/schemas/X'}, {properties: {a: {type: string}}}]}", want: "{properties: {a: {type: string}}, type: object}", warn: "all-of-cycle"},
		{name: "empty list", in: "{type: string, allOf: []}", want: "{type: string}"},
	})
}

func TestAllOfOfRecursiveMembersEnds(t *testing.T) {
	t.Parallel()
	doc := run(t, schemas("3.1.0",
		"P: {type: object, properties: {child: {$ref: '#/components/schemas/P'}, p: {type: string}}}",
		"Q: {type: object, properties: {child: {$ref: '#/components/schemas/Q'}, q: {type: string}}}",
		"X: {allOf: [{$ref: '#/components/schemas/P'}, {$ref: '#/components/schemas/Q'}]}"))
	child := doc.Root.At("components", "schemas", "X", "properties", "child")
	if child.At("properties", "child").Deref() != child {
		t.Error("the child of both is not recursive")
	}
	if child.At("properties", "p") == nil || child.At("properties", "q") == nil {
		t.Error("the child does not have the members of both")
	}
}

func TestUnions(t *testing.T) {
	t.Parallel()
	check(t, []passCase{
		{
			name: "members that one variant demands and the other does without",
			in:   "{type: object, properties: {a: {type: string}}, oneOf: [{properties: {b: {type: string}}, required: [b], title: list}, {title: other}]}",
			want: "{properties: {a: {type: string}, b: {type: string}}, type: object}",
		},
		{name: "open enum", in: "{anyOf: [{type: string, enum: [a, b]}, {type: string}]}", want: "{enum: [a, b], type: string}"},
		{name: "open enum by reference", in: "{anyOf: [{type: string}, {$ref: '#/components/schemas/E'}]}", want: "{-> E}", more: []string{"E: {type: string, enum: [a, b]}"}},
		{name: "formats of a text", in: "{oneOf: [{type: string, format: date}, {type: string, format: date-time}]}", want: "{type: string}"},
		{name: "numbers", in: "{anyOf: [{type: integer}, {type: number}]}", want: "{type: number}"},
		{
			name: "only required", in: "{type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}",
			want: "{properties: {a: {type: string}, b: {type: string}}, type: object}",
		},
		{
			name: "lists", in: "{oneOf: [{type: array, items: {type: string}}, {type: array, items: {type: integer}}]}",
			want: "{items: {oneOf: [{type: string}, {type: integer}]}, type: array}",
		},
		{name: "the same twice", in: "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/A'}]}", want: "{-> A}", more: []string{aType}},
		{
			name: "unions within", in: "{oneOf: [{type: string}, {oneOf: [{type: boolean}, {$ref: '#/components/schemas/A'}]}]}",
			want: "{oneOf: [{type: string}, {type: boolean}, {-> A}]}", more: []string{aType},
		},
		{name: "itself", in: "{oneOf: [{type: string}, {$ref: '#/components/schemas/X'}]}", want: "{type: string}"},
		{name: "any value", in: "{oneOf: [{type: string}, {}]}", want: "{}"},
		{name: "type outside", in: "{type: string, oneOf: [{enum: [a]}, {pattern: x}]}", want: "{enum: [a], type: string}"},
		{
			name: "beside members", in: "{type: object, properties: {k: {type: string}}, oneOf: [{$ref: '#/components/schemas/A'}, {type: object, title: Two, properties: {t: {type: integer}}}]}",
			want: "{oneOf: [{properties: {a: {type: string}, k: {type: string}, s: {enum: [x, y], type: string}}, required: [a], type: object, x-variant-of: #/components/schemas/A}, " +
				"{properties: {k: {type: string}, t: {type: integer}}, title: Two, type: object}]}", more: []string{aType},
		},
		{
			name: "two lists", in: "{oneOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}], anyOf: [{required: [a]}, {required: [b]}]}",
			want: "{oneOf: [{properties: {a: {type: string}}, type: object}, {properties: {b: {type: string}}, type: object}]}",
		},
	})
}

func TestValuesWithTitlesAreAnEnum(t *testing.T) {
	t.Parallel()
	doc := run(t, schemas("3.1.0", "X: {oneOf: [{const: 1, title: One}, {const: 2, title: Two, description: d}]}"))
	got := show(doc.Root.At("components", "schemas", "X"))
	want := `{enum: [1, 2], type: integer, x-enum-descriptions: ["", d], x-enum-varnames: [One, Two]}`
	if got != want {
		t.Errorf("\n got  %s\n want %s", got, want)
	}
}

func TestDiscriminatorTags(t *testing.T) {
	t.Parallel()
	doc := run(t, schemas("3.0.3",
		"Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: Dog, hound: Dog, gone: '#/components/schemas/Gone'}}}",
		"Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {claws: {type: integer}}}]}",
		"Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {barks: {type: boolean}}}]}"))
	schemas := doc.Root.At("components", "schemas")
	if got := doc.Tags[schemas.Get("Cat")]["kind"]; got != "cat" {
		t.Errorf("Cat stands for %q", got)
	}
	if got, ok := doc.Tags[schemas.Get("Dog")]["kind"]; !ok || got != "" {
		t.Errorf("Dog, which stands for two values, has %q", got)
	}
	codes := make([]string, 0, len(doc.Diagnostics))
	for _, d := range doc.Diagnostics {
		codes = append(codes, d.Code)
	}
	if got := strings.Join(codes, " "); got != "dangling-ref discriminator" {
		t.Errorf("warnings: %s", got)
	}
}
