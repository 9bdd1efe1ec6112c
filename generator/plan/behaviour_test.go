package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
)

// oneOperation plans a document with one operation, POST /orders/{order_id}, of that YAML.
func oneOperation(t *testing.T, operation string, more ...string) (*plan.Method, *plan.Plan, error) {
	t.Helper()
	p, err := tryPlan(t, "openapi: 3.1.0\npaths:\n  /orders/{order_id}:\n    post:\n      operationId: act\n      tags: [Orders]\n"+
		"      parameters: [{name: order_id, in: path, required: true, schema: {type: string}}, {name: dry, in: query, schema: {type: boolean}}, {name: q, in: query, required: true, schema: {type: string}}]\n"+
		"      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Body'}}}}\n"+
		"      responses: {'204': {description: none}}\n      "+operation+"\n"+strings.Join(more, "\n")+
		"\ncomponents:\n  schemas:\n    Body: {type: object, required: [ref, password, inner], properties: {ref: {type: string, maxLength: 40}, password: {type: string, format: password}, kind: {type: string, enum: [a, b]}, "+
		"inner: {type: object, properties: {n: {type: integer}}}, list: {type: array, items: {type: string}}, client_token: {type: string, maxLength: 64, pattern: '^[a-z]+$'}}}\n", plan.Options{})
	if err != nil {
		return nil, nil, err
	}
	return p.Services[0].Methods[0], p, nil
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ operation, want string }{
		"a member of the body": {"", "body-property body client_token ClientToken *string 0-64 ^[a-z]+$ false"},
		"ours":                 {"x-idempotency: true", "x-idempotency header Idempotency-Key   0-0  false"},
		"ours with limits":     {"x-idempotency: {header: X-Key, min-length: 2, max-length: 9, pattern: '^k', required: true, in-flight: wait}", "x-idempotency header X-Key   2-9 ^k true"},
		"ours in the body":     {"x-idempotency: {in: body, name: ref}", "x-idempotency body ref Ref string 0-40  true"},
		"ours says no":         {"x-idempotency: false", ""},
		"Fern":                 {"x-fern-idempotent: true", "x-fern-idempotent header Idempotency-Key   0-0  false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, err := oneOperation(t, c.operation)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if k := m.Key; k != nil {
				got = fmt.Sprintf("%s %s %s %s %s %d-%d %s %t", k.From, k.In, k.Name, k.BodyField, k.BodyType, k.MinLength, k.MaxLength, k.Pattern, k.Required)
			}
			if got != c.want {
				t.Errorf("\n got  %s\n want %s", got, c.want)
			}
		})
	}
}

func TestKeyHeadersLeaveTheParameters(t *testing.T) {
	t.Parallel()
	for header, isKey := range map[string]bool{
		"Idempotency-Key": true, "x-idempotency-key": true, "PayPal-Request-Id": true, "Acme-Idempotency-Key": true, "X-GCS-Idempotence-Key": true,
		"Idempotency-Replayed": false, "X-Request-Id": false, "Idempotency-Expiry": false,
	} {
		p := build(t, "openapi: 3.1.0\npaths:\n  /a:\n    post:\n      operationId: a\n      parameters: [{name: "+header+
			", in: header, required: true, schema: {type: string, maxLength: 255}}]\n      responses: {'204': {description: none}}\n")
		m := p.Services[0].Methods[0]
		if (m.Key != nil) != isKey || (m.Params == nil) != isKey {
			t.Errorf("%s: key %v, params %v", header, m.Key, m.Params)
		}
		if isKey && (m.Key.Name != header || m.Key.MaxLength != 255 || !m.Key.Required) {
			t.Errorf("%s: %+v", header, m.Key)
		}
	}
}

func TestKeyTemplates(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"order-{path.order_id}":      `[{order-  } { orderID }]`,
		"{body.ref}":                 `[{ body.Ref }]`,
		"x-{body.inner.n}-{query.q}": `[{x-  } { *body.Inner.N body.Inner.N != nil} {-  } { params.Q }]`,
		"{body.kind}":                `[{ *body.Kind body.Kind != nil}]`,
		"{query.dry}":                `[{ *params.Dry params.Dry != nil}]`,
		"{body.password}":            "error: it is a secret, and keys are logged and stored",
		"{body.none}":                "error: the body has no member none",
		"{body.list}":                "error: it is not a plain value",
		"{path.none}":                "error: the path has no parameter of that name",
		"{order_id}":                 "error: a value begins with path., query., header. or body.",
		"{body.ref":                  "error: has a { without a }",
	} {
		m, _, err := oneOperation(t, "x-idempotency: {key: '"+template+"'}")
		if rest, isError := strings.CutPrefix(want, "error: "); isError {
			if err == nil || !strings.Contains(err.Error(), rest) || !strings.Contains(err.Error(), "<stdin>:10:") {
				t.Errorf("%s: got %v, want %q with its place", template, err, rest)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got := fmt.Sprint(m.Key.Parts); got != want {
			t.Errorf("%s: got %s, want %s", template, got, want)
		}
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]plan.Retry{
		"": {},
		"x-retry: {attempts: 5, base: 100ms, cap: 2s, deadline: 1m, p99: 300ms, statuses: [503, 5XX]}": {
			Attempts: 5, BaseMS: 100, CapMS: 2000, DeadlineMS: 60000, AttemptMS: 900, Statuses: []int{503, 500, 502, 503, 504},
		},
		"x-retry: {attempt-timeout: 5s, p99: 9s}": {AttemptMS: 5000},
		"x-retry: false":                   {Disabled: true},
		"x-fern-retries: {disabled: true}": {Disabled: true},
		"x-speakeasy-retries: {strategy: backoff, backoff: {initialInterval: 500, maxInterval: 60000, maxElapsedTime: 3600000}, statusCodes: ['429']}": {
			BaseMS: 500, CapMS: 60000, DeadlineMS: 3600000, Statuses: []int{429},
		},
	} {
		m, _, err := oneOperation(t, operation)
		if err != nil {
			t.Errorf("%s: %v", operation, err)
			continue
		}
		if !reflect.DeepEqual(m.Retry, want) {
			t.Errorf("%s: got %+v, want %+v", operation, m.Retry, want)
		}
	}
	m, _, err := oneOperation(t, "x-retry: {safe: true}")
	if err != nil || !m.Idempotent || m.SafeFrom != "x-retry" {
		t.Errorf("safe: %v %+v", err, m)
	}
	for operation, want := range map[string]string{
		"x-retry: {attempts: 0}": "attempts is a whole number from 1",
		"x-retry: {base: soon}":  `"soon" is not a duration`,
		"x-retry: {atempts: 3}":  `x-retry has no member "atempts"`,
		"x-retry: often":         "x-retry is an object",
	} {
		if _, _, err := oneOperation(t, operation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", operation, err, want)
		}
	}
}

// list plans GET /things with those query parameters, that extension and that answer.
func list(t *testing.T, params, extension, answer string) *plan.Pagination {
	t.Helper()
	p := build(t, "openapi: 3.1.0\npaths:\n  /things:\n    get:\n      operationId: listThings\n      parameters: ["+params+"]\n      "+extension+
		"\n      responses: {'200': {description: ok, content: {application/json: {schema: "+answer+"}}}}\n"+
		"components: {schemas: {Thing: {type: object, required: [id], properties: {id: {type: string}}}}}\n")
	return p.Services[0].Methods[0].Pagination
}

func query(name, typ string) string {
	return "{name: '" + name + "', in: query, schema: {type: " + typ + "}}"
}

func TestPagination(t *testing.T) {
	t.Parallel()
	const things = "{type: array, items: {$ref: '#/components/schemas/Thing'}}"
	for name, c := range map[string]struct{ params, extension, answer, want string }{
		"cursor": {
			query("cursor", "string") + "," + query("limit", "integer"), "", "{type: object, properties: {data: " + things + ", next_cursor: {type: [string, 'null']}, has_more: {type: boolean}}}",
			"cursor Thing [Data] req=Cursor lim=Limit next=[NextCursor] more=[HasMore] last=[] total=[] pages=[] first=0",
		},
		"cursor in meta": {
			query("page_token", "string"), "", "{type: object, properties: {items: " + things + ", meta: {type: object, properties: {next_page_token: {type: string}}}}}",
			"cursor Thing [Items] req=PageToken lim= next=[Meta NextPageToken] more=[] last=[] total=[] pages=[] first=0",
		},
		"last item": {
			query("starting_after", "string"), "", "{type: object, properties: {data: " + things + ", has_more: {type: boolean}}}",
			"cursor Thing [Data] req=StartingAfter lim= next=[] more=[HasMore] last=[ID] total=[] pages=[] first=0",
		},
		"offset": {
			query("offset", "integer") + "," + query("limit", "integer"), "", "{type: object, properties: {results: " + things + ", total: {type: integer}}}",
			"offset Thing [Results] req=Offset lim=Limit next=[] more=[] last=[] total=[Total] pages=[] first=0",
		},
		"offset without a sign": {
			query("offset", "integer, format: uint64") + "," + query("limit", "integer, format: uint64"), "", "{type: object, properties: {results: " + things + ", total: {type: integer, format: uint64}}}",
			"offset Thing [Results] req=Offset lim=Limit next=[] more=[] last=[] total=[Total] pages=[] first=0",
		},
		"page of a bare list": {
			query("page", "integer") + "," + query("per_page", "integer"), "", things,
			"page Thing [] req=Page lim=PerPage next=[] more=[] last=[] total=[] pages=[] first=1",
		},
		"page from zero": {
			"{name: page, in: query, schema: {type: integer, minimum: 0}}", "", "{type: object, properties: {content: " + things + ", totalPages: {type: integer}}}",
			"page Thing [Content] req=Page lim= next=[] more=[] last=[] total=[] pages=[TotalPages] first=0",
		},
		"next URL": {
			query("filter", "string"), "", "{type: object, properties: {data: " + things + ", links: {type: object, properties: {next: {type: string, format: uri}}}}}",
			"next-url Thing [Data] req= lim= next=[Links Next] more=[] last=[] total=[] pages=[] first=0",
		},
		"a page alone":  {query("page", "string"), "", things, ""},
		"a limit alone": {query("limit", "integer"), "", things, ""},
		"no list":       {query("cursor", "string"), "", "{type: object, properties: {next_cursor: {type: string}}}", ""},
		"ours": {
			query("c", "string"), "x-pagination: {type: cursor, request: c, items: inner.list, next: inner.n}", "{type: object, properties: {inner: {type: object, properties: {list: " + things + ", n: {type: string}}}}}",
			"cursor Thing [Inner List] req=C lim= next=[Inner N] more=[] last=[] total=[] pages=[] first=0",
		},
		"ours by header":    {query("limit", "integer"), "x-pagination: {type: link-header}", things, "link-header Thing [] req= lim= next=[] more=[] last=[] total=[] pages=[] first=0"},
		"ours switched off": {query("page", "integer"), "x-pagination: false", things, ""},
		"Speakeasy": {
			query("p", "integer"), "x-speakeasy-pagination: {type: offsetLimit, inputs: [{name: p, in: parameters, type: page}], outputs: {results: $.data, numPages: $.n}}", "{type: object, properties: {data: " + things + ", n: {type: integer}}}",
			"page Thing [Data] req=P lim= next=[] more=[] last=[] total=[] pages=[N] first=1",
		},
		"Fern": {
			query("after", "string"), "x-fern-pagination: {cursor: $request.after, next_cursor: $response.next, results: $response.data}", "{type: object, properties: {data: " + things + ", next: {type: string}}}",
			"cursor Thing [Data] req=After lim= next=[Next] more=[] last=[] total=[] pages=[] first=0",
		},
		"Azure": {
			query("x", "string"), "x-ms-pageable: {nextLinkName: nextLink}", "{type: object, properties: {value: " + things + ", nextLink: {type: string}}}",
			"next-url Thing [Value] req= lim= next=[NextLink] more=[] last=[] total=[] pages=[] first=0",
		},
		"someone else's": {
			query("cursor", "string"), "x-pagination: {cursorParam: cursor, resultsPath: data}", "{type: object, properties: {data: " + things + ", next_cursor: {type: string}}}",
			"cursor Thing [Data] req=Cursor lim= next=[NextCursor] more=[] last=[] total=[] pages=[] first=0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if p := list(t, c.params, c.extension, c.answer); p != nil {
				got = fmt.Sprintf("%s %s %v req=%s lim=%s next=%v more=%v last=%v total=%v pages=%v first=%d", p.Kind, p.ItemType, p.Items, p.Request, p.Limit, p.Next, p.HasMore, p.LastItem, p.Total, p.TotalPages, p.FirstPage)
			}
			if got != c.want {
				t.Errorf("\n got  %s\n want %s", got, c.want)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/json: {schema: {$ref: '#/components/schemas/F'}}
          application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/F'}}
          multipart/form-data: {schema: {$ref: '#/components/schemas/F'}, encoding: {meta: {contentType: application/json}}}
          application/merge-patch+json: {schema: {$ref: '#/components/schemas/F'}}
          application/octet-stream: {schema: {type: string, format: binary}}
          text/csv: {schema: {type: string}}
      responses: {'204': {description: none}}
components:
  schemas:
    F: {type: object, properties: {file: {type: string, format: binary}, meta: {type: object, properties: {a: {type: string}}}}}
`)
	var got []string
	for _, b := range p.Services[0].Methods[0].Bodies {
		got = append(got, fmt.Sprintf("%s %s %s %s %t", b.ContentType, b.Kind, b.Type, b.GoName, b.ByPointer))
	}
	want := []string{
		"application/json json F  true",
		"application/merge-patch+json json F WithMergePatchJSON true",
		"multipart/form-data multipart FMultipart WithMultipart true",
		"text/csv text string WithCSV false",
		"application/octet-stream binary io.Reader WithBytes false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n got\n%s\n want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(p.Summary.DroppedStrings) != 1 {
		t.Errorf("left out: %v", p.Summary.DroppedStrings)
	}
	if got := describe(typeOf(t, p, "FMultipart")); got != "struct: File *wire.File omitempty; Meta *FMeta omitempty" {
		t.Errorf("parts: %s", got)
	}
	if got := describe(typeOf(t, p, "F")); got != "struct: File *string omitempty; Meta *FMeta omitempty" {
		t.Errorf("JSON: %s", got)
	}
}

// TestBodyThatAllowsNothingIsNoArgument has an optional body without members, which is left out, and a required one, which is sent.
func TestBodyThatAllowsNothingIsNoArgument(t *testing.T) {
	t.Parallel()
	const closed = "{content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {}, additionalProperties: false}}}}"
	p := build(t, `openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a:
    get: {operationId: a, requestBody: `+closed+`, responses: {'204': {description: none}}}
    post: {operationId: b, requestBody: `+strings.Replace(closed, "{", "{required: true, ", 1)+`, responses: {'204': {description: none}}}
`)
	for i, want := range []int{0, 1} {
		if got := len(p.Services[0].Methods[i].Bodies); got != want {
			t.Errorf("%s has %d bodies, want %d", p.Services[0].Methods[i].ID, got, want)
		}
	}
	if len(p.Summary.DroppedStrings) != 1 {
		t.Errorf("left out: %v", p.Summary.DroppedStrings)
	}
}

func TestSecurity(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
info: {title: The Shop API}
security: [{two: [], one: []}, {bearer: []}]
paths:
  /a: {get: {operationId: a, security: [], responses: {'204': {description: none}}}}
  /b: {get: {operationId: b, security: [{basic: []}, {gone: []}], responses: {'204': {description: none}}}}
components:
  securitySchemes:
    one: {type: apiKey, in: header, name: X-One}
    two: {type: apiKey, in: query, name: two}
    bearer: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://x/token', scopes: {r: read}}}}
`)
	got := make([]string, 0, len(p.Schemes))
	for _, s := range p.Schemes {
		got = append(got, s.Name+" "+s.Kind+" "+s.Option+" "+strings.Join(s.Env, ","))
	}
	want := "basic basic WithBasicAuth SHOP_USERNAME,SHOP_PASSWORD|bearer bearer WithBearerToken SHOP_TOKEN|one apiKey WithAPIKey SHOP_API_KEY|two apiKey WithTwo SHOP_TWO_API_KEY"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("\n got  %s\n want %s", s, want)
	}
	if s := fmt.Sprint(p.Security); s != "[[{one []} {two []}] [{bearer []}]]" {
		t.Errorf("security: %s", s)
	}
	m := methods(p)
	if a := m["A.A"]; a == nil || !a.HasSecurity || a.Security == nil || len(a.Security) != 0 {
		t.Errorf("a: %+v", a)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Code != "security" {
		t.Errorf("warnings: %v", p.Warnings)
	}
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flows, want string }{
		{"{clientCredentials: {tokenUrl: 'https://x/token', scopes: {r: read}}}", "WithClientCredentials https://x/token true "},
		{"{clientCredentials: {tokenUrl: /oauth2/token, scopes: {}}}", "WithClientCredentials /oauth2/token true "},
		{"{clientCredentials: {tokenUrl: '', scopes: {}}}", "WithClientCredentials  true "},
		{"{authorizationCode: {tokenUrl: /token, authorizationUrl: /authorize, scopes: {}}}", "WithAccessToken  false /token"},
		{"{authorizationCode: {tokenUrl: /token, refreshUrl: /refresh, authorizationUrl: /authorize, scopes: {}}}", "WithAccessToken  false /refresh"},
		{"{implicit: {authorizationUrl: /authorize, scopes: {}}}", "WithAccessToken  false "},
	} {
		p := build(t, `openapi: 3.1.0
security: [{oauth: []}]
paths:
  /a: {get: {operationId: a, responses: {'204': {description: none}}}}
components: {securitySchemes: {oauth: {type: oauth2, flows: `+tt.flows+`}}}
`)
		s := p.Schemes[0]
		if got := fmt.Sprint(s.Option, " ", s.TokenURL, " ", s.ClientCredentials, " ", s.RefreshURL); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.flows, got, tt.want)
		}
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
paths:
  /exports:
    post: {operationId: createExport, tags: [Exports], responses: {'202': {description: ok, headers: {Location: {schema: {type: string}}}, content: {application/json: {schema: {$ref: '#/components/schemas/Export'}}}}}}
  /exports/{id}:
    get: {operationId: getExport, tags: [Exports], parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Export'}}}}}}
components:
  schemas:
    Export: {type: object, properties: {status: {type: string, enum: [queued, running, done, failed, Timed out]}}}
`)
	j := methods(p)["Exports.Create"].Job
	if j == nil || j.Header != "Location" || j.StatusOp != "getExport" || fmt.Sprint(j.StatusPath, j.Done, j.Failed) != "[Status] [done] [failed Timed out]" {
		t.Errorf("job: %+v", j)
	}
}

func TestServersAndWebhooks(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
servers:
  - {url: 'https://{region}.x.example/v1', description: 'Production, by region.', variables: {region: {default: eu, enum: [eu, us]}}}
  - {url: 'https://sandbox.x.example/{v}', description: Sandbox with play money}
paths: {}
webhooks:
  orderConfirmed: {post: {description: Sent after., requestBody: {content: {application/json: {schema: {type: object, required: [type], properties: {type: {const: order.confirmed}}}}}}}}
`)
	got := make([]string, 0, len(p.Servers))
	for _, s := range p.Servers {
		got = append(got, fmt.Sprintf("%s %s %d", s.Name, s.URL, len(s.Variables)))
	}
	if s := strings.Join(got, "|"); s != "ServerProduction https://{region}.x.example/v1 1|ServerSandbox https://sandbox.x.example/{v} 1" {
		t.Errorf("servers: %s", s)
	}
	if len(p.Webhooks) != 1 || p.Webhooks[0].GoName != "OrderConfirmed" || p.Webhooks[0].Tag != "order.confirmed" || p.Webhooks[0].Type != "OrderConfirmedEvent" {
		t.Errorf("webhooks: %+v", p.Webhooks[0])
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	p := build(t, `openapi: 3.1.0
paths:
  /orders/{id}:
    post:
      operationId: pay
      tags: [Orders]
      parameters: [{name: id, in: path, required: true, example: ord_1, schema: {type: string}}, {name: n, in: query, required: true, schema: {type: integer, examples: [7]}}, {name: o, in: query, example: x, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pay'}, example: {ref: a, kind: card, method: {type: card, last4: '1'}, lines: [{sku: x}], labels: {b: '2', a: '1'}, note: no}}}}
      responses: {'204': {description: none}}
  /none/{id}:
    get: {operationId: none, parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'204': {description: none}}}
components:
  schemas:
    Pay: {type: object, required: [ref, kind, method], properties: {ref: {type: string}, kind: {type: string, enum: [card, bank]}, method: {$ref: '#/components/schemas/Method'}, lines: {type: array, items: {$ref: '#/components/schemas/Line'}}, labels: {type: object, additionalProperties: {type: string}}, note: {type: string}}}
    Method: {oneOf: [{$ref: '#/components/schemas/Card'}, {$ref: '#/components/schemas/Line'}], discriminator: {propertyName: type, mapping: {card: '#/components/schemas/Card', line: '#/components/schemas/Line'}}}
    Card: {type: object, required: [type, last4], properties: {type: {const: card}, last4: {type: string}}}
    Line: {type: object, required: [sku], properties: {sku: {type: string}, type: {type: string}}}
`)
	got := methods(p)
	want := `"ord_1", Pay{Kind: PayKindCard, Labels: map[string]string{"a": "1", "b": "2"}, Lines: []Line{{SKU: "x"}}, Method: NewMethodCard(Card{Last4: "1"}), Ref: "a"}, PayParams{N: 7}`
	if e := got["Orders.Pay"].Example; e == nil || e.Args != want {
		t.Errorf("\n got  %+v\n want %s", e, want)
	}
	if e := got["None.None"].Example; e != nil {
		t.Errorf("an example from nowhere: %+v", e)
	}
}
