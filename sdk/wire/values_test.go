package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestNullable(t *testing.T) {
	t.Parallel()
	// The three states of a property that is optional and nullable.
	type profile struct {
		Token    *string               `json:"token"`
		Nickname wire.Nullable[string] `json:"nickname,omitzero"`
		Age      *int                  `json:"age,omitempty"`
	}
	for _, tt := range []struct {
		in   profile
		want string
	}{
		{profile{}, `{"token":null}`},
		{profile{Nickname: wire.Null[string]()}, `{"token":null,"nickname":null}`},
		{profile{Nickname: wire.Value("")}, `{"token":null,"nickname":""}`},
	} {
		for name, marshal := range map[string]func(any) ([]byte, error){"wire": wire.Marshal, "encoding/json": json.Marshal} {
			got, err := marshal(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s: %s, %v", name, got, err)
			}
		}
		var back profile
		if err := wire.Unmarshal([]byte(tt.want), &back); err != nil || back != tt.in {
			t.Errorf("%s came back as %+v, %v", tt.want, back, err)
		}
	}
	v := wire.Value(5)
	if n, ok := v.Get(); n != 5 || !ok || v.IsNull() || v.IsZero() {
		t.Errorf("got %+v", v)
	}
	if n, ok := wire.Null[int]().Get(); n != 0 || ok {
		t.Errorf("null has the value %d", n)
	}
	if err := wire.Unmarshal([]byte(`null`), &v); err != nil || v != wire.Null[int]() {
		t.Errorf("got %+v, %v", v, err)
	}
	if err := json.Unmarshal([]byte(`"x"`), &v); err == nil {
		t.Error("a string was taken for a number")
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	leap := wire.Date{Year: 2024, Month: time.February, Day: 29}
	for text, ok := range map[string]bool{
		"2024-02-29": true, "0001-01-01": true, "9999-12-31": true, "0000-01-01": true,
		"2023-02-29": false, "2024-2-29": false, "2024-02-29T00:00:00Z": false, "24-02-29": false, "": false, "2024-13-01": false, "10000-01-01": false, "-001-01-01": false,
	} {
		d, err := wire.ParseDate(text)
		if (err == nil) != ok || ok && d.String() != text {
			t.Errorf("%q: %v, %v", text, d, err)
		}
		if out, err := d.MarshalText(); ok && (err != nil || string(out) != text) {
			t.Errorf("%q is written %q, %v", text, out, err)
		}
	}
	for _, d := range []wire.Date{{}, {2023, 2, 29}, {2024, 0, 1}, {-1, 1, 1}, {10000, 1, 1}} {
		if out, err := d.MarshalText(); err == nil {
			t.Errorf("%v is written %q", d, out)
		}
	}
	zone := time.FixedZone("", -8*3600)
	at := time.Date(2024, 3, 1, 2, 0, 0, 0, time.UTC)
	if d := wire.DateOf(at.In(zone)); d != leap || !d.Time(zone).Equal(time.Date(2024, 2, 29, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v", d)
	}
	if leap.IsZero() || !(wire.Date{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func FuzzParseDate(f *testing.F) {
	f.Add("2024-02-29")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := wire.ParseDate(s)
		if err != nil {
			return
		}
		if out, err := d.MarshalText(); err != nil || string(out) != s {
			t.Fatalf("%q is written %q, %v", s, out, err)
		}
	})
}

type credentials struct {
	User   string                      `json:"user"`
	Token  string                      `json:"token"            wire:"secret"`
	PIN    *int                        `json:"pin,omitempty"    wire:"writeonly"`
	Old    string                      `json:"old,omitempty"    wire:"secret"`
	Key    wire.Secret                 `json:"key,omitempty"`
	Next   *credentials                `json:"next,omitempty"`
	All    []credentials               `json:"all,omitempty"`
	By     map[string]credentials      `json:"by,omitempty"`
	Raw    any                         `json:"raw,omitempty"`
	Bytes  []byte                      `json:"bytes,omitempty"`
	When   *time.Time                  `json:"when,omitempty"`
	Maybe  wire.Nullable[string]       `json:"maybe,omitzero"`
	Null   wire.Nullable[*credentials] `json:"null,omitzero"`
	ByInt  map[int]string              `json:"by_int,omitempty"`
	Fn     func()                      `json:"-"`
	hidden string
	Extra  map[string]json.RawMessage `json:"-" wire:"extra"`
}

func (v credentials) String() string { return wire.Format(v) }

func (v credentials) GoString() string { return wire.Format(v) }

func TestFormatHidesSecrets(t *testing.T) {
	t.Parallel()
	pin, when := 1234, time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	leaf := credentials{User: "b", Token: "s3cr3t"}
	v := credentials{
		User: "a", Token: "s3cr3t", PIN: &pin, Key: "s3cr3t", Next: &leaf, All: []credentials{leaf}, By: map[string]credentials{"x": leaf, "w": {}},
		Raw: leaf, Bytes: []byte("s3cr3t"), When: &when, Maybe: wire.Value("m"), Null: wire.Null[*credentials](), ByInt: map[int]string{1: "s3cr3t"}, Fn: func() {},
		hidden: "s3cr3t", Extra: map[string]json.RawMessage{"new": json.RawMessage(`"s3cr3t"`), "more": nil},
	}
	const b = "{User:b Token:***}"
	const want = "{User:a Token:*** PIN:*** Key:*** Next:" + b + " All:[" + b + "] By:map[w:{User:} x:" + b + "]" +
		" Raw:" + b + " Bytes:6 bytes When:2026-03-01T09:30:00Z Maybe:m Null:null ByInt:1 entries Fn:func() Extra:[more new]}"
	if got := v.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("call", "body", v, "key", v.Key, "pointer", &v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("call", "key", v.Key)
	all := fmt.Sprintf("%v %+v %#v %s %q %x %d %v %s", v, v, v, v, v.Key, v.Key, v.Key, []wire.Secret{v.Key}, &v) + v.Key.String() + log.String()
	if strings.Contains(all, "s3cr3t") || strings.Contains(all, "733363723374") {
		t.Errorf("a secret is shown: %s", all)
	}
	if out, err := wire.Marshal(struct{ K wire.Secret }{"s3cr3t"}); err != nil || string(out) != `{"K":"s3cr3t"}` {
		t.Errorf("a secret is not sent: %s, %v", out, err)
	}
}

// A union prints itself, inside of other types too.
func TestFormatOfTypesWithoutTags(t *testing.T) {
	t.Parallel()
	type order struct {
		Method union `json:"method"`
		Plain  kid   `json:"plain"`
		When   time.Duration
	}
	if got := wire.Format(order{Method: union{"x"}, When: time.Second}); got != "{Method:union x Plain:{A:0 B:0} When:1s}" {
		t.Errorf("got %s", got)
	}
}

type union struct{ name string }

func (u union) String() string { return "union " + u.name }

func TestFormatEndsCycles(t *testing.T) {
	t.Parallel()
	v := &credentials{}
	v.Next = v
	if got := wire.Format(v); !strings.Contains(got, "...") || len(got) > 2000 {
		t.Errorf("got %d bytes", len(got))
	}
	for _, nothing := range []any{nil, (*credentials)(nil)} {
		if got := wire.Format(nothing); got != "<nil>" {
			t.Errorf("got %s", got)
		}
	}
}
