package wire_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// specs gives the folder of public API documents beside the repository.
func specs(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err != nil {
			continue
		}
		shared := filepath.Join(filepath.Dir(dir), "shared", "specs")
		if _, err := os.Stat(shared); err == nil {
			return shared
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("the folder shared/specs is missing")
	}
	t.Skip("the folder shared/specs is not there: a clone without the material")
	return ""
}

// Large JSON texts that nobody made for us: public API documents go through types that know little of them and keep
// all they mean.
func TestRealDocumentsRoundTrip(t *testing.T) {
	t.Parallel()
	type schema struct {
		Type        wire.Nullable[json.RawMessage] `json:"type,omitzero"`
		Description wire.Nullable[string]          `json:"description,omitzero"`
		Example     json.RawMessage                `json:"example,omitempty"`
		Maximum     wire.Nullable[json.Number]     `json:"maximum,omitzero"`
		Extra       map[string]json.RawMessage     `json:"-"                    wire:"extra"`
	}
	const largest = 150 << 10 // bytes; what is larger says the same more slowly
	files, err := filepath.Glob(filepath.Join(specs(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > largest {
			continue
		}
		read++
		roundTrip(t, data)
		var doc map[string]json.RawMessage
		if err := wire.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var components struct {
			Schemas map[string]schema `json:"schemas"`
		}
		if err := wire.Unmarshal(doc["components"], &components); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out, err := wire.Marshal(components.Schemas)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var raw struct {
			Schemas json.RawMessage `json:"schemas"`
		}
		if err := json.Unmarshal(doc["components"], &raw); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(meaning(t, raw.Schemas), meaning(t, out)) {
			t.Errorf("%s: schemas lost something", file)
		}
	}
	if read == 0 {
		t.Error("no document was read")
	}
}

// Plans of types that need each other are made once, whoever comes first.
func TestPlansAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	type tree struct {
		Left, Right *struct{ Up *loose }
		Kids        []map[string]wire.Nullable[*account]
		Extra       map[string]json.RawMessage `json:"-" wire:"extra"`
	}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			var v tree
			if err := wire.Unmarshal([]byte(`{"Left":{"Up":{"kid":{}}},"Kids":[{"a":{"id":"x"}}],"z":1}`), &v); err != nil || v.Kids[0]["a"].IsNull() {
				t.Error(err)
			}
			if _, err := wire.Marshal(v); err != nil {
				t.Error(err)
			}
			if _, err := params(`query:"q,style=deepObject"`, v); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
