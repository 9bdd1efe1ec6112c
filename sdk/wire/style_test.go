package wire_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// color is the object of the specification's tables.
type color struct {
	R int `json:"R"`
	G int `json:"G"`
	B int `json:"B"`
}

// The values of the specification's tables.
var (
	blue = "blue"
	list = []string{"blue", "black", "brown"}
	rgb  = color{100, 200, 150}
)

// The tables "Style Examples" of the OpenAPI Specification 3.0.4 section 4.7.12.4 and 3.1.1 section 4.8.12.5, path half.
func TestPathStyles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		style                  wire.Style
		explode                bool
		empty, str, arr, objec string // "!" is an error
	}{
		{wire.Matrix, false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"},
		{wire.Matrix, true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"},
		{wire.Label, false, "!", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"},
		{wire.Label, true, "!", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"},
		{wire.Simple, false, "!", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{wire.Simple, true, "!", "blue", "blue,black,brown", "R=100,G=200,B=150"},
		{"", false, "!", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{wire.FormStyle, false, "!", "!", "!", "!"},
		{wire.DeepObject, true, "!", "!", "!", "!"},
	} {
		for _, c := range []struct {
			v    any
			want string
		}{{"", tt.empty}, {blue, tt.str}, {list, tt.arr}, {rgb, tt.objec}, {&rgb, tt.objec}} {
			got, err := wire.PathValue("color", tt.style, tt.explode, c.v)
			var paramErr *wire.ParamError
			if c.want == "!" && (!errors.As(err, &paramErr) || paramErr.Name != "color") || c.want != "!" && (err != nil || got != c.want) {
				t.Errorf("%s explode=%v %v: got %q, %v; want %q", tt.style, tt.explode, c.v, got, err, c.want)
			}
		}
	}
}

func TestPathValue(t *testing.T) {
	t.Parallel()
	type state string
	for _, tt := range []struct {
		v       any
		want    string
		wantErr string
	}{
		{v: "a/b", want: "a%2Fb"},
		{v: "a%b c?d#e", want: "a%25b%20c%3Fd%23e"},
		{v: "é€😀", want: "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{v: "-._~AZaz09", want: "-._~AZaz09"},
		{v: "!$&'()*+,;=:@[]\"<>\\^`{|}\x00\n", want: "%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D%00%0A"},
		{v: "%2e%2e", want: "%252e%252e"},
		{v: "...", want: "..."},
		{v: ".a", want: ".a"},
		{v: "", wantErr: `wire: path parameter "key": is empty`},
		{v: ".", wantErr: `wire: path parameter "key": is a relative path segment`},
		{v: "..", wantErr: `wire: path parameter "key": is a relative path segment`},
		{v: []string{".."}, wantErr: `wire: path parameter "key": is a relative path segment`},
		{v: []string{}, wantErr: `wire: path parameter "key": is empty`},
		{v: map[string]string{}, wantErr: `wire: path parameter "key": is empty`},
		{v: nil, wantErr: `wire: path parameter "key": has no value`},
		{v: (*string)(nil), wantErr: `wire: path parameter "key": has no value`},
		{v: wire.Null[string](), wantErr: `wire: path parameter "key": has no value`},
		{v: wire.Nullable[string]{}, wantErr: `wire: path parameter "key": has no value`},
		{v: make(chan int), wantErr: `wire: path parameter "key": cannot be written`},
		{v: wire.Value("x/y"), want: "x%2Fy"},
		{v: []string{"a,b", "c"}, want: "a%2Cb,c"},
		{v: state("open"), want: "open"},
		{v: 0, want: "0"},
		{v: int64(-9007199254740993), want: "-9007199254740993"},
		{v: uint64(18446744073709551615), want: "18446744073709551615"},
		{v: 1.5, want: "1.5"},
		{v: 1e21, want: "1e%2B21"},
		{v: json.Number("1.50"), want: "1.50"},
		{v: true, want: "true"},
		{v: time.Date(2026, 3, 1, 9, 30, 0, 500, time.UTC), want: "2026-03-01T09%3A30%3A00.0000005Z"},
		{v: wire.Date{Year: 2026, Month: 3, Day: 1}, want: "2026-03-01"},
		{v: []byte("hi?"), want: "aGk%2F"},
		{v: json.RawMessage(`"a b"`), want: "a%20b"},
		{v: json.RawMessage(`[1, "x"]`), want: "1,x"},
		{v: method{json.RawMessage(`"x"`)}, want: "%7B%22request%22%3A%22x%22%7D", wantErr: ""},
	} {
		style := wire.Simple
		if _, union := tt.v.(method); union {
			continue // written by its MarshalRequest, as in TestMarshalObject
		}
		got, err := wire.PathValue("key", style, false, tt.v)
		if got != tt.want || (err == nil) != (tt.wantErr == "") || err != nil && err.Error() != tt.wantErr {
			t.Errorf("%#v: got %q, %v; want %q, %s", tt.v, got, err, tt.want, tt.wantErr)
		}
	}
}

// Items and names that hold a style's own delimiters, and characters that a path cannot have, in each style.
func TestPathStylesReserved(t *testing.T) {
	t.Parallel()
	items := []string{"a,b", "c.d;e=f", "é/?#%"}
	members := map[string]string{"k.,;=": "v é/"}
	for _, tt := range []struct {
		style      wire.Style
		explode    bool
		arr, objec string
	}{
		{wire.Matrix, false, ";p=a%2Cb,c.d%3Be%3Df,%C3%A9%2F%3F%23%25", ";p=k.%2C%3B%3D,v%20%C3%A9%2F"},
		{wire.Matrix, true, ";p=a%2Cb;p=c.d%3Be%3Df;p=%C3%A9%2F%3F%23%25", ";k.%2C%3B%3D=v%20%C3%A9%2F"},
		{wire.Label, false, ".a%2Cb,c.d%3Be%3Df,%C3%A9%2F%3F%23%25", ".k.%2C%3B%3D,v%20%C3%A9%2F"},
		{wire.Label, true, ".a%2Cb.c.d%3Be%3Df.%C3%A9%2F%3F%23%25", ".k.%2C%3B%3D=v%20%C3%A9%2F"},
		{wire.Simple, false, "a%2Cb,c.d%3Be%3Df,%C3%A9%2F%3F%23%25", "k.%2C%3B%3D,v%20%C3%A9%2F"},
		{wire.Simple, true, "a%2Cb,c.d%3Be%3Df,%C3%A9%2F%3F%23%25", "k.%2C%3B%3D=v%20%C3%A9%2F"},
	} {
		for _, c := range []struct {
			v    any
			want string
		}{{items, tt.arr}, {members, tt.objec}} {
			if got, err := wire.PathValue("p", tt.style, tt.explode, c.v); err != nil || got != c.want {
				t.Errorf("%s explode=%v %v: got %q, %v; want %q", tt.style, tt.explode, c.v, got, err, c.want)
			}
		}
	}
}

// A value of any kind stays one segment under its parent, whatever net/url makes of the path.
func FuzzPathValue(f *testing.F) {
	for _, s := range []string{"a", "..", ".", "", "a/b", "%2e", "a%b c?d#e", "é", "\xff", "\\..\\", ";", "//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := wire.PathValue("p", wire.Simple, false, s)
		if err != nil {
			return
		}
		u, err := url.Parse("https://h/a/" + text + "/z")
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(u.ResolveReference(&url.URL{}).EscapedPath(), "/")
		if len(parts) != 4 || parts[1] != "a" || parts[3] != "z" || u.RawQuery != "" || u.Fragment != "" {
			t.Fatalf("%q became %q", s, u)
		}
		if back, err := url.PathUnescape(parts[2]); err != nil || back != s {
			t.Fatalf("%q came back as %q", s, back)
		}
	})
}

// params writes one parameter whose tag is given.
func params(tag string, v any) (wire.Params, error) {
	t := reflect.StructOf([]reflect.StructField{{Name: "P", Type: reflect.TypeOf(v), Tag: reflect.StructTag(tag)}})
	s := reflect.New(t)
	s.Elem().Field(0).Set(reflect.ValueOf(v))
	var out wire.Params
	err := wire.AddParams(&out, s.Interface())
	return out, err
}

// The query half of the specification's tables, and what they leave open.
func TestQueryStyles(t *testing.T) {
	t.Parallel()
	type nested struct {
		K string   `json:"k"`
		L []int    `json:"l"`
		M []nested `json:"m,omitempty"`
	}
	deep := nested{"a&b", []int{1, 2}, []nested{{K: "x", L: []int{}}}}
	for _, tt := range []struct {
		tag  string
		v    any
		want string
	}{
		{`query:"color,style=form,explode=false"`, "", "color="},
		{`query:"color,style=form,explode=false"`, blue, "color=blue"},
		{`query:"color,style=form,explode=false"`, list, "color=blue,black,brown"},
		{`query:"color,style=form,explode=false"`, rgb, "color=R,100,G,200,B,150"},
		{`query:"color"`, "", "color="},
		{`query:"color"`, blue, "color=blue"},
		{`query:"color"`, list, "color=blue&color=black&color=brown"},
		{`query:"color"`, rgb, "R=100&G=200&B=150"},
		{`query:"color,style=form,explode=true"`, list, "color=blue&color=black&color=brown"},
		{`query:"color,style=spaceDelimited"`, list, "color=blue%20black%20brown"},
		{`query:"color,style=spaceDelimited,explode=false"`, rgb, "color=R%20100%20G%20200%20B%20150"},
		{`query:"color,style=pipeDelimited"`, list, "color=blue%7Cblack%7Cbrown"},
		{`query:"color,style=pipeDelimited,explode=false"`, rgb, "color=R%7C100%7CG%7C200%7CB%7C150"},
		{`query:"color,style=spaceDelimited,explode=true"`, list, "color=blue&color=black&color=brown"},
		{`query:"color,style=pipeDelimited,explode=true"`, list, "color=blue&color=black&color=brown"},
		{`query:"color,style=deepObject"`, rgb, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{`query:"color,style=deepObject,explode=true"`, rgb, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		// appendix C of 3.1.1: expansion as RFC 6570 has it, with options that it has not, and names that it cannot have
		{`query:"formulas,explode=true"`, map[string]string{"a": "x+y", "b": "x/y", "c": "x^y"}, "a=x%2By&b=x%2Fy&c=x%5Ey"},
		{`query:"formulas,explode=true,reserved"`, map[string]string{"a": "x+y", "b": "x/y", "c": "x^y"}, "a=x%2By&b=x/y&c=x%5Ey"},
		{`query:"words,style=spaceDelimited,explode=false"`, []string{"math", "is", "fun"}, "words=math%20is%20fun"},
		{`query:"formulas,explode=true"`, map[string]string(nil), ""},
		{`query:"❤️"`, "love!", "%E2%9D%A4%EF%B8%8F=love%21"},
		// n/a in the tables: a scalar has nothing to delimit
		{`query:"color,style=spaceDelimited,explode=false"`, blue, "color=blue"},
		{`query:"color,style=pipeDelimited,explode=false"`, blue, "color=blue"},
		{`query:"color,style=deepObject,explode=false"`, rgb, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		// items that hold the delimiter or what a query cannot have, in each style
		{`query:"color,explode=false"`, []string{"a,b", "c d", "e|f", "é&="}, "color=a%2Cb,c%20d,e%7Cf,%C3%A9%26%3D"},
		{`query:"color,style=spaceDelimited"`, []string{"a,b", "e|f"}, "color=a%2Cb%20e%7Cf"},
		{`query:"color,style=pipeDelimited"`, []string{"a,b", "c d"}, "color=a%2Cb%7Cc%20d"},
		{`query:"color,style=deepObject"`, map[string]string{"a[b]": "é&=", "c": ""}, "color%5Ba%5Bb%5D%5D=%C3%A9%26%3D&color%5Bc%5D="},
		{`query:"color"`, map[string]string{"k&": "v=", "é": "ü"}, "k%26=v%3D&%C3%A9=%C3%BC"},
		// not in the tables
		{`query:"q,style=deepObject"`, deep, "q%5Bk%5D=a%26b&q%5Bl%5D%5B0%5D=1&q%5Bl%5D%5B1%5D=2&q%5Bm%5D%5B0%5D%5Bk%5D=x"},
		{`query:"q,style=deepObject"`, list, "q%5B0%5D=blue&q%5B1%5D=black&q%5B2%5D=brown"},
		{`query:"q,style=deepObject"`, 5, "q=5"},
		{`query:"q,style=deepObject"`, map[string]any{"b": nil, "a": []int{}}, "q%5Bb%5D="},
		{`query:"q,style=deepObject"`, map[string]int{}, ""},
		{`query:"q"`, []string{}, ""},
		{`query:"q"`, []string(nil), ""},
		{`query:"q"`, (*string)(nil), ""},
		{`query:"q"`, &blue, "q=blue"},
		{`query:"q"`, []byte{}, "q="},
		{`query:"q"`, []byte("hi?"), "q=aGk%2F"},
		{`query:"q"`, wire.Nullable[int]{}, ""},
		{`query:"q"`, wire.Null[int](), "q="},
		{`query:"q"`, wire.Value(7), "q=7"},
		{`query:"q"`, []string{"", ""}, "q=&q="},
		{`query:"q,explode=false"`, []string{"a,b", "", "c|d e"}, "q=a%2Cb,,c%7Cd%20e"},
		{`query:"q"`, "é €&=+#[]/?:@!$'()*,;%20\"<>", "q=%C3%A9%20%E2%82%AC%26%3D%2B%23%5B%5D%2F%3F%3A%40%21%24%27%28%29%2A%2C%3B%2520%22%3C%3E"},
		{`query:"q,reserved"`, "é €&=+#[]/?:@!$'()*,;%20\"<>%zz%", "q=%C3%A9%20%E2%82%AC%26=%2B%23%5B%5D/?:@!$'()*,;%20%22%3C%3E%25zz%25"},
		{`query:"a[b]/é,reserved"`, "a/b", "a%5Bb%5D%2F%C3%A9=a/b"},
		{`query:"a/b,reserved"`, list, "a%2Fb=blue&a%2Fb=black&a%2Fb=brown"},
		{`query:"q,style=deepObject,reserved"`, map[string]string{"a/b": "c/d"}, "q%5Ba%2Fb%5D=c/d"},
		{`query:"q,explode=false,reserved"`, []string{"a/b", "c"}, "q=a/b,c"},
		{`query:"q"`, []nested{deep}, "q=%7B%22k%22%3A%22a%26b%22%2C%22l%22%3A%5B1%2C2%5D%2C%22m%22%3A%5B%7B%22k%22%3A%22x%22%2C%22l%22%3A%5B%5D%7D%5D%7D"},
		{`query:"q"`, map[string][]string{"b": {"1", "2"}, "a": {"3"}}, "a=3&b=1&b=2"},
		{`query:"q,json"`, rgb, "q=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"},
		{`query:"q,json"`, []string{}, "q=%5B%5D"},
		{`query:"q,json"`, "a", "q=%22a%22"},
		{`query:"q,json"`, []string(nil), ""},
		{`query:"q"`, true, "q=true"},
		{`query:"q"`, 1.5, "q=1.5"},
		{`query:"q"`, time.Date(2026, 3, 1, 9, 30, 0, 0, time.FixedZone("", 7200)), "q=2026-03-01T09%3A30%3A00%2B02%3A00"},
		{`query:"q"`, []wire.Date{{2026, 3, 1}}, "q=2026-03-01"},
		{`query:"-"`, blue, ""},
		{`json:"q"`, blue, ""},
	} {
		got, err := params(tt.tag, tt.v)
		if err != nil || got.Query != tt.want {
			t.Errorf("%s %v:\ngot  %q, %v\nwant %q", tt.tag, tt.v, got.Query, err, tt.want)
		}
		if _, err := url.ParseQuery(strings.ReplaceAll(got.Query, ";", "")); err != nil { // reserved ones stay, net/url refuses them
			t.Errorf("%s: %q cannot be read: %v", tt.tag, got.Query, err)
		}
	}
}

func TestHeaderAndCookieStyles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tag  string
		v    any
		want string // header text, or cookies joined by "; "; "!" is an error
	}{
		{`header:"x-color"`, blue, "blue"},
		{`header:"x-color"`, list, "blue,black,brown"},
		{`header:"x-color"`, rgb, "R,100,G,200,B,150"},
		{`header:"x-color,explode=true"`, list, "blue,black,brown"},
		{`header:"x-color,explode=true"`, rgb, "R=100,G=200,B=150"},
		{`header:"x-color"`, "", ""},
		{`header:"x-color"`, "a/b c=d;é%20", "a/b c=d;é%20"},
		{`header:"x-color"`, "a\tb", "a\tb"},
		{`header:"x-color"`, []string{`"a,b"`, `"c"`}, `"a,b","c"`},
		{`header:"x-color,json"`, rgb, `{"R":100,"G":200,"B":150}`},
		{`header:"x-color,json"`, "a\nb", `"a\nb"`},
		{`header:"x-color"`, "a\r\nSet-Cookie: x=y", "!"},
		{`header:"x-color"`, "a\nb", "!"},
		{`header:"x-color"`, "a\x00b", "!"},
		{`header:"x-color"`, []string{"a", "b\rc"}, "!"},
		{`header:"x-color"`, map[string]string{"k\n": "v"}, "!"},
		{`header:"x-color"`, []string{"a,b", "c"}, "!"},
		{`header:"x-color,style=form"`, blue, "!"},
		{`cookie:"color"`, "", "color="},
		{`cookie:"color"`, blue, "color=blue"},
		{`cookie:"color,explode=false"`, list, "color=blue,black,brown"},
		{`cookie:"color,explode=false"`, rgb, "color=R,100,G,200,B,150"},
		{`cookie:"color"`, list, "color=blue; color=black; color=brown"},
		{`cookie:"color"`, rgb, "R=100; G=200; B=150"},
		{`cookie:"color"`, "a;b c=d\r\n,é\"", "color=a%3Bb%20c%3Dd%0D%0A%2C%C3%A9%22"},
		{`cookie:"color,reserved"`, "a/b=c+d;e,f", "color=a/b=c+d%3Be%2Cf"},
		{`cookie:"color,style=deepObject"`, rgb, "!"},
		{`query:"color,style=simple"`, blue, "!"},
		{`query:"color,style=matrix"`, blue, "!"},
		{`query:"color,unknown"`, blue, "!"},
		{`query:"color,required"`, (*string)(nil), "!"},
		{`query:"color,required"`, []string{}, "!"},
		{`query:"color"`, make(chan int), "!"},
		{`query:"color,json"`, make(chan int), "!"},
	} {
		got, err := params(tt.tag, tt.v)
		if tt.want == "!" {
			var paramErr *wire.ParamError
			if !errors.As(err, &paramErr) {
				t.Errorf("%s %v: got %v, error %v", tt.tag, tt.v, got, err)
			}
			continue
		}
		text := strings.Join(got.Cookies, "; ")
		if strings.HasPrefix(tt.tag, "header") {
			text = got.Header.Get("X-Color")
		}
		if err != nil || text != tt.want {
			t.Errorf("%s %v:\ngot  %q, %v\nwant %q", tt.tag, tt.v, text, err, tt.want)
		}
	}
}

func TestAddParamsTogether(t *testing.T) {
	t.Parallel()
	type list struct {
		Limit  *int     `query:"limit"`
		Cursor *string  `query:"cursor"`
		Tags   []string `query:"tag"`
		Match  *string  `header:"If-Match"`
		Trace  string   `header:"x-trace"`
		SID    string   `cookie:"sid"`
		other  string   `query:"other"` //nolint:unused // not exported: not sent
	}
	limit, match := 10, `"v1"`
	dst := wire.Params{Query: "a=b"}
	if err := wire.AddParams(&dst, &list{Limit: &limit, Tags: []string{"x", "y"}, Match: &match, SID: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := wire.AddParams(&dst, list{Trace: "t"}); err != nil {
		t.Fatal(err)
	}
	if dst.Query != "a=b&limit=10&tag=x&tag=y" || dst.Header.Get("If-Match") != match || dst.Header.Get("X-Trace") != "t" ||
		!reflect.DeepEqual(dst.Cookies, []string{"sid=1", "sid="}) {
		t.Errorf("got %+v", dst)
	}
	for _, nothing := range []any{nil, (*list)(nil), 1} {
		if err := wire.AddParams(&dst, nothing); err != nil {
			t.Errorf("%v: %v", nothing, err)
		}
	}
}

// What a query says must come out of a parser that nobody here wrote.
func FuzzQueryValue(f *testing.F) {
	f.Add("a b", "c&d")
	f.Add("%41", "é\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, tag := range []string{`query:"q"`, `query:"q,style=deepObject"`} {
			got, err := params(tag, []string{a, b})
			if err != nil {
				t.Fatal(err)
			}
			values, err := url.ParseQuery(got.Query)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ToValidUTF8(a, "\ufffd")
			if back := slices.Concat(values["q"], values["q[0]"]); len(back) == 0 || strings.ToValidUTF8(back[0], "\ufffd") != want && len(want) == len(a) {
				t.Fatalf("%q came back as %q", a, back)
			}
		}
	})
}
