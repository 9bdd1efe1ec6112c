package wire_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestForm(t *testing.T) {
	t.Parallel()
	type line struct {
		SKU   string `json:"sku"`
		Price *int   `json:"price,omitempty"`
	}
	type charge struct {
		Amount   int                   `json:"amount"`
		Metadata map[string]string     `json:"metadata,omitempty"`
		Lines    []line                `json:"lines,omitempty"`
		Expand   []string              `json:"expand,omitempty"`
		Email    wire.Nullable[string] `json:"email,omitzero"`
		ID       string                `json:"id,omitempty"       wire:"readonly"`
		Extra    map[string]any        `json:"-"                  wire:"extra"`
	}
	deep := func(names ...string) []wire.Encoding {
		out := make([]wire.Encoding, 0, len(names))
		for _, n := range names {
			out = append(out, wire.Encoding{Property: n, Style: wire.DeepObject, Explode: true})
		}
		return out
	}
	price := 5
	for _, tt := range []struct {
		name string
		v    any
		enc  []wire.Encoding
		want string
	}{
		{
			"deepObject for maps and arrays of objects",
			charge{Amount: 5, Metadata: map[string]string{"order id": "a&b"}, Lines: []line{{SKU: "x"}, {SKU: "y"}}},
			deep("metadata", "lines"),
			"amount=5&lines[0][sku]=x&lines[1][sku]=y&metadata[order+id]=a%26b",
		},
		{
			"Stripe: items[0][price], expand[0]", &charge{Lines: []line{{SKU: "x", Price: &price}}, Expand: []string{"customer", "a b"}},
			deep("lines", "expand"), "amount=0&expand[0]=customer&expand[1]=a+b&lines[0][sku]=x&lines[0][price]=5",
		},
		{"ten items stay in order", map[string]any{"a": make([]int, 11)}, deep("a"), "a[0]=0&a[1]=0&a[2]=0&a[3]=0&a[4]=0&a[5]=0&a[6]=0&a[7]=0&a[8]=0&a[9]=0&a[10]=0"},
		{"without an encoding: arrays item by item, objects as JSON", charge{Expand: []string{"a", "b"}, Metadata: map[string]string{"k": "v"}}, nil, "amount=0&expand=a&expand=b&metadata=%7B%22k%22%3A%22v%22%7D"},
		{"array of objects: JSON item by item", charge{Lines: []line{{SKU: "x"}, {SKU: "y"}}}, nil, "amount=0&lines=%7B%22sku%22%3A%22x%22%7D&lines=%7B%22sku%22%3A%22y%22%7D"},
		{"content type JSON", charge{Expand: []string{"a"}}, []wire.Encoding{{Property: "expand", ContentType: "application/json"}, {Property: "amount", ContentType: "application/json"}}, "amount=0&expand=[%22a%22]"},
		{"content type JSON of a string", map[string]string{"a": "x"}, []wire.Encoding{{Property: "a", ContentType: "application/vnd.x+json"}}, "a=%22x%22"},
		{"form, not exploded", charge{Expand: []string{"a", "b,c"}}, []wire.Encoding{{Property: "expand", Style: wire.FormStyle}}, "amount=0&expand=a,b%2Cc"},
		{"form, exploded object", charge{Metadata: map[string]string{"k": "v", "l": "w"}}, []wire.Encoding{{Property: "metadata", Style: wire.FormStyle, Explode: true}}, "amount=0&k=v&l=w"},
		{"space and pipe", charge{Expand: []string{"a", "b"}}, []wire.Encoding{{Property: "expand", Style: wire.SpaceDelimited}}, "amount=0&expand=a+b"},
		{"pipe", charge{Expand: []string{"a", "b"}}, []wire.Encoding{{Property: "expand", Style: wire.PipeDelimited}}, "amount=0&expand=a%7Cb"},
		{"reserved", map[string]string{"u": "http://h/?a=b&c"}, []wire.Encoding{{Property: "u", Style: wire.FormStyle, Explode: true, Reserved: true}}, "u=http://h/?a=b%26c"},
		{"null is an empty value", charge{Email: wire.Null[string]()}, nil, "amount=0&email="},
		{"read-only is left out, unknown members are sent", charge{ID: "x", Extra: map[string]any{"z": 1.5, "b": true}}, nil, "amount=0&b=true&z=1.5"},
		{"reserved and other characters", map[string]string{"é&=": "+ %\r\n€~-._*"}, nil, "%C3%A9%26%3D=%2B+%25%0D%0A%E2%82%AC~-._%2A"},
		{
			// 3.1.1 section 4.8.15.3, "URL Encoded Form with JSON Values": the same values, with : and , encoded too
			"the specification's form with JSON", json.RawMessage(`{"id":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","address":{"streetAddress":"123 Example Dr.","zip":"99999+1234"}}`), nil,
			"address=%7B%22streetAddress%22%3A%22123+Example+Dr.%22%2C%22zip%22%3A%2299999%2B1234%22%7D&id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		},
		{"bytes are base64, padding encoded", map[string]any{"name": "example", "icon": []byte("\xff\xfe\x01\x02")}, nil, "icon=%2F%2F4BAg%3D%3D&name=example"},
		{"empty", map[string]string{"a": ""}, nil, "a="},
		{"empty list", map[string][]string{"a": {}}, nil, ""},
		{"raw", json.RawMessage(`{"b":[1,2],"a":"x"}`), nil, "a=x&b=1&b=2"},
		{"nothing", (*charge)(nil), nil, ""},
	} {
		got, err := wire.Form(tt.v, tt.enc)
		if err != nil || brackets(got) != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.name, brackets(got), err, tt.want)
		}
		if _, err := url.ParseQuery(got); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, v := range []any{1, []string{"a"}, make(chan int)} {
		var paramErr *wire.ParamError
		if _, err := wire.Form(v, nil); !errors.As(err, &paramErr) {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// brackets makes the encoded brackets readable.
func brackets(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case i+2 < len(s) && s[i:i+3] == "%5B":
			out = append(out, '[')
			i += 2
		case i+2 < len(s) && s[i:i+3] == "%5D":
			out = append(out, ']')
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}
