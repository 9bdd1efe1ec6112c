package conformance

import (
	"encoding/json"
	"reflect"
	"testing"
)

// The members are turned around, and nothing else changes.
func TestReorder(t *testing.T) {
	body := `{"a":1,"b":{"y":[1,2],"x":"ü\"\n"},"c <&>":null}`
	const want = `{ "c \u003c\u0026\u003e": null, "b": {"y":[1,2],"x":"ü\"\n"}, "a": 1 }`
	got := reorder([]byte(body))
	if string(got) != want {
		t.Errorf("%s", got)
	}
	var before, after any
	if err := json.Unmarshal([]byte(body), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &after); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%v, %v", err, after)
	}
	for _, body := range []string{`{"a":1}`, `[1,2]`, `"text"`, `not JSON`, ``} {
		if got := reorder([]byte(body)); got != nil {
			t.Errorf("%s: %s", body, got)
		}
	}
}
