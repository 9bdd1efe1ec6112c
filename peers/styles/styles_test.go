// Package styles holds what package wire writes against a decoder that nobody here wrote: openapi3filter of kin-openapi
// reads each parameter by the document and compares it with the value that went in.
package styles

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

const (
	text = `{"type": "string"}`
	list = `{"type": "array", "items": {"type": "string"}}`
	ints = `{"type": "array", "items": {"type": "integer"}}`
	rgb  = `{"type": "object", "properties": {"R": {"type": "integer"}, "G": {"type": "integer"}, "B": {"type": "integer"}}}`
	free = `{"type": "object", "additionalProperties": {"type": "string"}}`
)

type color struct{ R, G, B int }

// cell is one cell of the specification's table of styles.
type cell struct {
	in, style string
	explode   bool
	schema    string
	value     any
}

func cells() []cell {
	var out []cell
	for in, styles := range map[string][]string{
		"path": {"matrix", "label", "simple"}, "query": {"form", "spaceDelimited", "pipeDelimited", "deepObject"}, "header": {"simple"}, "cookie": {"form"},
	} {
		for _, style := range styles {
			for _, explode := range []bool{false, true} {
				add := func(schema string, v any) { out = append(out, cell{in, style, explode, schema, v}) }
				delimited := style == "spaceDelimited" || style == "pipeDelimited"
				switch {
				case style == "deepObject":
					if explode {
						add(rgb, color{100, 200, 150})
						add(free, map[string]string{"k": "v é&="})
					}
					continue
				case delimited && explode: // n/a in the table
					continue
				case delimited:
					add(list, []string{"blue", "black", "brown"})
					add(list, []string{"é", "€&=+"})
					continue
				}
				add(text, "blue")
				add(list, []string{"blue", "black", "brown"})
				add(ints, []int{1, -2, 3})
				add(rgb, color{100, 200, 150})
				if in != "header" { // header values are not encoded
					add(text, "é €&=+#[]/?:@!$'()*;%20\"<>")
					add(list, []string{"é", "a/b", "c&d=e+f"})
				}
			}
		}
	}
	return out
}

func TestStylesAreReadBack(t *testing.T) {
	t.Parallel()
	seen, read := map[string]bool{}, 0
	for _, c := range cells() {
		seen[fmt.Sprint(c.in, c.style)] = true
		name := fmt.Sprintf("%s %s explode=%v %v", c.in, c.style, c.explode, c.value)
		input, param := request(t, c)
		if reason := limits(c); reason != "" {
			t.Logf("%s: not read back: %s", name, reason)
			continue
		}
		read++
		if err := openapi3filter.ValidateParameter(context.Background(), input, param); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The decoder has to see a difference, or it proves nothing.
		other := c
		other.value = map[string]any{text: "other", list: []string{"other"}, ints: []int{7}, rgb: color{1, 2, 3}, free: map[string]string{"k": "other"}}[c.schema]
		wrong, _ := request(t, other)
		if err := openapi3filter.ValidateParameter(context.Background(), wrong, param); err == nil {
			t.Errorf("%s: another value is taken for it", name)
		}
	}
	if len(seen) != 9 || read != 66 {
		t.Errorf("%d styles and %d values were read back, want 9 and 66", len(seen), read)
	}
}

// limits says what the decoder cannot do.
func limits(c cell) string {
	plain := !strings.ContainsAny(fmt.Sprint(c.value), "é€%&")
	switch {
	case c.in == "cookie" && c.explode && c.schema != text:
		return "it refuses exploded arrays and objects in cookies"
	case c.in == "cookie" && !plain:
		return "it does not decode cookies"
	case c.style == "deepObject" && c.schema == free:
		return "it reads declared properties alone"
	}
	return ""
}

// whole makes int64 of numbers, as the decoder does.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = whole(v[name])
		}
	}
	return v
}

// request writes the value with package wire and lays it out as a server sees it. The parameter allows that value only.
func request(t *testing.T, c cell) (*openapi3filter.RequestValidationInput, *openapi3.Parameter) {
	t.Helper()
	value, err := json.Marshal(c.value)
	if err != nil {
		t.Fatal(err)
	}
	var schema openapi3.Schema
	if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
		t.Fatal(err)
	}
	var only any
	if err := json.Unmarshal(value, &only); err != nil {
		t.Fatal(err)
	}
	schema.Enum = []any{whole(only)}
	param := &openapi3.Parameter{Name: "color", In: c.in, Style: c.style, Explode: &c.explode, Required: true, Schema: &openapi3.SchemaRef{Value: &schema}}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://example.com/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	input := &openapi3filter.RequestValidationInput{Request: req, QueryParams: url.Values{}, PathParams: map[string]string{}}
	if c.in == "path" {
		segment, err := wire.PathValue("color", wire.Style(c.style), c.explode, c.value)
		if err != nil {
			t.Fatal(err)
		}
		if input.PathParams["color"], err = url.PathUnescape(segment); err != nil {
			t.Fatal(err)
		}
		return input, param
	}
	tag := reflect.StructTag(fmt.Sprintf(`%s:"color,style=%s,explode=%v"`, c.in, c.style, c.explode))
	holder := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "P", Type: reflect.TypeOf(c.value), Tag: tag}})).Elem()
	holder.Field(0).Set(reflect.ValueOf(c.value))
	var params wire.Params
	if err := wire.AddParams(&params, holder.Interface()); err != nil {
		t.Fatal(err)
	}
	req.URL.RawQuery = params.Query
	input.QueryParams = req.URL.Query()
	for name, values := range params.Header {
		req.Header[name] = values
	}
	if len(params.Cookies) > 0 {
		req.Header.Set("Cookie", strings.Join(params.Cookies, "; "))
	}
	return input, param
}
