package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

// wide is a plan that uses everything a plan has.
func wide() *plan.Plan {
	p := small()
	json := func(status, goType string) *plan.Answer {
		return &plan.Answer{Status: status, ContentType: "application/json", Kind: "json", Type: goType}
	}
	one := plan.Result{Kind: "one", Type: "Order", Pointer: true, Answers: []*plan.Answer{json("200", "Order")}}
	id := &plan.Param{Name: "id", ArgName: "id", Type: "string", In: "path", Style: "simple"}
	body := &plan.Body{ContentType: "application/json", Kind: "json", Type: "Keyed", ArgName: "body"}
	optional := &plan.Body{ContentType: "application/json", Kind: "json", Type: "Keyed", ArgName: "body", ByPointer: true}
	method := func(m plan.Method) *plan.Method {
		m.OpVar, m.ID, m.Doc = "opThings"+m.GoName, "things"+m.GoName, m.GoName+" does it."
		return &m
	}
	p.Services = append(p.Services, &plan.Service{
		Name: "Things", GoName: "Things", TypeName: "ThingsService", File: "things",
		Children: []*plan.Service{{Name: "Parts", GoName: "Parts", TypeName: "ThingsPartsService", File: "things_parts", Methods: []*plan.Method{
			{ID: "partsGet", GoName: "Get", OpVar: "opPartsGet", HTTP: "GET", Path: "/parts/{id}", PathParams: []*plan.Param{id}, Result: one, Idempotent: true},
		}}},
		Methods: []*plan.Method{
			method(plan.Method{
				GoName: "KeyInBody", HTTP: "POST", Path: "/a", Bodies: []*plan.Body{body}, Result: one,
				Key: &plan.Key{In: "body", Name: "key", BodyField: "Key", BodyType: "*string", MaxLength: 36},
			}),
			method(plan.Method{
				GoName: "KeyInOptionalBody", HTTP: "POST", Path: "/b", Bodies: []*plan.Body{optional}, Result: one,
				Key: &plan.Key{
					In: "body", Name: "key", BodyField: "Key", BodyType: "*string", Template: "b-{body.inner.name}",
					Parts: []plan.KeyPart{{Literal: "b-"}, {Expr: "body.Inner.Name", Guard: "body.Inner != nil"}},
				},
			}),
			method(plan.Method{
				GoName: "KeyInQuery", HTTP: "POST", Path: "/c", Result: plan.Result{Kind: "none", Answers: []*plan.Answer{{Status: "204", Kind: "none"}}},
				Key: &plan.Key{In: "query", Name: "request_id"}, HasSecurity: true, Deprecated: "Use KeyInBody.",
			}),
			method(plan.Method{
				GoName: "Many", HTTP: "PUT", Path: "/d/{id}", PathParams: []*plan.Param{id},
				Result: plan.Result{Kind: "many", TypeName: "ManyResult", Answers: []*plan.Answer{
					{Status: "200", ContentType: "application/json", Kind: "json", Type: "Order", GoName: "OK"},
					{Status: "201", ContentType: "application/json", Kind: "json", Type: "[]Order", GoName: "Created"},
					{Status: "204", Kind: "none"},
				}},
			}),
			method(plan.Method{
				GoName: "Send", HTTP: "POST", Path: "/e", Result: plan.Result{Kind: "text", Answers: []*plan.Answer{{Status: "200", ContentType: "text/plain", Kind: "text"}}},
				Bodies: []*plan.Body{
					{ContentType: "multipart/form-data", Kind: "multipart", Type: "Keyed", ArgName: "body", Encoding: []*plan.Encoding{{Property: "key", ContentType: "text/plain"}}},
					{ContentType: "application/x-www-form-urlencoded", Kind: "form", Type: "Keyed", ArgName: "body", GoName: "WithForm"},
					{ContentType: "application/octet-stream", Kind: "binary", Type: "io.Reader", ArgName: "body", GoName: "WithBinary"},
				},
				Key: &plan.Key{In: "header", Name: "Idempotency-Key", Template: "e-{body.key}", Parts: []plan.KeyPart{{Literal: "e-"}, {Expr: "body.Key"}}},
			}),
			method(plan.Method{
				GoName: "Download", HTTP: "GET", Path: "/f", Idempotent: true,
				Result:  plan.Result{Kind: "binary", Answers: []*plan.Answer{{Status: "200", ContentType: "application/pdf", Kind: "binary"}}},
				Servers: []*plan.Server{{URL: "https://files.shop.example"}},
			}),
			method(plan.Method{
				GoName: "Watch", HTTP: "GET", Path: "/g", Idempotent: true,
				Result: plan.Result{Kind: "sse", Type: "Order", End: "[DONE]", Answers: []*plan.Answer{{Status: "200", ContentType: "text/event-stream", Kind: "sse", Type: "Order"}}},
			}),
			method(plan.Method{
				GoName: "AnswerStream", HTTP: "POST", Path: "/answers", Bodies: []*plan.Body{{ContentType: "application/json", Kind: "json", Type: "Question", ArgName: "body"}},
				Result: plan.Result{Kind: "sse", Type: "Order", Switch: "Stream", Answers: []*plan.Answer{{Status: "200", ContentType: "text/event-stream", Kind: "sse", Type: "Order"}}},
			}),
			method(plan.Method{
				GoName: "Lines", HTTP: "GET", Path: "/h", Idempotent: true,
				Result: plan.Result{Kind: "ndjson", Type: "Order", Answers: []*plan.Answer{{Status: "200", ContentType: "application/x-ndjson", Kind: "ndjson", Type: "Order"}}},
			}),
			method(plan.Method{
				GoName: "Start", HTTP: "POST", Path: "/i", Result: one, Job: &plan.Job{Header: "Operation-Location", Done: []string{"done"}},
				Headers: []*plan.ResponseHeader{{Name: "X-Rate-Limit", GoName: "XRateLimit", Type: "int64", Doc: "XRateLimit is how much is left."}},
				Retry:   plan.Retry{Attempts: 5, Statuses: []int{503}, DeadlineMS: 1500, AttemptMS: 2000, BaseMS: 100, CapMS: 1000, OverrideHeader: "X-Should-Retry"},
			}),
			method(plan.Method{
				GoName: "Styled", HTTP: "GET", Path: "/j/{ids}/{v}", Idempotent: true, Result: one,
				PathParams: []*plan.Param{
					{Name: "ids", ArgName: "ids", Type: "[]string", In: "path", Style: "label", Explode: true},
					{Name: "v", ArgName: "v", Type: "string", In: "path", Style: "simple", Const: `"v2"`},
				},
				Params: &plan.Params{TypeName: "StyledParams", Required: true, Fields: []*plan.Param{
					{Name: "filter", GoName: "Filter", Type: "map[string]string", In: "query", Style: "deepObject", Explode: true, Required: true},
					{Name: "tags", GoName: "Tags", Type: "[]string", In: "query", Style: "pipeDelimited", Reserved: true},
					{Name: "X-Trace", GoName: "XTrace", Type: "*string", In: "header", Style: "simple"},
					{Name: "q", GoName: "Q", Type: "*Keyed", In: "query", JSON: true},
				}},
			}),
		},
	})
	p.Schemes = append(
		p.Schemes,
		&plan.Scheme{Name: "basic", Kind: "basic", Option: "WithBasicAuth", Env: []string{"SHOP_USER", "SHOP_PASSWORD"}},
		&plan.Scheme{Name: "key", Kind: "apiKey", In: "query", Param: "api_key", Option: "WithAPIKey"},
		&plan.Scheme{Name: "oauth", Kind: "oauth2", ClientCredentials: true, RefreshURL: "https://id.shop.example/refresh", TokenURL: "https://id.shop.example/token", Scopes: []string{"read"}, Option: "WithClientCredentials"},
		&plan.Scheme{Name: "tls", Kind: "mutualTLS"},
		&plan.Scheme{Name: "code", Kind: "oauth2", RefreshURL: "/token", Option: "WithAccessToken"},
	)
	p.Types = append(
		p.Types,
		&plan.Type{Name: "Inner", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "name", GoName: "Name", Type: "string", Required: true}}},
		&plan.Type{Name: "Keyed", Kind: plan.Struct, File: "types", Fields: []*plan.Field{
			{JSON: "key", GoName: "Key", Type: "*string", Omit: "omitempty"}, {JSON: "inner", GoName: "Inner", Type: "*Inner", Omit: "omitempty"},
		}},
		&plan.Type{Name: "Question", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "stream", GoName: "Stream", Type: "*bool", Omit: "omitempty"}}},
		&plan.Type{Name: "OrderPaid", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "type", GoName: "Type", Type: "string", Required: true, Const: `"order.paid"`}}},
	)
	p.Webhooks = []*plan.Webhook{{Name: "orderPaid", GoName: "OrderPaid", Type: "OrderPaid", Tag: "order.paid"}}
	return p
}

func TestEverythingCompiles(t *testing.T) { compile(t, wide()) }

func TestPrinted(t *testing.T) {
	files, err := render.Render(wide())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, file, want string }{
		{"key in body", "things", `client.Input{Body: &body, Key: &body.Key}`},
		{"key in an optional body", "things", "if body != nil {\n\t\tin.Key = &body.Key\n\t}"},
		{"event behind pointers", "things", "if body != nil && body.Inner != nil {\n\t\tin.Event = client.Event{\"b-\", body.Inner.Name}\n\t}"},
		{"key in query", "things", `KeyQuery: "request_id"`},
		{"no security", "things", `Security: []client.Requirement{},`},
		{"deprecated", "things", "// Deprecated: Use KeyInBody.\nfunc (s *ThingsService) KeyInQuery("},
		{"many", "things", "s.core.Into(ctx, &opThingsMany, client.Input{Path: []any{id}}, opts, &out.OK, &out.Created, nil)"},
		{"not idempotent PUT", "things", "Idempotency: transport.NotIdempotent"},
		{"second body", "things", "func (s *ThingsService) SendWithForm(ctx context.Context, body Keyed, opts ...Option) (string, error) {"},
		{"event of the first body only", "things", "client.Do[string](ctx, s.core, &opThingsSendWithBinary, client.Input{Body: body}, opts)"},
		{"own server", "things", `{URL: "https://files.shop.example"},`},
		{"end of a stream", "things", `Streaming: &client.Streaming{End: "[DONE]"}`},
		{"switch of a stream", "things", "stream := true\n\tbody.Stream = &stream\n\treturn client.Stream[Order]("},
		{"job by URL", "things", `Job: &client.Job{Header: "Operation-Location", Done: []string{"done"}}`},
		{"task", "things", "func (s *ThingsService) StartTask(ctx context.Context, opts ...Option) (*client.Task[json.RawMessage, *Order], error) {"},
		{"retry", "things", "RetryStatuses:  []int{503},"},
		{"duration", "things", "Deadline:       1500 * time.Millisecond,"},
		{"path style", "things", `{Name: "ids", Style: wire.Label, Explode: true}`},
		{"constant in the path", "things", `Path: []any{ids, "v2"}`},
		{"deep object", "things", "`query:\"filter,style=deepObject,explode=true,required\"`"},
		{"pipes", "things", "`query:\"tags,style=pipeDelimited,reserved\"`"},
		{"header", "things", "`header:\"X-Trace\"`"},
		{"JSON parameter", "things", "`query:\"q,json\"`"},
		{"nested service", "client", "Things: &ThingsService{core: core, Parts: &ThingsPartsService{core: core}},"},
		{"client credentials", "options", `client.WithClientCredentials("oauth", "https://id.shop.example/token", id, secret, scopes...)`},
		{"refresh token", "options", `client.WithRefreshToken("oauth", "https://id.shop.example/refresh", id, secret, refreshToken, kept)`},
		{"refresh token of a second scheme", "options", `func WithAccessTokenRefresh(id, secret, refreshToken string, kept func(refreshToken string)) Option {`},
		{"basic", "options", `client.WithBasic("basic", user, password)`},
		{"upload progress", "options", "func WithUploadProgress("},
		{"typed header", "headers", "func (h Headers) XRateLimit() (int64, bool)"},
		{"webhook", "webhooks", `{Kind: "object", Tag: "type", Tags: []string{"order.paid"}, Required: []string{"type"}},`},
		{"discriminator filled in", "types", "if v.Type == \"\" {\n\t\tv.Type = \"card\"\n\t}"},
		{"the default error says it for all", "client", `Errors: []client.ErrorCase{{Status: "default", New: newProblem}},`},
		{"fake", "fake", `{ID: "listOrders", Method: "GET", Path: "/orders", Status: 200`},
		{"interface", "interfaces", "type ThingsPartsAPI interface {"},
	}
	for _, tt := range tests {
		if text := squeezed(files[tt.file+".gen.go"]); !strings.Contains(text, squeezed([]byte(tt.want))) {
			t.Errorf("%s: %s is not in\n%s", tt.name, tt.want, files[tt.file+".gen.go"])
		}
	}
	if _, printed := files["options.gen.go"]; !printed || bytes.Contains(files["options.gen.go"], []byte("mutualTLS")) {
		t.Error("options")
	}
}

// squeezed makes every run of spaces, which gofmt aligns with, one space.
func squeezed(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

func TestSameFromRunToRun(t *testing.T) {
	first, err := render.Render(wide())
	if err != nil {
		t.Fatal(err)
	}
	for range 25 {
		again, err := render.Render(wide())
		if err != nil {
			t.Fatal(err)
		}
		for name := range first {
			if !bytes.Equal(first[name], again[name]) {
				t.Fatalf("%s differs", name)
			}
		}
	}
}

func TestLargeFilesAreSplit(t *testing.T) {
	p := small()
	for i := range 1500 {
		name := "T" + strings.Repeat("x", i%7) + string(rune('A'+i%26)) + strings.Repeat("y", i/26%60)
		p.Types = append(p.Types, &plan.Type{Name: name + "Z", Kind: plan.Struct, File: "types", Doc: name + " is one of many.", Fields: []*plan.Field{
			{JSON: "a", GoName: "A", Type: "string", Doc: "First."}, {JSON: "b", GoName: "B", Type: "string", Doc: "Second."},
		}})
	}
	seen := map[string]bool{}
	var types []*plan.Type
	for _, t := range p.Types {
		if !seen[t.Name] {
			seen[t.Name] = true
			types = append(types, t)
		}
	}
	p.Types = types
	files, err := render.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	if files["types_2.gen.go"] == nil {
		t.Error("types were not split")
	}
	for name, text := range files {
		if n := bytes.Count(text, []byte("\n")); n > 5000 || len(text) > 1<<20 {
			t.Errorf("%s has %d lines and %d bytes", name, n, len(text))
		}
	}
}

// An API of which no call is easy to show still has examples that compile.
func TestExamplesOfLittle(t *testing.T) {
	p := small()
	p.Services[0].Methods = p.Services[0].Methods[:1]
	compile(t, p)
	p = small()
	p.Services[0].Methods = nil
	p.ImportPath = "github.com/retrysafe/retrysafe/sdk/overlaid"
	compile(t, p)
}
