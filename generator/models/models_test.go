package models_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/retrysafe/retrysafe/generator/models"
	"github.com/retrysafe/retrysafe/generator/plan"
)

func declare(t *testing.T, types ...*plan.Type) map[string]string {
	t.Helper()
	texts, err := models.Declarations(types)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestStruct(t *testing.T) {
	got := declare(t, &plan.Type{
		Name: "Client", Kind: plan.Struct, Doc: "Client is a type whose name the engine uses itself.", Deprecated: "Use Customer.",
		Extra: "json.RawMessage", ExtraName: "ExtraFields",
		Fields: []*plan.Field{
			{JSON: "id", GoName: "ID", Type: "string", Doc: "ID of it.\nSecond line.", ReadOnly: true},
			{JSON: "kind", GoName: "Sort", Type: "Kind", Const: "KindA"},
			{JSON: "pin", GoName: "Pin", Type: "*string", Omit: "omitempty", Secret: true},
			{JSON: "note", GoName: "Note", Type: "wire.Nullable[string]", Omit: "omitzero", WriteOnly: true},
		},
	}, &plan.Type{Name: "Kind", Kind: plan.Enum, Base: "string", Values: []*plan.EnumValue{{GoName: "KindA", Literal: `"a b"`}}})["Client"]
	for _, want := range []string{
		"// Client is a type whose name the engine uses itself.\n//\n// Deprecated: Use Customer.\ntype Client struct {",
		"\t// ID of it.\n\t// Second line.\n\tID string `json:\"id\" wire:\"readonly\"`",
		"\tSort Kind `json:\"kind\" wire:\"const=\\\"a b\\\"\"`",
		"\tPin *string `json:\"pin,omitempty\" wire:\"secret\"`",
		"\tNote wire.Nullable[string] `json:\"note,omitzero\" wire:\"writeonly\"`",
		"\tExtraFields map[string]json.RawMessage `json:\"-\" wire:\"extra\"`",
		"func (v Client) MarshalJSON()", "func (v *Client) UnmarshalJSON(", "func (v Client) String()",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestTypesWhoseJSONComesFromMethodsStayAliases(t *testing.T) {
	for base, want := range map[string]string{
		"time.Time": "type T = time.Time", "json.RawMessage": "type T = json.RawMessage", "[]string": "type T []string", "string": "type T string",
	} {
		if got := declare(t, &plan.Type{Name: "T", Kind: plan.Define, Base: base})["T"]; !strings.Contains(got, want) {
			t.Errorf("%s: %s", base, got)
		}
	}
	got := declare(t, &plan.Type{Name: "T", Kind: plan.Define, Base: "json.RawMessage", IsError: true})["T"]
	for _, want := range []string{"type T json.RawMessage", "func (v T) MarshalJSON()", "func (v *T) Error() string"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The engine keeps its state in package variables and changes the document it is given.
func TestRunsSideBySide(t *testing.T) {
	types := []*plan.Type{{Name: "A", Kind: plan.Struct}, {Name: "B", Kind: plan.Alias, Base: "A"}}
	want := declare(t, types...)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := models.Declarations(types)
			if err != nil || got["A"] != want["A"] || got["B"] != want["B"] {
				t.Errorf("%v %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestComment(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct{ name, text, deprecated, want string }{
		{"nothing", " \n", "", ""},
		{"one line", "A b.", "", "// A b.\n"},
		{"paragraphs", "A.\n\nB.", "", "// A.\n//\n// B.\n"},
		{"deprecated alone", "", "Gone.", "// Deprecated: Gone.\n"},
		{"control characters", "a\x00b\r\nc\u2028d", "", "// ab\n// cd\n"},
		{"code keeps its shape", "\t" + long, "", "// \t" + strings.TrimSpace(long) + "\n"},
	} {
		if got := models.Comment(tt.text, tt.deprecated, ""); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for line := range strings.SplitSeq(models.Comment(long, "", "\t"), "\n") {
		if len(line) > 120 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}

func TestTagLiteral(t *testing.T) {
	for tag, want := range map[string]string{
		`json:"id"`:          "`json:\"id\"`",
		"json:\"a`b\"":       `"json:\"a` + "`" + `b\""`,
		"json:\"a\u009fb\"":  `"json:\"a\u009fb\""`,
		"json:\"a\u200bb\"":  `"json:\"a\u200bb\""`,
		"json:\"größe, 日本\"": "`json:\"größe, 日本\"`",
	} {
		if got := models.TagLiteral(tag); got != want {
			t.Errorf("%q is written %s, want %s", tag, got, want)
		}
	}
}
