package generator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/render"
	"github.com/retrysafe/retrysafe/generator/spec"
)

// seeds are small documents that use much of OpenAPI.
func seeds(tb testing.TB) []*spec.Node {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "openapi.yaml"))
	if err != nil || len(paths) == 0 {
		tb.Fatal(err)
	}
	paths = append(paths, filepath.Join("..", "openapi.yaml"))
	roots := make([]*spec.Node, 0, len(paths))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		root, _, err := spec.Parse(path, data)
		if err != nil {
			tb.Fatal(err)
		}
		roots = append(roots, root)
	}
	return roots
}

// FuzzMutated changes real documents at random places and expects a package or a clear error, in bounded time.
func FuzzMutated(f *testing.F) {
	roots := seeds(f)
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := mutate(r, roots[r.IntN(len(roots))])
		tryDocument(t, text)
	})
}

// FuzzText reads any text at all.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"openapi: 3.1.0\npaths: {}\n", `{"openapi":"3.0.0","paths":{"/a":{"get":{}}}}`, "a: &a [*a]", "{", `{"openapi":"3.1.0","components":{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":{"x":1}}}}}`, "- - - -", "openapi: 3.1.0\n<<: {paths: 1}", "? [a]\n: b",
		"openapi: 3.1.0\ncomponents: {schemas: {A: {allOf: [{$ref: '#/components/schemas/A'}]}}}", "\xff\xfe", "openapi: 3.1.0\npaths: {'{': {get: {}}, '/{}': {get: {}}}",
		// found by FuzzMutated: an operationId that is no Go string as it stands
		"{\"openapi\":\"3.1.0\",\"paths\":{\"/internal\":{\"get\":{\"operationId\":\"a`b\\\"c\\\\\",\"responses\":{\"204\":{\"description\":\"none\"}},\"tags\":[\"Internal\"]}}}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<16 {
			tryDocument(t, text)
		}
	})
}

// tryDocument runs everything but writing.
func tryDocument(t *testing.T, text string) {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := generator.Plan(ctx, generator.Options{Spec: "-", Stdin: strings.NewReader(text), Package: "sdk", Out: "unused"})
	var internal *generator.InternalError
	if errors.As(err, &internal) {
		t.Fatalf("%v\n%s\n%s", internal, internal.Stack, text)
	}
	if err == nil {
		uniqueNames(t, p)
		if _, err := render.Render(p); err != nil {
			t.Fatalf("printing: %v\n%s", err, text)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Fatalf("it took %v\n%s", took, text)
	}
}

// mutate gives a document with up to six changes, as JSON.
func mutate(r *rand.Rand, root *spec.Node) string {
	value := toValue(root)
	var places []place
	collect(value, nil, &places)
	for range 1 + r.IntN(6) {
		at, other := places[r.IntN(len(places))], places[r.IntN(len(places))]
		switch r.IntN(8) {
		case 0:
			at.set(other.get())
		case 1:
			at.remove()
		case 2:
			at.set(map[string]any{"$ref": "#" + other.pointer()})
		case 3:
			at.set([]any{other.get()})
		case 4:
			at.set(odd[r.IntN(len(odd))])
		case 5:
			at.rename(odd[r.IntN(len(odd))])
		case 6:
			at.rename(other.name())
		case 7:
			at.set(map[string]any{"allOf": []any{at.get(), other.get()}})
		}
	}
	data, err := json.Marshal(value)
	if err != nil {
		return "{}" // a value within itself
	}
	return string(data)
}

// odd are values that documents have where others are expected.
var odd = []any{
	nil, true, false, "", "`", "a`b\"c\\", "$ref", "type", "string", "null", "{x}", "/{a}{b}", "../x", "\u2028", "日本", "func", "Client", "-1", 0, -1, 1e308, 12345678901234567,
	[]any{},
	map[string]any{},
	[]any{"string", "null"},
	[]any{"object", "array", "string"},
	map[string]any{"type": "object"},
	map[string]any{"const": nil},
	map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "object"}}},
	"application/json", "multipart/form-data", "text/event-stream", "*/*",
}

// place is one value of a tree and what it hangs on.
type place struct {
	parent any
	key    string
	index  int
	path   string
}

func collect(v any, path []string, out *[]place) {
	at := strings.Join(path, "/")
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			*out = append(*out, place{v, key, 0, at + "/" + spec.EscapePointer(key)})
			collect(child, append(slices.Clip(path), spec.EscapePointer(key)), out)
		}
	case []any:
		for i, child := range v {
			*out = append(*out, place{v, "", i, fmt.Sprintf("%s/%d", at, i)})
			collect(child, append(slices.Clip(path), fmt.Sprint(i)), out)
		}
	}
	if len(path) == 0 {
		sortPlaces(*out)
	}
}

func (p place) pointer() string { return "/" + strings.TrimPrefix(p.path, "/") }

func (p place) name() any { return p.key }

func (p place) get() any {
	if m, ok := p.parent.(map[string]any); ok {
		return m[p.key]
	}
	return p.parent.([]any)[p.index]
}

func (p place) set(v any) {
	if m, ok := p.parent.(map[string]any); ok {
		m[p.key] = v
	} else {
		p.parent.([]any)[p.index] = v
	}
}

func (p place) remove() {
	if m, ok := p.parent.(map[string]any); ok {
		delete(m, p.key)
	}
}

func (p place) rename(to any) {
	m, isMap := p.parent.(map[string]any)
	name, isText := to.(string)
	if isMap && isText {
		m[name] = m[p.key]
		delete(m, p.key)
	}
}

// sortPlaces makes a seed mean the same document each time: maps are walked in any order.
func sortPlaces(list []place) {
	slices.SortFunc(list, func(a, b place) int { return strings.Compare(a.path, b.path) })
}

func toValue(n *spec.Node) any {
	switch n.Kind {
	case spec.Object:
		m := make(map[string]any, len(n.Members))
		for _, member := range n.Members {
			m[member.Key] = toValue(member.Value)
		}
		return m
	case spec.Array:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = toValue(item)
		}
		return list
	case spec.Bool:
		return n.Value == "true"
	case spec.Number:
		return json.Number(n.Value)
	case spec.String:
		return n.Value
	case spec.Null:
	}
	return nil
}
