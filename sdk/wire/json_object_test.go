package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// loose keeps the difference between absent, null and a value of every member, so that nothing at all may be lost.
type loose struct {
	Text  wire.Nullable[string]            `json:"text,omitzero"`
	Num   wire.Nullable[json.Number]       `json:"num,omitzero"`
	Big   wire.Nullable[int64]             `json:"big,omitzero"`
	Flag  wire.Nullable[bool]              `json:"flag,omitzero"`
	When  wire.Nullable[time.Time]         `json:"when,omitzero"`
	Day   wire.Nullable[wire.Date]         `json:"day,omitzero"`
	Kid   wire.Nullable[*loose]            `json:"kid,omitzero"`
	Kids  wire.Nullable[[]loose]           `json:"kids,omitzero"`
	Named wire.Nullable[map[string]*loose] `json:"named,omitzero"`
	Raw   json.RawMessage                  `json:"raw,omitempty"`
	Extra map[string]json.RawMessage       `json:"-"              wire:"extra"`
}

func (v *loose) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v loose) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }

// meaning reads a text with every digit of its numbers.
func meaning(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// repeats reports whether some object of a valid text has a member twice.
func repeats(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	type level struct {
		object, value bool
		seen          map[string]bool
	}
	stack := []level{{}}
	for {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		top := &stack[len(stack)-1]
		d, isDelim := tok.(json.Delim)
		switch {
		case isDelim && (d == '{' || d == '['):
			top.value = false
			stack = append(stack, level{object: d == '{', seen: map[string]bool{}})
		case isDelim:
			stack = stack[:len(stack)-1]
		case top.object && !top.value:
			if top.seen[tok.(string)] {
				return true
			}
			top.seen[tok.(string)], top.value = true, true
		default:
			top.value = false
		}
	}
}

func roundTrip(t *testing.T, text []byte) {
	t.Helper()
	var v loose
	if err := wire.Unmarshal(text, &v); err != nil {
		return
	}
	got, err := wire.Marshal(v)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var viaStd loose
	if err := json.Unmarshal(text, &viaStd); err != nil || !reflect.DeepEqual(v, viaStd) {
		t.Fatalf("%q through encoding/json: %v\n%+v\n%+v", text, err, v, viaStd)
	}
	if std, err := like(v); err != nil || !bytes.Equal(std, got) {
		t.Fatalf("%q written through encoding/json: %v\n%s\n%s", text, err, std, got)
	}
	var again loose
	if err := wire.Unmarshal(got, &again); err != nil {
		t.Fatalf("%q became %q: %v", text, got, err)
	}
	if twice, err := wire.Marshal(&again); err != nil || !bytes.Equal(got, twice) {
		t.Fatalf("%q is written as %q, then as %q (%v)", text, got, twice, err)
	}
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) || !utf8.Valid(text) || repeats(text) {
		return // what comes twice counts once
	}
	if want, have := meaning(t, text), meaning(t, got); !reflect.DeepEqual(want, have) {
		t.Fatalf("%q lost something: %q", text, got)
	}
}

func looseTexts() []string {
	return []string{
		`null`, `{}`, `{"text":null,"num":1.50,"big":9007199254740993,"flag":false,"when":"2026-01-02T03:04:05Z"}`,
		`{"kid":{"kid":{"kid":null,"x":1}},"kids":[{},{"text":"a"},{"z":[1, 2, {"b":2,"a":1}]}],"named":{"b":null,"a":{}}}`,
		`{"TEXT":"other","Text":1,"num":12345678901234567890.123456789012345678901234567890e-5,"day":"2026-02-28"}`,
		`{"raw":{"a" : 1},"raw2":null,"unknown":1.0e+5,"é":"\u00e9\ud83d\ude00","<b>":"<&>"}`, `{"raw":null}`, `{"kids":[]}`, `{"named":{}}`,
		`{"num":"5"}`, `{"a":1,"a":2}`, `{"kid":{"a":1},"kid":{"b":2}}`,
	}
}

func TestRoundTripLosesNothing(t *testing.T) {
	t.Parallel()
	for _, text := range append(looseTexts(), texts()...) {
		if !strings.Contains(text, `"num":"`) && len(text) < 1000 {
			roundTrip(t, []byte(text))
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, text := range looseTexts() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte(`"num"`)) || bytes.Contains(data, []byte(`"when"`)) || bytes.Contains(data, []byte(`\u`)) {
			return // a number in quotes and a time with other digits read the same and are written the usual way
		}
		roundTrip(t, data)
	})
}

type account struct {
	ID      string         `json:"id"               wire:"readonly"`
	Kind    string         `json:"kind"             wire:"const=\"card\""`
	Version *int           `json:"version"          wire:"const=2"`
	Name    string         `json:"name"`
	Nick    *string        `json:"nick,omitempty"`
	Owner   *account       `json:"owner,omitempty"`
	Others  []account      `json:"others,omitempty"`
	Any     any            `json:"any,omitempty"`
	Key     string         `json:"key,omitempty"    wire:"writeonly"`
	Method  *method        `json:"method,omitempty"`
	Counts  map[string]int `json:"-"                wire:"extra"`
}

func (v *account) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v account) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }

// method is a union: it keeps its text and has no wire tag.
type method struct{ raw json.RawMessage }

func (m *method) UnmarshalJSON(b []byte) error { m.raw = bytes.Clone(b); return nil }
func (m method) MarshalJSON() ([]byte, error)  { return m.raw, nil }
func (m method) MarshalRequest() ([]byte, error) {
	return []byte(`{"request":` + string(m.raw) + `}`), nil
}

func TestMarshalObject(t *testing.T) {
	t.Parallel()
	nick, three := "n", 3
	for _, tt := range []struct {
		name              string
		in                any
		want, wantRequest string
		wantErr           string
	}{
		{name: "constants fill zero values", in: account{}, want: `{"id":"","kind":"card","version":2,"name":""}`, wantRequest: `{"kind":"card","version":2,"name":""}`},
		{name: "other values stay", in: account{Kind: "bank", Version: &three}, want: `{"id":"","kind":"bank","version":3,"name":""}`, wantRequest: `{"kind":"bank","version":3,"name":""}`},
		{
			name:        "read-only at every depth",
			in:          &account{ID: "a", Owner: &account{ID: "b"}, Others: []account{{ID: "c"}}, Any: map[string]any{"x": account{ID: "d"}}},
			want:        `{"id":"a","kind":"card","version":2,"name":"","owner":{"id":"b","kind":"card","version":2,"name":""},"others":[{"id":"c","kind":"card","version":2,"name":""}],"any":{"x":{"id":"d","kind":"card","version":2,"name":""}}}`,
			wantRequest: `{"kind":"card","version":2,"name":"","owner":{"kind":"card","version":2,"name":""},"others":[{"kind":"card","version":2,"name":""}],"any":{"x":{"kind":"card","version":2,"name":""}}}`,
		},
		{name: "extra sorted behind", in: account{Counts: map[string]int{"z": 1, "a": 2}}, want: `{"id":"","kind":"card","version":2,"name":"","a":2,"z":1}`, wantRequest: `{"kind":"card","version":2,"name":"","a":2,"z":1}`},
		{name: "extra in the place of a field left out", in: account{Counts: map[string]int{"nick": 1}}, want: `{"id":"","kind":"card","version":2,"name":"","nick":1}`, wantRequest: `{"kind":"card","version":2,"name":"","nick":1}`},
		{name: "extra beside its field", in: []account{{Nick: &nick, Counts: map[string]int{"nick": 1}}}, wantErr: "wire: encode JSON at [0].nick: set both in its field and among the unknown members"},
		{name: "union", in: []*method{{json.RawMessage(`{"a": 1}`)}, nil}, want: `[{"a":1},null]`, wantRequest: `[{"request":{"a":1}},null]`},
		{name: "union inside", in: account{Method: &method{json.RawMessage(`1`)}}, want: `{"id":"","kind":"card","version":2,"name":"","method":1}`, wantRequest: `{"kind":"card","version":2,"name":"","method":{"request":1}}`},
		{name: "union by value", in: method{json.RawMessage(`1`)}, want: `1`, wantRequest: `{"request":1}`},
		{name: "broken raw text", in: map[string]any{"m": method{json.RawMessage(`{`)}}, wantErr: "wire: encode JSON at m: raw text is not valid JSON"},
		{name: "nil pointer", in: (*account)(nil), want: `null`, wantRequest: `null`},
		{name: "no HTML escapes", in: account{Name: "<&>"}, want: `{"id":"","kind":"card","version":2,"name":"<&>"}`, wantRequest: `{"kind":"card","version":2,"name":"<&>"}`},
	} {
		got, err := wire.Marshal(tt.in)
		if tt.wantErr != "" {
			if err == nil || err.Error() != tt.wantErr {
				t.Errorf("%s: error %v", tt.name, err)
			}
			continue
		}
		request, requestErr := wire.MarshalRequest(tt.in)
		if err != nil || requestErr != nil || string(got) != tt.want || string(request) != tt.wantRequest {
			t.Errorf("%s: (%v, %v)\n%s\n%s", tt.name, err, requestErr, got, request)
		}
	}
}

func TestExtraOfOneType(t *testing.T) {
	t.Parallel()
	// A property that is itself called additionalProperties has its own field.
	type form struct {
		ID                   *string          `json:"id,omitempty"`
		AdditionalProperties *bool            `json:"additionalProperties,omitempty"`
		Extra                map[string]int64 `json:"-"                              wire:"extra"`
	}
	const text = `{"id":"a","additionalProperties":true,"x":1}`
	var v form
	if err := wire.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if !*v.AdditionalProperties || v.Extra["x"] != 1 || len(v.Extra) != 1 {
		t.Errorf("got %+v", v)
	}
	if out, err := wire.Marshal(v); err != nil || string(out) != text {
		t.Errorf("%s, %v", out, err)
	}
	err := wire.Unmarshal([]byte(`{"x":1.5}`), &v)
	if err == nil || !strings.Contains(err.Error(), "at x: want integer") {
		t.Errorf("error %v", err)
	}
}

func TestCyclesAreRefused(t *testing.T) {
	t.Parallel()
	a := &account{}
	a.Owner = a
	var loop any
	loop = &loop
	self := map[string]any{}
	self["self"] = self
	for _, v := range []any{a, loop, self} {
		var enc *wire.EncodeError
		if _, err := wire.Marshal(v); !errors.As(err, &enc) {
			t.Errorf("%T: %v", v, err)
		}
	}
}

func TestUnsupportedStructs(t *testing.T) {
	t.Parallel()
	type base struct{ A int }
	type embedding struct {
		base
		Extra map[string]json.RawMessage `json:"-" wire:"extra"`
	}
	type quoting struct {
		N     int                        `json:"n,string"`
		Extra map[string]json.RawMessage `json:"-"        wire:"extra"`
	}
	type noMap struct {
		Extra []string `json:"-" wire:"extra"`
	}
	for _, v := range []any{&embedding{}, &quoting{}, &noMap{}} {
		if err := wire.UnmarshalObject([]byte(`{}`), v); err == nil {
			t.Errorf("%T was read", v)
		}
		if _, err := wire.MarshalObject(v); err == nil {
			t.Errorf("%T was written", v)
		}
	}
	for _, v := range []any{nil, 1, account{}, (*account)(nil), new(int)} {
		if err := wire.UnmarshalObject([]byte(`{}`), v); err == nil {
			t.Errorf("%T was read", v)
		}
		if err := wire.Unmarshal([]byte(`{`), v); err == nil {
			t.Errorf("%T was read", v)
		}
	}
	if _, err := wire.MarshalObject(1); err == nil {
		t.Error("a number was written as an object")
	}
}

func TestUnmarshalObjectNullAndReuse(t *testing.T) {
	t.Parallel()
	v := account{Name: "kept", Counts: map[string]int{"a": 1}}
	if err := json.Unmarshal([]byte(`null`), &v); err != nil || v.Name != "kept" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := wire.Unmarshal([]byte(`{"id":"x","b":2}`), &v); err != nil || v.Name != "kept" || v.Counts["a"] != 1 || v.Counts["b"] != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}

// The input may be used again for something else after it was read.
func TestUnmarshalKeepsNothingOfTheInput(t *testing.T) {
	t.Parallel()
	data := []byte(`{"text":"abc","raw":[1],"x":{"y":2},"num":12}`)
	var v loose
	if err := wire.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = '!'
	}
	if out, err := wire.Marshal(v); err != nil || string(out) != `{"text":"abc","num":12,"raw":[1],"x":{"y":2}}` {
		t.Errorf("%s, %v", out, err)
	}
}
