package render_test

import (
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

// faked is the operation of the fake server that a plan with one method gets.
func faked(t *testing.T, m plan.Method, types ...*plan.Type) string {
	t.Helper()
	m.ID, m.GoName, m.OpVar, m.HTTP, m.Path = "op", "Op", "opThingsOp", "GET", "/op"
	p := &plan.Plan{Package: "things", Title: "Things", Types: types, Services: []*plan.Service{{
		Name: "Things", GoName: "Things", TypeName: "ThingsService", File: "things", Methods: []*plan.Method{&m},
	}}}
	files, err := render.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(files["fake.gen.go"]), "{ID: \"op\", Method: \"GET\", Path: \"/op\", Status: 200")
	line, _, _ = strings.Cut(line, "},\n")
	return strings.TrimPrefix(line, ", ")
}

func answering(goType, example string) plan.Result {
	return plan.Result{Kind: "one", Type: goType, Answers: []*plan.Answer{
		{Status: "200", ContentType: "application/json", Kind: "json", Type: goType, Example: example},
	}}
}

func TestFakeBodies(t *testing.T) {
	t.Parallel()
	item := &plan.Type{Name: "Item", Kind: plan.Struct, Extra: "json.RawMessage", ExtraName: "ExtraFields", Fields: []*plan.Field{
		{JSON: "at", GoName: "At", Type: "time.Time", Required: true, Example: `"2026-02-03T04:05:06Z"`},
		{JSON: "id", GoName: "ID", Type: "string", Required: true, Example: `"it_1"`},
		{JSON: "note", GoName: "Note", Type: "*string", Example: `"hello"`},
		{JSON: "old", GoName: "Old", Type: "*string", Example: `"x"`, Deprecated: "Gone."},
		{JSON: "qty", GoName: "Qty", Type: "*int64"},
		{JSON: "secret", GoName: "Secret", Type: "*string", Example: `"s"`, WriteOnly: true},
	}}
	mood := &plan.Type{Name: "Mood", Kind: plan.Enum, Base: "string", Values: []*plan.EnumValue{{GoName: "MoodGood", Literal: `"good"`}}}
	shape := &plan.Type{Name: "Shape", Kind: plan.Union, Discriminator: "kind", Variants: []*plan.Variant{
		{GoName: "Item", Type: "Item", JSON: "object", Tags: []string{"item"}},
	}}
	for name, tt := range map[string]struct{ goType, example, want string }{
		"composed of the members' examples": {"Item", "", `{"at":"2026-02-03T04:05:06Z","id":"it_1","note":"hello"}`},
		"the whole example":                 {"Item", `{"at":"2026-01-01T00:00:00Z","id":"a","qty":7}`, `{"at":"2026-01-01T00:00:00Z","id":"a","qty":7}`},
		"what does not fit is made up":      {"Item", `{"at":"yesterday","id":5,"qty":"many"}`, `{"at":"2026-01-02T15:04:05Z","id":"text","qty":1}`},
		"what is missing is added":          {"Item", `{}`, `{"at":"2026-02-03T04:05:06Z","id":"it_1"}`},
		"null where there has to be a value": {
			"Item", `{"at":null,"id":"a","note":null}`, `{"at":"2026-01-02T15:04:05Z","id":"a","note":null}`,
		},
		"members that the schema does not name": {"Item", `{"id":"a","more":[1]}`, `{"at":"2026-02-03T04:05:06Z","id":"a","more":[1]}`},
		"no more than three entries":            {"[]int64", `[1,2,3,4]`, `[1,2,3]`},
		"a map":                                 {"map[string]string", `{"b":"2","a":"1","c":3}`, `{"a":"1","b":"2","c":"text"}`},
		"an unknown value of an enum":           {"Mood", `"great"`, `"great"`},
		"a value that is no enum's":             {"Mood", `3`, `"good"`},
		"a union's own case":                    {"Shape", "", `{"at":"2026-02-03T04:05:06Z","id":"it_1","kind":"item","note":"hello"}`},
		"another type of example":               {"[]Item", `"none"`, `[{"at":"2026-02-03T04:05:06Z","id":"it_1","note":"hello"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := faked(t, plan.Method{Result: answering(tt.goType, tt.example)}, item, mood, shape)
			if want := "Type: \"application/json\", Body: "; !strings.HasPrefix(got, want) || strings.Trim(got[len(want):], "`\"") != strings.Trim(tt.want, `"`) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A list of the fake ends after its first page, by what the answer says or by the request for a further one.
func TestFakeLists(t *testing.T) {
	t.Parallel()
	page := &plan.Type{Name: "Page", Kind: plan.Struct, Fields: []*plan.Field{
		{JSON: "data", GoName: "Data", Type: "[]string"},
		{JSON: "meta", GoName: "Meta", Type: "*Meta", Example: "null"},
		{JSON: "more", GoName: "More", Type: "bool", Example: "true", Required: true},
		{JSON: "next", GoName: "Next", Type: "*string", Example: `"abc"`},
		{JSON: "total", GoName: "Total", Type: "int64", Example: "120", Required: true},
	}}
	meta := &plan.Type{Name: "Meta", Kind: plan.Struct, Fields: []*plan.Field{
		{JSON: "about", GoName: "About", Type: "*string"}, {JSON: "pages", GoName: "Pages", Type: "*int64", Example: "7"},
	}}
	params := &plan.Params{TypeName: "OpParams", Fields: []*plan.Param{{Name: "from", GoName: "From", Type: "*int64", In: "query", Style: "form", Explode: true}}}
	for name, tt := range map[string]struct {
		list plan.Pagination
		want string
	}{
		"cursor":           {plan.Pagination{Kind: "cursor", Next: []string{"Next"}}, `{"data":["text"],"meta":null,"more":true,"next":null,"total":120}`},
		"flag":             {plan.Pagination{Kind: "cursor", Next: []string{"Next"}, HasMore: []string{"More"}}, `{"data":["text"],"meta":null,"more":false,"next":null,"total":120}`},
		"count":            {plan.Pagination{Kind: "offset", Total: []string{"Total"}}, `{"data":["text"],"meta":null,"more":true,"next":"abc","total":1}`},
		"count of pages":   {plan.Pagination{Kind: "page", FirstPage: 1, TotalPages: []string{"Meta", "Pages"}}, `{"data":["text"],"meta":{"pages":1},"more":true,"next":"abc","total":120}`},
		"offset":           {plan.Pagination{Kind: "offset"}, "`{\"data\":[\"text\"],\"meta\":null,\"more\":true,\"next\":\"abc\",\"total\":120}`, Further: &fakeserver.Further{Param: \"from\", First: \"0\", Body: `{\"data\":[],"},
		"page":             {plan.Pagination{Kind: "page", FirstPage: 1}, `Further: &fakeserver.Further{Param: "from", First: "1", `},
		"last item":        {plan.Pagination{Kind: "cursor", LastItem: []string{"ID"}}, `Further: &fakeserver.Further{Param: "from", First: "", `},
		"last item + flag": {plan.Pagination{Kind: "cursor", LastItem: []string{"ID"}, HasMore: []string{"More"}}, `"more":false`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := tt.list
			list.Items, list.ItemType, list.Request = []string{"Data"}, "string", "From"
			got := faked(t, plan.Method{Params: params, Pagination: &list, Result: answering("Page", "")}, page, meta)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFakeStreamsAndHeaders(t *testing.T) {
	t.Parallel()
	events := plan.Result{Kind: "sse", Type: "string", End: "[DONE]", Answers: []*plan.Answer{
		{Status: "200", ContentType: "text/event-stream", Kind: "sse", Type: "string", Example: `"hi"`},
	}}
	if got, want := faked(t, plan.Method{Result: events}), `"id: 1\ndata: \"hi\"\n\ndata: [DONE]\n\n"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	headers := make([]*plan.ResponseHeader, 0, 5)
	for name, example := range map[string]string{"ETag": `"7"`, "Link": "</next>; rel=next", "Retry-After": "1", "Idempotent-Replayed": "true", "X-None": ""} {
		headers = append(headers, &plan.ResponseHeader{Name: name, GoName: strings.ReplaceAll(name, "-", ""), Type: "string", Example: example})
	}
	if got, want := faked(t, plan.Method{Headers: headers, Result: answering("string", "")}), "Header: map[string]string{\"Etag\": \"\\\"7\\\"\"}, Type:"; !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
