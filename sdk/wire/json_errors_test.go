package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Nothing of a value may reach the text of an error.
func TestErrorsNameThePathNotTheValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`{"kids":[{},{"big":"s3cr3t"}]}`, "wire: decode JSON at kids[1].big: want integer, got string (offset 19)"},
		{`{"when":"s3cr3t"}`, "wire: decode JSON at when: string is not an RFC 3339 date-time (offset 8)"},
		{`{"day":"s3cr3t"}`, "wire: decode JSON at day: not a valid wire.Date (offset 7)"},
		{`{"named":{"a b":{"flag":"s3cr3t"}}}`, `wire: decode JSON at named["a b"].flag: want boolean, got string (offset 24)`},
		{`{"big":123456789012345678901234567890}`, "wire: decode JSON at big: number does not fit int64 (offset 7)"},
		{`{"kid":{"big":1.5}}`, "wire: decode JSON at kid.big: want integer, got a number with a fraction or an exponent (offset 14)"},
		{`{"text":"s3cr3t`, "wire: decode JSON at text: unexpected end in a string (offset 15)"},
		{`{"text":s3cr3t}`, "wire: decode JSON at text: not a JSON value (offset 8)"},
		{`{"num":"s3cr3t"}`, "wire: decode JSON at num: want number, got string (offset 7)"},
		{`{"named":{"":{"kids":[{"flag":0}]}}}`, `wire: decode JSON at named[""].kids[0].flag: want boolean, got number (offset 30)`},
		{`{} s3cr3t`, "wire: decode JSON: data after the value (offset 3)"},
		{``, "wire: decode JSON: unexpected end (offset 0)"},
		{`[]`, "wire: decode JSON: want object, got array (offset 0)"},
	} {
		var v loose
		err := wire.Unmarshal([]byte(tt.text), &v)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.text, err)
		}
		if err := json.Unmarshal([]byte(tt.text), &v); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("through encoding/json: %s: %v", tt.text, err)
		}
	}
}

func TestLongPathsAreCut(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"kid":`, 5000) + `{"big":"x"}` + strings.Repeat(`}`, 5000)
	var v loose
	err := wire.Unmarshal([]byte(text), &v)
	var dec *wire.DecodeError
	if !errors.As(err, &dec) || len(dec.Path) > 200 || !strings.HasSuffix(dec.Path, "kid.big") || !strings.Contains(dec.Path, "kid.….kid") {
		t.Errorf("error %.500v", err)
	}
}

func TestCauseIsReachable(t *testing.T) {
	t.Parallel()
	var v struct {
		When time.Time `json:"when"`
	}
	err := wire.Unmarshal([]byte(`{"when":"x"}`), &v)
	var parse *time.ParseError
	if !errors.As(err, &parse) {
		t.Errorf("no *time.ParseError in %v", err)
	}
}

// fussy has methods that fail in every way there is.
type fussy struct{}

func (f *fussy) UnmarshalJSON([]byte) error     { return errFussy }
func (f fussy) MarshalJSON() ([]byte, error)    { return nil, errFussy }
func (f fussy) MarshalRequest() ([]byte, error) { return nil, errFussy }

type fussyText struct{}

func (fussyText) MarshalText() ([]byte, error) { return nil, errFussy }

var errFussy = errors.New("no s3cr3t")

// What a type's own method says can be reached, and is not part of the text.
func TestErrorsOfOwnMethods(t *testing.T) {
	t.Parallel()
	var in struct {
		A []fussy `json:"a"`
	}
	errs := append(make([]error, 0, 7), wire.Unmarshal([]byte(`{"a":[{}]}`), &in))
	for _, v := range []any{map[string]any{"a": []fussy{{}}}, map[string]any{"a": []fussyText{{}}}, map[string][]func(){"a": {nil}}} {
		_, err := wire.Marshal(v)
		errs = append(errs, err)
		_, err = wire.MarshalRequest(v)
		errs = append(errs, err)
	}
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), " at a[0]: ") || strings.Contains(err.Error(), "s3cr3t") || i < 5 && !errors.Is(err, errFussy) {
			t.Errorf("%d: %v", i, err)
		}
	}
	// A method that calls the codec again: one path.
	var outer struct {
		B map[string]*wrapped `json:"b"`
	}
	err := wire.Unmarshal([]byte(`{"b":{"x":{"big":"s3cr3t"}}}`), &outer)
	if err == nil || err.Error() != "wire: decode JSON at b.x.big: want integer, got string (offset 17)" {
		t.Errorf("got %v", err)
	}
	_, err = wire.Marshal(map[string]any{"b": wrapped{loose{Extra: map[string]json.RawMessage{"y": json.RawMessage(`?`)}}}})
	if err == nil || err.Error() != "wire: encode JSON at b.y: raw text is not valid JSON" {
		t.Errorf("got %v", err)
	}
	if _, err := wire.PathValue("p", wire.Simple, false, fussy{}); !errors.Is(err, errFussy) || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v", err)
	}
}

type wrapped struct{ loose loose }

func (w *wrapped) UnmarshalJSON(b []byte) error { return wire.Unmarshal(b, &w.loose) }
func (w wrapped) MarshalJSON() ([]byte, error)  { return wire.Marshal(w.loose) }
