package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	scalars := []wire.Case{{Kind: "string"}, {Kind: "integer"}, {Kind: "number"}, {Kind: "boolean"}, {Kind: "array"}, {Kind: "null"}}
	tagged := []wire.Case{
		{Kind: "object", Tag: "type", Tags: []string{"card", "credit_card"}, Required: []string{"type", "number"}},
		{Kind: "object", Tag: "type", Tags: []string{"bank"}},
	}
	shapes := []wire.Case{
		{Kind: "object", Required: []string{"id"}, Known: []string{"id", "name"}},
		{Kind: "object", Required: []string{"id", "iban"}, Known: []string{"id", "iban"}},
		{Kind: "object", Known: []string{"kind", "x"}, Consts: map[string][]string{"kind": {`"a"`, `1`}}},
		{Kind: "object", Known: []string{"kind", "x"}, Consts: map[string][]string{"kind": {`"b"`}}},
		{Kind: "string"},
	}
	for _, tt := range []struct {
		cases []wire.Case
		text  string
		want  int // -1: none
	}{
		{scalars, `"x"`, 0},
		{scalars, ` 5`, 1},
		{scalars, `-0`, 1},
		{scalars, `5.0`, 2},
		{scalars, `1e3`, 2},
		{scalars, `true`, 3},
		{scalars, `[1]`, 4},
		{scalars, `null`, 5},
		{scalars, `{}`, -1},
		{scalars, ``, -1},
		{scalars, `x`, -1},
		{[]wire.Case{{Kind: "integer"}}, `1.5`, -1},
		{[]wire.Case{{Kind: "number"}}, `1`, 0},
		{[]wire.Case{{}}, `{"a":1}`, 0},
		{[]wire.Case{{}}, `1`, 0},
		{[]wire.Case{{}, {Kind: "integer"}}, `1`, 1},
		{tagged, `{"type":"card"}`, 0},
		{tagged, `{"type":"credit_card","x":1}`, 0},
		{tagged, `{"a":{"type":"card"},"type":"b\u0061nk"}`, 1},
		{tagged, `{"type":"new"}`, -1},
		{tagged, `{"type":null}`, -1},
		{tagged, `{"type":"card","type":"bank"}`, 1},
		{tagged, `{"number":"1"}`, 1}, // no tag: by shape
		{tagged, `"card"`, -1},
		{tagged, `{"type":`, -1},
		{tagged, `{`, -1},
		{shapes, `{"id":1}`, 0},
		{shapes, `{"id":1,"iban":"x"}`, 1},
		{shapes, `{"id":1,"name":"x","z":2}`, 0},
		{shapes, `{"kind":"a"}`, 2},
		{shapes, `{"kind":1}`, 2},
		{shapes, `{"kind":"b","x":1}`, 3},
		{shapes, `{"kind":"\u0062"}`, 3},
		{shapes, `{"kind":"c"}`, -1},
		{shapes, `{"x":1}`, 2},
		{shapes, `{}`, 2},
		{shapes, `"s"`, 4},
		{shapes, `1`, -1},
		{nil, `{}`, -1},
		// one reason decides against the ones that come after it
		{[]wire.Case{{Kind: "object", Known: []string{"k", "a", "b"}}, {Kind: "object", Known: []string{"k"}, Consts: map[string][]string{"k": {`1`}}}}, `{"k":1,"a":2,"b":3}`, 1},
		{[]wire.Case{{Kind: "object", Known: []string{"k"}, Required: []string{"k", "a"}}, {Kind: "object", Known: []string{"k", "a"}, Required: []string{"k"}}}, `{"k":1,"a":2}`, 1},
		{[]wire.Case{{Kind: "object", Known: []string{"k", "a"}}, {Kind: "object", Known: []string{"k", "a"}, Required: []string{"k"}}}, `{"k":1,"a":2}`, 1},
		{[]wire.Case{{Kind: "object", Known: []string{"k"}}, {Kind: "object", Known: []string{"k", "x"}}}, `{"k":1}`, 0},
	} {
		for range 5 { // maps are walked in another order each time
			i, ok := wire.Match([]byte(tt.text), tt.cases)
			if ok != (tt.want >= 0) || ok && i != tt.want {
				t.Errorf("%s: %d, %v; want %d", tt.text, i, ok, tt.want)
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add([]byte(`{"type":"card","id":1,"kind":"\u0061"}`))
	f.Add([]byte(`12.50`))
	cases := []wire.Case{
		{Kind: "object", Tag: "type", Tags: []string{"card"}},
		{Kind: "object", Required: []string{"id"}, Consts: map[string][]string{"kind": {`"a"`}}},
		{Kind: "integer"},
		{Kind: "number"},
		{Kind: "string"},
		{Kind: "array"},
		{Kind: "boolean"},
		{Kind: "null"},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		i, ok := wire.Match(data, cases)
		if ok && json.Valid(data) && cases[i].Kind == "object" != (json.Unmarshal(data, &map[string]json.RawMessage{}) == nil && string(data) != "null") && cases[i].Kind != "null" {
			t.Fatalf("%q is taken for %s", data, cases[i].Kind)
		}
	})
}
