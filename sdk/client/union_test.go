package client_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

type card struct {
	Type   string `json:"type"`
	Number string `json:"number"       wire:"secret"`
	ID     string `json:"id,omitempty" wire:"readonly"`
}

type method struct{ client.Union }

var casesMethod = []wire.Case{
	{Kind: "object", Tag: "type", Tags: []string{"card"}},
	{Kind: "string"},
}

func (m *method) UnmarshalJSON(data []byte) error { return m.Decode(data, casesMethod) }

func TestUnionRoundTrip(t *testing.T) {
	type holder struct {
		Method *method `json:"method,omitempty"`
	}
	for _, text := range []string{
		`{"method":{"type":"card","number":"42"}}`, `{"method":{"type":"card","number":"42","new":1}}`,
		`{"method":"cash"}`, `{"method":{"type":"crypto","wallet":"w"}}`, `{"method":17}`, `{}`,
	} {
		var h holder
		if err := wire.Unmarshal([]byte(text), &h); err != nil {
			t.Fatal(err)
		}
		if out, err := wire.Marshal(h); err != nil || string(out) != text {
			t.Errorf("%s became %s, %v", text, out, err)
		}
		if out, err := json.Marshal(h); err != nil || string(out) != text {
			t.Errorf("%s became %s, %v", text, out, err)
		}
	}
}

func TestUnionCases(t *testing.T) {
	var m method
	if err := json.Unmarshal([]byte(`{"type":"card","number":"42"}`), &m); err != nil {
		t.Fatal(err)
	}
	c, ok := client.As[*card](m.Union, 0)
	if !ok || c.Number != "42" || !m.IsKnown() || m.IsZero() {
		t.Errorf("%v %v", c, ok)
	}
	if _, ok := client.As[string](m.Union, 1); ok {
		t.Error("a card read as a text")
	}
	if err := json.Unmarshal([]byte(`{"type":"crypto"}`), &m); err != nil || m.IsKnown() || string(m.Raw()) != `{"type":"crypto"}` {
		t.Errorf("%s %v", m.Raw(), err)
	}
	made := method{client.UnionOf(0, card{Type: "card", Number: "4242", ID: "c1"})}
	if c, ok := client.As[*card](made.Union, 0); !ok || c.Number != "4242" {
		t.Errorf("%v %v", c, ok)
	}
	if out, err := wire.MarshalRequest(&made); err != nil || string(out) != `{"type":"card","number":"4242"}` {
		t.Errorf("%s %v", out, err)
	}
	if s := fmt.Sprintf("%v %+v %#v", made, made, made); strings.Contains(s, "4242") {
		t.Errorf("secret in %s", s)
	}
	if out, err := json.Marshal(method{}); err != nil || string(out) != "null" {
		t.Errorf("%s %v", out, err)
	}
}
