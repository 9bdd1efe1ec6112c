package sample

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What is made from a schema fits it, as far as misfits are looked for.
func TestSamplesFit(t *testing.T) {
	t.Parallel()
	d, err := Load("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := d.root["paths"].(map[string]any)
	bodies := 0
	for path, item := range paths {
		for method := range d.object(item) {
			if !slices.Contains([]string{"get", "put", "post", "delete", "patch"}, method) {
				continue
			}
			made := d.Operation(path, method)
			for _, m := range d.Medias(path, method) {
				if m.Status != "" || !strings.Contains(m.ContentType, "json") {
					continue
				}
				for i, v := range made.Bodies[m.ContentType] {
					bodies++
					for _, misfit := range d.Misfits(m.node["schema"], again(t, v)) {
						if !misfit.Harmless {
							t.Errorf("%s, sample %d: %+v", m.Place, i, misfit)
						}
					}
				}
			}
			for name, v := range made.Path {
				if v == nil || v == "" {
					t.Errorf("%s %s: nothing for {%s}", method, path, name)
				}
			}
		}
	}
	if bodies < 20 {
		t.Errorf("%d bodies were made", bodies)
	}
}

// again reads a value as it stands in JSON.
func again(t *testing.T, v any) (out any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLoadKeepsDigits(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"a": json.Number("9007199254740993"), "b": json.Number("0.10"), "c": "2026-01-02", "d": true, "e": nil,
		"f": []any{json.Number("1e3"), "0x", "yes"}, "g": map[string]any{"h": json.Number("-1")}, "i": map[string]any{"h": json.Number("-1"), "k": "1"}, "l": json.Number("16"),
	}
	for name, text := range map[string]string{
		"x.yaml": "a: 9007199254740993\nb: 0.10\nc: 2026-01-02\nd: true\ne: null\nf: [1e3, 0x, yes]\ng: &g {h: -1}\ni: {<<: *g, k: '1'}\nl: 0x10\n",
		"x.json": `{"a":9007199254740993,"b":0.10,"c":"2026-01-02","d":true,"e":null,"f":[1e3,"0x","yes"],"g":{"h":-1},"i":{"h":-1,"k":"1"},"l":16}`,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Load(path)
		if err != nil || !reflect.DeepEqual(d.root, want) {
			t.Errorf("%s: %v, %v\nwant %v", name, d, err, want)
		}
	}
}

// A parent's list of alternatives comes back in children that are made of it.
func TestMisfitsEnd(t *testing.T) {
	t.Parallel()
	d := &Document{root: map[string]any{"Parent": map[string]any{
		"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}},
		"oneOf": []any{map[string]any{"$ref": "#/Child"}, map[string]any{"$ref": "#/Child"}, map[string]any{"$ref": "#/Child"}},
	}, "Child": map[string]any{"allOf": []any{map[string]any{"$ref": "#/Parent"}, map[string]any{"required": []any{"b"}}}}}}
	parent := map[string]any{"$ref": "#/Parent"}
	if got := d.Misfits(parent, map[string]any{"a": "x", "b": "y"}); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := d.Misfits(parent, map[string]any{"a": "x"}); len(got) != 1 || got[0].Path != "$" {
		t.Errorf("%v", got)
	}
	if got := d.Misfits(parent, nil); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestContradicts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte(`paths:
  /a:
    get:
      responses:
        '200': {content: {application/json: {schema: {type: object, properties: {n: {type: integer, format: uint64}, i: {type: integer}}}}}}
        default: {content: {'*/*': {schema: {type: string}}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{200, `{"n":1}`, ""},
		{200, `{"n":18446744073709551615}`, ""},
		{200, `{"n":18446744073709551616}`, "$.n does not fit 64 bits"},
		{200, `{"i":9223372036854775807}`, ""},
		{200, `{"i":9223372036854775808}`, "$.i does not fit 64 bits"},
		{200, `{"n":"1"}`, "$.n string where the schema has integer"},
		{404, `"text"`, ""},
		{404, `1`, "$ integer where the schema has string"},
		{200, `{`, ""},
	} {
		if got := d.Contradicts("/a", "GET", c.status, "application/json; charset=utf-8", []byte(c.body)); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.status, c.body, got, c.want)
		}
	}
}
