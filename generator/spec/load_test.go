package spec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/spec"
)

// folder writes files, named by path, and gives the folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, text string) (*spec.Document, error) {
	t.Helper()
	return spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader(text)})
}

func mustLoad(t *testing.T, text string) *spec.Document {
	t.Helper()
	doc, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "<stdin>: the document is empty [empty]"},
		"only space":     {" \r\n\t\n", "<stdin>: the document is empty [empty]"},
		"prose":          {"openapi: [3\nnot: ]yaml", "<stdin>:1: this is neither JSON nor YAML"},
		"broken JSON":    {"{\n  \"openapi\": \"3.0.0\",\n  \"info\" [}", "<stdin>:3:10: this is not JSON: a colon is missing after the name \"info\""},
		"a list":         {"- openapi: 3.0.0", "it holds one array"},
		"other YAML":     {"kind: Deployment\n", "<stdin>:1:1: this is not an OpenAPI document: the member openapi"},
		"swagger":        {"swagger: '2.0'\ninfo: {}\n", "<stdin>:1:10: this is a Swagger 2.0 document; retrysafe reads OpenAPI 3.0 and 3.1"},
		"version 4":      {"openapi: 4.0.0", `retrysafe reads OpenAPI 3.0 and 3.1, not "4.0.0"`},
		"UTF-16":         {"\xff\xfeo\x00", "UTF-16; save it as UTF-8"},
		"anchor in self": {"openapi: 3.1.0\nx: &a [*a]\n", "stands inside its own anchor"},
		"list as name":   {"openapi: 3.1.0\n? [a]\n: b\n", "a member name has to be a plain value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, c.text)
			var e *spec.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a *spec.Error with %q", err, c.want)
			}
		})
	}
}

func TestRefusedPaths(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"sub/x.yaml": "a: b"})
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"):  "there is no file",
		filepath.Join(dir, "sub"):        "is a folder",
		"https://host.invalid/spec.yaml": "--allow-remote-refs",
	} {
		if _, err := spec.Load(context.Background(), spec.Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
}

func TestSameTreeFromJSONAndYAML(t *testing.T) {
	t.Parallel()
	asJSON := mustLoad(t, `{"openapi": "3.1.0", "n": [1, -2.5e3, true, false, null, "a\u00e9\ud83d\ude00\n\/"], "o": {"200": {}, "a/b": []}}`)
	asYAML := mustLoad(t, "\xef\xbb\xbfopenapi: 3.1.0\r\nn:\r\n  - 1\r\n  - -2.5e3\r\n  - true\r\n  - false\r\n  - ~\r\n  - \"aé😀\\n/\"\r\no:\r\n  200: {}\r\n  a/b: []\r\n")
	if !spec.Equal(asJSON.Root, asYAML.Root) {
		t.Error("the trees differ")
	}
	if got := asYAML.Root.At("o", "200").Pos().String(); got != "<stdin>:10:8" {
		t.Errorf("place in YAML: %s", got)
	}
	if got := asJSON.Root.At("n").Items[1].Pos().String(); got != "<stdin>:1:31" {
		t.Errorf("place in JSON: %s", got)
	}
}

func TestYAMLForms(t *testing.T) {
	t.Parallel()
	root := mustLoad(t, `
openapi: 3.1.0
base: &base {a: 1, b: 2}
merged: {<<: *base, b: 3}
alias: *base
day: 2024-01-02
version: 1.10
no: no
twice: 1
twice: 2
`).Root
	for path, want := range map[string]string{"merged.a": "1", "merged.b": "3", "alias.b": "2", "day": "2024-01-02", "version": "1.10", "no": "no", "twice": "2"} {
		if got := root.At(strings.Split(path, ".")...).Text(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if root.Get("day").Kind != spec.String {
		t.Error("a date is not a text")
	}
}

func TestAliasesCannotBlowUp(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("openapi: 3.1.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		b.WriteString(strings.NewReplacer("N", string(rune('1'+i)), "M", string(rune('0'+i))).Replace(
			"aN: &aN [*aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM]\n"))
	}
	_, err := load(t, b.String())
	if err == nil {
		t.Fatal("ten thousand million values were read")
	}
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"a":`} {
		if _, err := load(t, `{"openapi":"3.1.0","a":`+strings.Repeat(open, 100_000)); err == nil {
			t.Errorf("%q nested 100000 levels deep was read", open)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"api.yaml": `openapi: 3.1.0
components:
  schemas:
    Whole: {$ref: parts/pet.yaml}
    Part: {$ref: 'parts/all.json#/components/schemas/A~1B%20C'}
    Deep: {$ref: '#/components/schemas/Object/properties/list/items'}
    Through: {$ref: '#/components/schemas/Whole/properties/name'}
    Anchor: {$ref: '#here'}
    Loop: {$ref: '#/components/schemas/Pool'}
    Pool: {$ref: '#/components/schemas/Loop'}
    Word: {$ref: Object}
    Old: {$ref: '#/definitions/Object'}
    Gone: {$ref: '#/components/schemas/Missing'}
    Object:
      type: object
      properties:
        list: {type: array, items: {$anchor: here, title: found}}
        example: {$ref: '#/components/schemas/Object'}
      example: {$ref: '#/not/a/reference'}
`,
		"parts/pet.yaml":  "title: pet\nproperties:\n  name: {title: name}\n  back: {$ref: ../api.yaml#/components/schemas/Object}\n",
		"parts/all.json":  `{"components": {"schemas": {"A/B C": {"title": "abc", "allOf": [{"$ref": "#/components/schemas/D"}]}, "D": {"title": "d"}}}}`,
		"parts/none.yaml": "unused: true",
	})
	doc, err := spec.Load(context.Background(), spec.Options{Path: filepath.Join(dir, "api.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	schemas := doc.Root.At("components", "schemas")
	for name, want := range map[string]string{
		"Whole": "pet", "Part": "abc", "Deep": "found", "Through": "name", "Anchor": "found",
	} {
		if got := schemas.Get(name).Deref().Str("title"); got != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
	object := schemas.Get("Object")
	for _, name := range []string{"Word", "Old"} {
		if schemas.Get(name).Deref() != object {
			t.Errorf("%s does not lead to Object", name)
		}
	}
	if schemas.Get("Whole").Deref().At("properties", "back").Deref() != object {
		t.Error("a file that is read again is read twice")
	}
	if object.At("properties", "example").Deref() != object {
		t.Error("a member called example is no reference")
	}
	if object.Get("example").IsRef() {
		t.Error("an example is a reference")
	}
	codes := make([]string, 0, len(doc.Diagnostics))
	for _, d := range doc.Diagnostics {
		codes = append(codes, d.Code)
	}
	if got := strings.Join(codes, " "); got != "ref-cycle ref-form ref-form dangling-ref" {
		t.Errorf("warnings: %s\n%v", got, doc.Diagnostics)
	}
	if s := schemas.Get("Loop"); s.Deref() != nil && s.Target != nil && schemas.Get("Pool").Target != nil {
		t.Error("a loop of references was not cut")
	}
}

func TestMissingFilesAreToldTogether(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"api.yaml": "openapi: 3.0.0\npaths:\n  /a: {$ref: ./a.yaml}\n  /b: {$ref: ./b.yaml}\n"})
	_, err := spec.Load(context.Background(), spec.Options{Path: filepath.Join(dir, "api.yaml")})
	var e *spec.Error
	if !errors.As(err, &e) || len(e.Diagnostics) != 2 {
		t.Fatalf("got %v", err)
	}
	if p := e.Diagnostics[1].Pos; p.Line != 4 || p.Col != 14 {
		t.Errorf("place %v", p)
	}
}
