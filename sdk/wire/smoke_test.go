package wire

import (
	"encoding/json"
	"testing"
	"time"
)

type smoke struct {
	ID    string                     `json:"id"`
	N     *int64                     `json:"n,omitempty"`
	T     time.Time                  `json:"t"`
	Kids  []smoke                    `json:"kids,omitempty"`
	Nu    Nullable[string]           `json:"nu,omitzero"`
	K     string                     `json:"k" wire:"const=\"card\""`
	Extra map[string]json.RawMessage `json:"-" wire:"extra"`
}

func (v *smoke) UnmarshalJSON(b []byte) error { return UnmarshalObject(b, v) }
func (v smoke) MarshalJSON() ([]byte, error)  { return MarshalObject(v) }

func TestSmoke(t *testing.T) {
	in := `{"id":"a","n":9007199254740993,"t":"2026-01-02T03:04:05Z","kids":[{"id":"b","t":"2026-01-02T03:04:05Z","k":"x","z":1.0e5,"b":[1, 2]}],"nu":null,"k":"card"}`
	var s smoke
	if err := json.Unmarshal([]byte(in), &s); err != nil {
		t.Fatal(err)
	}
	out, err := Marshal(s)
	t.Log(string(out), err)
	out2, err := json.Marshal(s)
	t.Log(string(out2), err)
	err = Unmarshal([]byte(`{"kids":[{"id":"b"},{"n":"x"}]}`), &s)
	t.Log(err)
}
