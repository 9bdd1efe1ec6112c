package wire_test

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestDecodeHeader(t *testing.T) {
	t.Parallel()
	type level string
	type loose struct {
		R     int               `json:"R"`
		On    bool              `json:"on"`
		Extra map[string]string `json:"-"  wire:"extra"`
	}
	ptr := func(s string) *string { return &s }
	for _, tt := range []struct {
		lines   []string
		explode bool
		want    any
		fails   bool
	}{
		{[]string{"blue"}, false, "blue", false},
		{[]string{"a, b"}, false, "a, b", false},
		{[]string{"12"}, false, "12", false},
		{[]string{""}, false, "", false},
		{[]string{"12"}, false, 12, false},
		{[]string{"-7"}, false, int64(-7), false},
		{[]string{"1.5"}, false, 1.5, false},
		{[]string{"true"}, false, true, false},
		{[]string{"high"}, false, level("high"), false},
		{[]string{"x"}, false, ptr("x"), false},
		{[]string{"blue, black ,brown"}, false, list, false},
		{[]string{"blue", "black, brown"}, false, list, false},
		{[]string{"1,2"}, true, []int{1, 2}, false},
		{[]string{"R,100,G,200,B,150"}, false, rgb, false},
		{[]string{"R=100,G=200,B=150"}, true, rgb, false},
		{[]string{"R=100, G=200"}, true, map[string]int{"R": 100, "G": 200}, false},
		{[]string{"R,1,on,true,x,y"}, false, loose{1, true, map[string]string{"x": "y"}}, false},
		{[]string{"2026-03-01"}, false, wire.Date{Year: 2026, Month: 3, Day: 1}, false},
		{[]string{"2026-03-01T09:30:00Z"}, false, time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), false},
		{[]string{"2026-03-01,2026-03-02"}, false, []wire.Date{{2026, 3, 1}, {2026, 3, 2}}, false},
		{[]string{"x"}, false, 0, true},
		{[]string{"1"}, false, true, true},
		{[]string{"1,x"}, false, []int{}, true},
		{[]string{"soon"}, false, time.Time{}, true},
	} {
		dst := reflect.New(reflect.TypeOf(tt.want))
		found, err := wire.DecodeHeader(http.Header{"X-Color": tt.lines}, "x-color", tt.explode, dst.Interface())
		var paramErr *wire.ParamError
		if !found || tt.fails != errors.As(err, &paramErr) {
			t.Errorf("%q: %v, %v", tt.lines, found, err)
		}
		if got := dst.Elem().Interface(); !tt.fails && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: got %+v, want %+v", tt.lines, got, tt.want)
		}
	}
	s := "kept"
	if found, err := wire.DecodeHeader(http.Header{}, "x", false, &s); found || err != nil || s != "kept" {
		t.Errorf("%v, %v, %q", found, err, s)
	}
	if _, err := wire.DecodeHeader(http.Header{"X": {"a"}}, "x", false, s); err == nil {
		t.Error("a value was taken for a pointer")
	}
}

// What goes out as a header comes back as it was.
func TestHeaderRoundTrip(t *testing.T) {
	t.Parallel()
	for _, explode := range []bool{false, true} {
		tag := `header:"X-Color"`
		if explode {
			tag = `header:"X-Color,explode=true"`
		}
		for _, v := range []any{"blue", 5, 1.5, true, list, rgb, []int{1, 2}, map[string]int{"a": 1}, wire.Date{Year: 2026, Month: 3, Day: 1}} {
			p, err := params(tag, v)
			if err != nil {
				t.Fatal(err)
			}
			dst := reflect.New(reflect.TypeOf(v))
			if _, err := wire.DecodeHeader(p.Header, "X-Color", explode, dst.Interface()); err != nil || !reflect.DeepEqual(dst.Elem().Interface(), v) {
				t.Errorf("%v came back as %v, %v", v, dst.Elem(), err)
			}
		}
	}
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add("R=1,on=true", true)
	f.Add("a, b,\"", false)
	f.Fuzz(func(t *testing.T, text string, explode bool) {
		h := http.Header{"X": {text}}
		var s string
		if _, err := wire.DecodeHeader(h, "x", explode, &s); err != nil {
			t.Fatal(err)
		}
		for _, dst := range []any{new([]string), new(map[string]string)} {
			if _, err := wire.DecodeHeader(h, "x", explode, dst); err != nil {
				t.Fatal(err)
			}
		}
		for _, dst := range []any{new(int), new(color), new([]float64), new(time.Time)} {
			_, _ = wire.DecodeHeader(h, "x", explode, dst)
		}
	})
}
