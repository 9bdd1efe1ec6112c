package wire_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// kitchen has a field of every kind that the codec treats in its own way, and no extra field: for it, the codec has
// to mean what encoding/json means.
type kitchen struct {
	Bool   bool            `json:"bool"`
	BoolP  *bool           `json:"bool_p,omitempty"`
	Int    int             `json:"int,omitempty"`
	Int8   int8            `json:"int8"`
	Int64P *int64          `json:"int64_p,omitempty"`
	Uint16 uint16          `json:"uint16"`
	F32    float32         `json:"f32"`
	F64    float64         `json:"f64"`
	Str    string          `json:"str"`
	Named  named           `json:"named,omitempty"`
	Num    json.Number     `json:"num,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Any    any             `json:"any"`
	Bytes  []byte          `json:"bytes"`
	Array  [2]int          `json:"array"`
	Slice  []string        `json:"slice,omitempty"`
	Ptrs   []*int          `json:"ptrs"`
	Map    map[string]int  `json:"map"`
	Maps   map[named][]int `json:"maps,omitzero"`
	ByInt  map[int]string  `json:"by_int"`
	Time   time.Time       `json:"time,omitzero"`
	Date   *wire.Date      `json:"date,omitempty"`
	Addr   netip.Addr      `json:"addr"`
	Big    *big.Int        `json:"big"`
	Kid    *kitchen        `json:"kid,omitempty"`
	Kids   []kitchen       `json:"kids,omitempty"`
	ByName map[string]kid  `json:"by_name,omitempty"`
	Embeds embeds          `json:"embeds"`
	Quoted quoted          `json:"quoted"`
	Shout  shout           `json:"shout"`
	Link   *link           `json:"link"`
	Strict text            `json:"strict,omitempty"`
	Texts  textMap         `json:"texts"`
	Iface  stringer        `json:"iface"`
	NoTag  int
	Dash   int                   `json:"-,"` //nolint:staticcheck // the name is a dash
	Space  int                   `json:"a b"`
	Odd    int                   `json:"it's"` //nolint:staticcheck // encoding/json does not take the name
	Öl     int                   //nolint:asciicheck // folds to another length
	Maybe  wire.Nullable[string] `json:"maybe,omitzero"`
	hidden int                   //nolint:unused // never touched
	Skip   chan int              `json:"-"`
}

type (
	named    string
	kid      struct{ A, B int }
	stringer interface{ String() string }
	inner    struct {
		X int `json:"x"`
	}
	embeds struct {
		inner
		Y int `json:"y"`
	}
	quoted struct {
		N int64 `json:"n,string"`
	}
	textMap map[string]string
)

// shout has JSON methods of its own, link a text method on its pointer, text one on a string kind.
type shout struct{ word string }

func (s shout) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(s.word) + " <b>") }

func (s *shout) UnmarshalJSON(b []byte) error {
	s.word += string(b)
	return nil
}

type link struct{ url.URL }

func (l *link) UnmarshalText(b []byte) error { return l.UnmarshalBinary(b) }
func (l link) MarshalText() ([]byte, error)  { return l.MarshalBinary() }

type text string

func (t *text) UnmarshalText(b []byte) error { *t = text("t:" + string(b)); return nil }
func (t text) MarshalText() ([]byte, error)  { return []byte(strings.TrimPrefix(string(t), "t:")), nil }

func (m *textMap) UnmarshalText(b []byte) error { *m = textMap{"text": string(b)}; return nil }

// like is how encoding/json writes when it is told not to escape HTML.
func like(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// sameDecode decodes with both and compares; it gives the value when both take the text.
func sameDecode[T any](t *testing.T, data []byte) (T, bool) {
	t.Helper()
	var want, got T
	wantErr, gotErr := json.Unmarshal(data, &want), wire.Unmarshal(data, &got)
	if (wantErr == nil) != (gotErr == nil) {
		t.Fatalf("%T from %.300q:\nencoding/json: %v\nwire:          %.1000v", want, data, wantErr, gotErr)
	}
	if wantErr == nil && !reflect.DeepEqual(want, got) {
		t.Fatalf("%T from %.300q:\nencoding/json: %+v\nwire:          %+v", want, data, want, got)
	}
	return got, wantErr == nil
}

func sameEncode(t *testing.T, v any) {
	t.Helper()
	want, wantErr := like(v)
	got, gotErr := wire.Marshal(v)
	if (wantErr == nil) != (gotErr == nil) {
		t.Fatalf("%.1000v:\nencoding/json: %.1000v\nwire:          %.1000v", v, wantErr, gotErr)
	}
	if wantErr == nil && !bytes.Equal(want, got) {
		t.Fatalf("%T:\nencoding/json: %.1000s\nwire:          %.1000s", v, want, got)
	}
}

// sameAll compares both codecs on a text, for types of every kind.
func sameAll(t *testing.T, data []byte) {
	t.Helper()
	if v, ok := sameDecode[kitchen](t, data); ok && len(data) < 1<<12 { // the encoder counts deep values in another way
		sameEncode(t, v)
		sameEncode(t, &v)
	}
	sameDecode[any](t, data)
	if len(data) > 1<<12 {
		return // the depth is counted in one place
	}
	sameDecode[[]kitchen](t, data)
	sameDecode[map[string]kitchen](t, data)
	sameDecode[map[string]any](t, data)
	sameDecode[map[string]json.RawMessage](t, data)
	sameDecode[[]*string](t, data)
	sameDecode[[]byte](t, data)
	sameDecode[[3]float64](t, data)
	sameDecode[string](t, data)
	sameDecode[*int64](t, data)
	sameDecode[uint8](t, data)
	sameDecode[float32](t, data)
	sameDecode[bool](t, data)
	sameDecode[json.Number](t, data)
	sameDecode[time.Time](t, data)
	sameDecode[embeds](t, data)
	sameDecode[quoted](t, data)
	sameDecode[map[netip.Addr]int](t, data)
	sameDecode[text](t, data)
	sameDecode[*textMap](t, data)
	sameDecode[textMap](t, data)
	sameDecode[shout](t, data)
	sameDecode[stringer](t, data)
}

// texts are the cases that the fuzzer starts from.
func texts() []string {
	out := append(make([]string, 0, 256),
		``, ` `, `null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `01`, `1.`, `.5`, `1e5`, `1E+5`, `1e`, `-`, `+1`, `1.50`,
		`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `18446744073709551616`, `1e400`, `1e-400`,
		`3.4028235e39`, `123456789012345678901234567890.123456789`, `255`, `256`, `nul`, `nulll`, `truefalse`, `NaN`,
		`""`, `"a"`, `"a`, `"\u00e9"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\u0041"`, `"\uD83Dx"`,
		"\"\xff\xfe\"", "\"a\x01b\"", `"\x"`, `"\u12"`, `"\"\\\/\b\f\n\r\t"`, "\"\xed\xa0\x80\"", "\"\u2028\"", `"<&>"`,
		`"aGk="`, `"aGk"`, "\"aG\\nk=\"", `"!"`, `"2026-03-01T09:30:00Z"`, `"2026-03-01"`, `"2026-03-01T09:30:00.5+02:00"`,
		`"12"`, `"1e5"`, `"::1"`,
		`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2,3,4,5]`, `[null]`, `[[]`, `[]]`, `[1,"a"]`, `["a","b"]`,
		`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{"a":}`, `{"a":1 "b":2}`, `{"a":1}{`, `{"a":1} x`, `{"a":1}  `,
		`{"bool":true,"BOOL":false}`, `{"BOOL":true}`, `{"Bool_P":true,"bool_p":null}`, `{"ÖL":3}`, `{"öl":4}`, `{"NOTAG":1}`,
		`{"ſtr":"folds","Kids":[{"Kid":{"\u0062ool":true}}]}`, `{"-":3,"a b":4,"it's":5,"Odd":6}`, "{\"str\xff\":1}",
		`{"str":"a","str":"b"}`, `{"kid":{"int":1},"kid":{"int8":2}}`, `{"kid":{"int":1},"kid":null}`,
		`{"kids":[{"int":1},{"int":2}],"kids":[{"int8":3}]}`, `{"map":{"a":1},"map":{"b":2}}`, `{"by_name":{"a":{"A":1},"a":{"B":2}}}`,
		`{"slice":[],"bytes":null,"map":null,"maps":{},"any":{"a":[1,2.5,"x",null,true]}}`, `{"array":[1]}`, `{"array":[1,2,3]}`,
		`{"array":[1,2],"array":[3]}`, `{"slice":["a",null],"ptrs":[1,null,2]}`, `{"bytes":[1,2,255]}`, `{"bytes":[256]}`, `{"raw": {"a": [1, 2] } }`,
		`{"any":1,"any":{"a":1}}`, `{"shout":null,"texts":null,"strict":null,"link":null,"iface":null}`, `{"iface":1}`, `{"texts":"x","texts":null}`,
		`{"link":"http://a/b?c=<d>","shout":[1, 2],"strict":"x","texts":"y"}`, `{"texts":{"a":"b"}}`, `{"strict":1}`, `{"date":"2026-02-30"}`,
		`{"date":"2026-02-28","addr":"::1","big":123456789012345678901234567890,"by_int":{"1":"a","-2":"b"},"quoted":{"n":"5"}}`,
		`{"quoted":{"n":5}}`, `{"embeds":{"x":1,"y":2}}`, `{"maybe":null}`, `{"maybe":"x"}`, `{"maybe":"x","maybe":null}`, `{"maybe":1}`,
		`{"int":1.0}`, `{"int":1e2}`, `{"int8":128}`, `{"uint16":-1}`, `{"f32":1e39}`, `{"f32":16777217,"f64":1e21}`, `{"f64":1e-7,"f32":1e-7}`,
		`{"num":"12.50"}`, `{"num":12.50}`, `{"num":"x"}`, `{"num":""}`, `{"time":"x"}`, `{"time":1}`, `{"hidden":1,"Skip":2}`,
		`{"a":"\u00aF"}`, `{"a":"\u00ag"}`, `{"a":"\`, `{"a":"\u`, `{"a"`, `{"a":`, `{"a":1`, `{`, `[`, `[1`, `{"":1}`, `{"kids":`, `{"a" :x}`, `[nul]`, `{"bool":t}`, `{"raw":[}`, `{"any":[}`, `{"maybe":n}`,
		"\ufeff{}", "\t\r\n {\t\"str\"\r:\n\"x\" , \"int\" : 1 } \n",
	)
	for _, n := range []int{9999, 10000, 10001} {
		out = append(out, strings.Repeat("[", n)+strings.Repeat("]", n), strings.Repeat(`{"kid":`, n)+`{}`+strings.Repeat("}", n))
	}
	return out
}

func TestSameAsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range texts() {
		sameAll(t, []byte(text))
	}
}

func FuzzSameAsEncodingJSON(f *testing.F) {
	for _, text := range texts() {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameAll(t, data) })
}

// Values that no decoder makes: made at random, and odd ones by hand.
func TestEncodeSameAsEncodingJSON(t *testing.T) {
	t.Parallel()
	type scalars struct {
		B   bool
		I   int64
		U   uint32
		F   float64
		G   float32
		S   string
		Y   []byte
		M   map[string]string
		N   map[string]*float64
		L   []map[named]int8
		A   [3]*string
		P   **int
		K   *kid `json:",omitempty"`
		Z   kid  `json:",omitzero"`
		E   struct{}
		F32 []float32
	}
	same := func(v scalars) bool {
		sameEncode(t, v)
		sameEncode(t, &v)
		return true
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		f := math.Float64frombits(r.Uint64())
		sameEncode(t, f)
		sameEncode(t, float32(f))
		sameEncode(t, math.Pow(10, float64(r.IntN(60)-30)))
	}
	var nilShout *shout
	var nilLink *link
	one := 1
	for _, v := range []any{
		nil, math.NaN(), math.Inf(1), math.Copysign(0, -1), make(chan int), func() {}, complex(1, 2), nilShout, nilLink,
		shout{"a"},
		&shout{"b"},
		[]shout{{"c"}},
		link{},
		map[string]shout{"x": {"y"}},
		[]any{1, "a", nil, &one, kid{}},
		json.RawMessage(nil), json.RawMessage(`{"a" : [1 , 2]}`), json.RawMessage(`{`), json.RawMessage(``), json.RawMessage("{}\n"), json.RawMessage("{} x"),
		json.Number(""), json.Number("1e5"), json.Number("x"), json.Number("1 "),
		map[bool]int{},
		map[int]int{2: 1, 10: 2},
		map[netip.Addr]int{netip.MustParseAddr("::1"): 1},
		map[text]int{"t:a": 1},
		embeds{inner{1}, 2},
		quoted{3},
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 1, time.FixedZone("", 3600)),
		time.Date(2026, 1, 1, 0, 0, 0, 1, time.FixedZone("", 25*3600)),
		wire.Date{},
		wire.Date{Year: 2026, Month: 2, Day: 28},
		wire.Value(5), wire.Null[int](),
		wire.Nullable[int]{},
		wire.Value([]string(nil)),
		[2]wire.Nullable[bool]{wire.Value(true)},
		struct {
			A wire.Nullable[int] `json:"a,omitzero"`
			B wire.Nullable[int] `json:"b,omitzero"`
			C wire.Nullable[kid] `json:"c"`
			D *time.Time         `json:"d,omitzero"`
			E stringer           `json:"e,omitzero"`
			F any                `json:"f,omitempty"`
		}{B: wire.Null[int](), D: &time.Time{}, F: (*int)(nil)},
		"\x00\x1f\x7f\u2028\u2029\ufffd\xff<>&\"\\/\b\f\n\r\t€😀", []byte(nil),
		[]byte{},
		[4]byte{1, 2},
		[]named{"a"},
		[0]int{},
	} {
		sameEncode(t, v)
	}
}
