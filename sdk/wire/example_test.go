package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Order is a type as the generator writes it.
type Order struct {
	ID     string                     `json:"id"`
	Status string                     `json:"status"`
	Note   wire.Nullable[string]      `json:"note,omitzero"`
	Token  string                     `json:"token,omitempty" wire:"secret"`
	Extra  map[string]json.RawMessage `json:"-"               wire:"extra"`
}

func (v *Order) UnmarshalJSON(b []byte) error { return wire.UnmarshalObject(b, v) }
func (v Order) MarshalJSON() ([]byte, error)  { return wire.MarshalObject(v) }
func (v Order) String() string                { return wire.Format(v) }

// Members that the type does not know survive, with every digit of their numbers.
func Example() {
	var o Order
	err := wire.Unmarshal([]byte(`{"weight":1.50,"id":"ord_1","status":"brand_new","note":null,"token":"t0p"}`), &o)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := wire.Marshal(o)
	fmt.Println(string(text), err)
	fmt.Println(o)
	// Output:
	// {"id":"ord_1","status":"brand_new","note":null,"token":"t0p","weight":1.50} <nil>
	// {ID:ord_1 Status:brand_new Note:null Token:*** Extra:[weight]}
}

func ExampleUnmarshal_error() {
	var orders []Order
	err := wire.Unmarshal([]byte(`[{"id":"a"},{"id":42}]`), &orders)
	var decodeErr *wire.DecodeError
	fmt.Println(errors.As(err, &decodeErr), decodeErr.Path)
	fmt.Println(err)
	// Output:
	// true [1].id
	// wire: decode JSON at [1].id: want string, got number (offset 18)
}

func ExampleMarshalRequest() {
	type item struct {
		ID   string `json:"id"   wire:"readonly"`
		Kind string `json:"kind" wire:"const=\"gift\""`
		Name string `json:"name"`
	}
	text, err := wire.MarshalRequest([]item{{ID: "it_1", Name: "Kettle"}})
	fmt.Println(string(text), err)
	// Output: [{"kind":"gift","name":"Kettle"}] <nil>
}

func ExamplePathValue() {
	key, err := wire.PathValue("key", wire.Simple, false, "a/b")
	fmt.Println("/keys/"+key, err)
	_, err = wire.PathValue("key", wire.Simple, false, "..")
	fmt.Println(err)
	// Output:
	// /keys/a%2Fb <nil>
	// wire: path parameter "key": is a relative path segment
}

func ExampleAddParams() {
	type listOrders struct {
		Limit  *int              `query:"limit"`
		Status []string          `query:"status,explode=false"`
		Filter map[string]string `query:"filter,style=deepObject"`
		Match  string            `header:"If-None-Match"`
	}
	var p wire.Params
	err := wire.AddParams(&p, listOrders{Status: []string{"open", "paid"}, Filter: map[string]string{"city": "Köln"}, Match: `"v1"`})
	fmt.Println(p.Query, p.Header, err)
	// Output: status=open,paid&filter%5Bcity%5D=K%C3%B6ln map[If-None-Match:["v1"]] <nil>
}

func ExampleForm() {
	type charge struct {
		Amount   int               `json:"amount"`
		Metadata map[string]string `json:"metadata"`
	}
	text, err := wire.Form(charge{5, map[string]string{"order id": "a&b"}}, []wire.Encoding{
		{Property: "metadata", Style: wire.DeepObject, Explode: true},
	})
	fmt.Println(text, err)
	// Output: amount=5&metadata%5Border+id%5D=a%26b <nil>
}

func ExampleMultipart() {
	type upload struct {
		Purpose string     `json:"purpose"`
		File    *wire.File `json:"file"`
	}
	body, err := wire.Multipart(upload{"avatar", wire.FromBytes("me.png", []byte("PNG"))}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := body.Open() // once for every attempt
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(r)
	fmt.Println(len(text) == int(body.Len), body.Replayable, errors.Join(err, r.Close()))
	// Output: true true <nil>
}

func ExampleMatch() {
	cases := []wire.Case{
		{Kind: "object", Tag: "type", Tags: []string{"card"}},
		{Kind: "object", Tag: "type", Tags: []string{"bank"}},
		{Kind: "string"},
	}
	for _, text := range []string{`{"type":"bank"}`, `"tok_1"`, `{"type":"carrier_pigeon"}`} {
		i, ok := wire.Match([]byte(text), cases)
		fmt.Println(i, ok)
	}
	// Output:
	// 1 true
	// 2 true
	// -1 false
}

func ExampleEvents() {
	stream := strings.NewReader("event: order.paid\nid: 7\ndata: {\"id\":\ndata: \"ord_1\"}\n\n: keep-alive\n\n")
	for e, err := range wire.Events(stream) {
		if err != nil {
			fmt.Println(err)
			return
		}
		var o Order
		fmt.Println(e.Type, e.ID, wire.Unmarshal(e.Data, &o), o.ID)
	}
	// Output: order.paid 7 <nil> ord_1
}

func ExampleLines() {
	for line, err := range wire.Lines(strings.NewReader("{\"id\":\"a\"}\n\n{\"id\":\"b\"}")) {
		fmt.Println(string(line), err)
	}
	// Output:
	// {"id":"a"} <nil>
	// {"id":"b"} <nil>
}

func ExampleResume() {
	first := &http.Response{
		StatusCode: http.StatusOK, ContentLength: 10,
		Header: http.Header{"Etag": {`"v1"`}},
		Body:   io.NopCloser(strings.NewReader("0123")), // cut short
	}
	r := wire.Resume(first, func(h http.Header) (*http.Response, error) {
		fmt.Println(h.Get("Range"), h.Get("If-Range"))
		return &http.Response{
			StatusCode: http.StatusPartialContent,
			Header:     http.Header{"Content-Range": {"bytes 4-9/10"}},
			Body:       io.NopCloser(strings.NewReader("456789")),
		}, nil
	})
	text, err := io.ReadAll(r)
	fmt.Println(string(text), errors.Join(err, r.Close()))
	// Output:
	// bytes=4- "v1"
	// 0123456789 <nil>
}

func ExampleDecodeHeader() {
	h := http.Header{"X-Quota": {"limit=100,left=42"}, "Sunset": {"2026-12-31"}}
	var quota struct {
		Limit int `json:"limit"`
		Left  int `json:"left"`
	}
	var sunset wire.Date
	found, err := wire.DecodeHeader(h, "X-Quota", true, &quota)
	fmt.Println(found, err, quota.Left)
	found, err = wire.DecodeHeader(h, "Sunset", false, &sunset)
	fmt.Println(found, err, sunset.Month)
	// Output:
	// true <nil> 42
	// true <nil> December
}

func ExampleNullable() {
	type patch struct {
		Nickname wire.Nullable[string] `json:"nickname,omitzero"`
	}
	for _, p := range []patch{{}, {Nickname: wire.Null[string]()}, {Nickname: wire.Value("Ann")}} {
		text, err := wire.Marshal(p)
		fmt.Println(string(text), err)
	}
	// Output:
	// {} <nil>
	// {"nickname":null} <nil>
	// {"nickname":"Ann"} <nil>
}

func ExampleDate() {
	d, err := wire.ParseDate("2024-02-29")
	fmt.Println(d, d.Time(time.UTC).Weekday(), err)
	// Output: 2024-02-29 Thursday <nil>
}

func ExampleBestType() {
	declared := []string{"application/json", "application/problem+json", "text/*"}
	fmt.Println(wire.BestType(declared, "application/problem+json; charset=utf-8"))
	fmt.Println(wire.BestType(declared, "image/png"))
	// Output:
	// 1
	// -1
}
