package plan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/spec"
)

func tryPlan(t *testing.T, text string, opts plan.Options) (*plan.Plan, error) {
	t.Helper()
	loaded, err := spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := normalise.Run(loaded)
	if err != nil {
		t.Fatal(err)
	}
	opts.Package = "shop"
	return plan.Build(doc, opts)
}

func build(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := tryPlan(t, text, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ofSchemas plans component schemas alone, one on each line.
func ofSchemas(t *testing.T, lines ...string) *plan.Plan {
	t.Helper()
	return build(t, "openapi: 3.1.0\npaths: {}\ncomponents:\n  schemas:\n    "+strings.Join(lines, "\n    ")+"\n")
}

func typeOf(t *testing.T, p *plan.Plan, name string) *plan.Type {
	t.Helper()
	for _, typ := range p.Types {
		if typ.Name == name {
			return typ
		}
	}
	names := make([]string, len(p.Types))
	for i, typ := range p.Types {
		names[i] = typ.Name
	}
	t.Fatalf("there is no type %s among %v", name, names)
	return nil
}

// describe writes a type on one line.
func describe(typ *plan.Type) string {
	parts := make([]string, 0, len(typ.Fields)+len(typ.Values)+len(typ.Variants))
	for _, f := range typ.Fields {
		text := f.GoName + " " + f.Type
		if f.Omit != "" {
			text += " " + f.Omit
		}
		if f.Const != "" {
			text += " =" + f.Const
		}
		parts = append(parts, text)
	}
	for _, v := range typ.Values {
		parts = append(parts, v.GoName+"="+v.Literal)
	}
	for _, v := range typ.Variants {
		parts = append(parts, fmt.Sprintf("%s %s %s %v", v.GoName, v.Type, v.JSON, v.Tags))
	}
	head := string(typ.Kind)
	if typ.Base != "" {
		head += " " + typ.Base
	}
	if typ.Extra != "" && typ.Extra != "json.RawMessage" {
		head += " +" + typ.Extra
	}
	return head + ": " + strings.Join(parts, "; ")
}

func TestFieldTypes(t *testing.T) {
	t.Parallel()
	p := ofSchemas(t, `S: {type: object, required: [a, b, c, d, e], properties: {
      a: {type: string}, b: {type: [string, 'null']}, c: {type: array, items: {type: integer, format: int32}}, d: {$ref: '#/components/schemas/O'}, e: {},
      f: {type: string}, g: {type: [string, 'null']}, h: {type: array, items: {type: [string, 'null']}}, i: {$ref: '#/components/schemas/O'}, j: {},
      k: {type: object, additionalProperties: {type: number}}, l: {type: object}, m: {type: string, format: date-time}, n: {type: string, format: date},
      o: {type: string, format: byte}, p: {type: number, format: float}, q: {type: number, format: decimal}, r: {type: boolean}, s: {type: string, format: uuid},
      t: {anyOf: [{$ref: '#/components/schemas/O'}, {type: 'null'}]}, u: {type: array, items: {type: array, items: {$ref: '#/components/schemas/O'}}},
      v: {type: integer, format: uint64}, w: {type: integer, minimum: 0, maximum: 1.8446744073709552e+19}, x: {type: integer, maximum: 9223372036854775807}}}`,
		"O: {type: object, properties: {x: {type: string}}, additionalProperties: false}")
	want := map[string]string{
		"A": "string ", "B": "*string ", "C": "[]int32 ", "D": "O ", "E": "json.RawMessage ", "F": "*string omitempty", "G": "wire.Nullable[string] omitzero",
		"H": "[]*string omitzero", "I": "*O omitempty", "J": "json.RawMessage omitempty", "K": "map[string]float64 omitzero", "L": "map[string]json.RawMessage omitzero",
		"M": "*time.Time omitempty", "N": "*wire.Date omitempty", "O": "[]byte omitzero", "P": "*float64 omitempty", "V": "*uint64 omitempty", "W": "*uint64 omitempty", "X": "*int64 omitempty", "Q": "*json.Number omitempty",
		"R": "*bool omitempty", "S": "*string omitempty", "T": "wire.Nullable[O] omitzero", "U": "[][]O omitzero",
	}
	for _, f := range typeOf(t, p, "S").Fields {
		if got := f.Type + " " + f.Omit; got != want[f.GoName] {
			t.Errorf("%s is %q, want %q", f.GoName, got, want[f.GoName])
		}
	}
	if o := typeOf(t, p, "O"); o.Extra != "" {
		t.Errorf("a closed object keeps other members in %s", o.Extra)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schemas []string
		typ     string
		want    string
	}{
		"enum whose values are no names": {
			[]string{`Sort: {type: string, enum: ["", "7z", name, -name, +name, NAME, a b, a_b, type, ">", "*"]}`},
			"Sort",
			`enum string: SortEmpty=""; Sort7z="7z"; SortName="name"; SortMinusName="-name"; SortPlusName="+name"; SortNAME="NAME"; SortAB="a b"; SortAB2="a_b"; SortType="type"; SortGreater=">"; SortStar="*"`,
		},
		"enum of numbers":    {[]string{"Step: {type: integer, enum: [-1, 0, 1]}"}, "Step", "enum int64: StepMinus1=-1; Step0=0; Step1=1"},
		"enum of fractions":  {[]string{"F: {type: number, enum: [0.5, 1e3]}"}, "F", "enum float64: F0Point5=0.5; F1e3=1000"},
		"names by extension": {[]string{"E: {type: integer, enum: [1, 2], x-enum-varnames: [one_thing, OTHER]}"}, "E", "enum int64: EOneThing=1; EOther=2"},
		"alias of a scalar":  {[]string{"Amount: {type: integer}"}, "Amount", "alias int64: "},
		"list":               {[]string{"L: {type: array, items: {$ref: '#/components/schemas/L'}}"}, "L", "define []L: "},
		"map":                {[]string{"M: {type: object, additionalProperties: {type: [string, 'null']}}"}, "M", "define map[string]*string: "},
		"another name":       {[]string{"A: {$ref: '#/components/schemas/B'}", "B: {type: object, properties: {x: {type: string}}}"}, "A", "alias B: "},
		"any value":          {[]string{"V: {}"}, "V", "alias json.RawMessage: "},
		"recursion":          {[]string{"Link: {type: object, required: [next], properties: {next: {$ref: '#/components/schemas/Link'}}}"}, "Link", "struct: Next *Link"},
		"recursion over two": {
			[]string{"P: {type: object, required: [q], properties: {q: {$ref: '#/components/schemas/Q'}}}", "Q: {type: object, properties: {p: {anyOf: [{$ref: '#/components/schemas/P'}, {type: 'null'}]}}}"},
			"Q",
			"struct: P wire.Nullable[*P] omitzero",
		},
		"member called as the rest": {
			[]string{"Form: {type: object, properties: {additionalProperties: {type: boolean}, id: {type: string}}, additionalProperties: {type: integer}}"},
			"Form",
			"struct +int64: AdditionalProperties *bool omitempty; ID *string omitempty",
		},
		"const": {[]string{"C: {type: object, required: [k, n, b], properties: {k: {const: card}, n: {const: 2}, b: {const: true}, o: {const: x, default: x}, p: {const: y}, e: {type: string, enum: [only]}}}"}, "C", `struct: B bool =true; E *string omitempty; K string ="card"; N int64 =2; O string omitempty ="x"; P *string omitempty`},
		"initials": {
			[]string{"user_api_key: {type: object, properties: {html_url: {type: string}, userIds: {type: string}, iPhone: {type: string}, '2fa': {type: string}, '@type': {type: string}, error: {type: string}, string: {type: string}}}"},
			"UserAPIKey",
			"struct: N2fa *string omitempty; Type *string omitempty; Error *string omitempty; HTMLURL *string omitempty; IPhone *string omitempty; StringValue *string omitempty; UserIDs *string omitempty",
		},
		"choice by tag": {
			[]string{
				"M: {oneOf: [{$ref: '#/components/schemas/Card'}, {$ref: '#/components/schemas/Bank'}], discriminator: {propertyName: type, mapping: {card: '#/components/schemas/Card', bank: Bank, iban: Bank}}}",
				"Card: {type: object, required: [type], properties: {type: {type: string}}}", "Bank: {type: object, required: [type], properties: {type: {type: string}}}",
			},
			"M",
			"union: Card Card object [card]; Bank Bank object [bank iban]",
		},
		"choice by shape": {
			[]string{"U: {anyOf: [{type: string}, {type: integer}, {type: array, items: {type: string}}, {type: object, title: A thing, properties: {x: {type: string}}}]}"},
			"U",
			"union: String string string []; Integer int64 integer []; List []string array []; AThing UAThing object []",
		},
		"hoisted": {
			[]string{"Order: {type: object, properties: {status: {type: string, enum: [open, done]}, lines: {type: array, items: {type: object, properties: {sku: {type: string}}}}, ship_to: {type: object, properties: {city: {type: string}}}}}"},
			"Order",
			"struct: Lines []OrderLine omitzero; ShipTo *OrderShipTo omitempty; Status *OrderStatus omitempty",
		},
		"hoisted beside a declared name": {
			[]string{"Order: {type: object, properties: {status: {type: string, enum: [open, done]}}}", "OrderStatus: {type: object, properties: {code: {type: integer}}}"},
			"Order",
			"struct: Status *OrderStatusEnum omitempty",
		},
		"into the middle":  {[]string{"Team: {type: object, properties: {lead: {$ref: '#/components/schemas/Team/$defs/Person'}}, $defs: {Person: {type: object, properties: {email: {type: string}}}}}"}, "Person", "struct: Email *string omitempty"},
		"names of helpers": {[]string{"Client: {type: object, properties: {a: {type: string}}}", "Error: {type: object, properties: {c: {$ref: '#/components/schemas/Client'}}}", "Option: {type: string, enum: [a, b]}", "WithFoo: {type: object, properties: {a: {type: string}}}"}, "ErrorModel", "struct: C *ClientModel omitempty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := describe(typeOf(t, ofSchemas(t, c.schemas...), c.typ)); got != c.want {
				t.Errorf("\n got  %s\n want %s", got, c.want)
			}
		})
	}
}

func TestNamesDoNotMoveWhenSomethingIsAdded(t *testing.T) {
	t.Parallel()
	base := []string{
		"Color: {type: string, enum: [red, green]}",
		"Order: {type: object, properties: {status: {type: string, enum: [a, b]}, lines: {type: array, items: {type: object, properties: {x: {type: string}}}}}}",
		"order_x: {type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}",
	}
	added := append([]string{
		"AAA: {type: object, properties: {status: {type: string, enum: [a, b]}}}",
		"Light: {type: string, enum: [red, amber]}",
		"Zed: {type: object, properties: {lines: {type: array, items: {type: object, properties: {x: {type: string}}}}}}",
	}, base...)
	names := func(p *plan.Plan) map[string]string {
		out := map[string]string{}
		for _, n := range p.Names {
			out[n.Kind+" "+n.Pointer] = n.Go
		}
		return out
	}
	before, after := names(ofSchemas(t, base...)), names(ofSchemas(t, added...))
	for key, name := range before {
		if after[key] != name {
			t.Errorf("%s was %s and is %s", key, name, after[key])
		}
	}
}

const operationsDoc = `openapi: 3.1.0
info: {title: Shop API}
paths:
  /orders:
    get: {operationId: listOrders, tags: [Orders], parameters: [{name: page_size, in: query, schema: {type: integer}}, {name: type, in: path, schema: {type: string}}, {name: 'ids[]', in: query, required: true, schema: {type: array, items: {type: string}}}], responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}}
    post: {operationId: createOrder, tags: [Orders], requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}, responses: {'201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}, '404': {description: none, content: {application/json: {schema: {type: object, properties: {error: {type: string}}}}}}}}
  /orders/{func}/{ctx}/{id}:
    get: {operationId: getOrder, tags: [Orders], responses: {'204': {description: none}}}
  /orders/all:
    get: {operationId: getOrders, tags: [Orders], responses: {'200': {description: ok, content: {text/plain: {schema: {type: string}}}}}}
    put: {operationId: Orders_replace-all, tags: [Orders], responses: {'200': {description: ok, content: {application/pdf: {schema: {type: string, format: binary}}}}}}
  /users/{id}: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}, application/vnd.x+json: {schema: {type: object, properties: {b: {type: string}}}}}}}}}
  /chat: {post: {operationId: chat.completions.create, tags: [chat.completions], responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}, text/event-stream: {schema: {$ref: '#/components/schemas/Order'}}}}}}}
components:
  schemas:
    Order: {type: object, properties: {id: {type: string}}}
`

func methods(p *plan.Plan) map[string]*plan.Method {
	out := map[string]*plan.Method{}
	var walk func([]*plan.Service, string)
	walk = func(list []*plan.Service, prefix string) {
		for _, s := range list {
			for _, m := range s.Methods {
				out[prefix+s.GoName+"."+m.GoName] = m
			}
			walk(s.Children, prefix+s.GoName+".")
		}
	}
	walk(p.Services, "")
	return out
}

func TestMethods(t *testing.T) {
	t.Parallel()
	got := methods(build(t, operationsDoc))
	for name, want := range map[string]string{
		"Orders.List":                   "one []Order false",
		"Orders.Create":                 "one Order true",
		"Orders.Get":                    "none  false",
		"Orders.GetOrders":              "text string false",
		"Orders.ReplaceAll":             "binary []byte false",
		"Users.GetByID":                 "many GetUsersByIDResult false",
		"Chat.Completions.Create":       "one Order true",
		"Chat.Completions.CreateStream": "sse Order false",
	} {
		m := got[name]
		if m == nil {
			t.Errorf("there is no method %s", name)
			continue
		}
		if r := fmt.Sprintf("%s %s %t", m.Result.Kind, m.Result.Type, m.Result.Pointer); r != want {
			t.Errorf("%s gives %s, want %s", name, r, want)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("unexpected method %s", name)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	got := methods(build(t, operationsDoc))
	args := make([]string, 0, 3)
	for _, p := range got["Orders.Get"].PathParams {
		args = append(args, p.ArgName+" "+p.Type)
	}
	if s := strings.Join(args, ", "); s != "funcParam string, ctxParam string, id string" {
		t.Errorf("arguments: %s", s)
	}
	params := got["Orders.List"].Params
	if params == nil || params.TypeName != "ListOrdersParams" || !params.Required || len(params.Fields) != 2 {
		t.Fatalf("params: %+v", params)
	}
	if f := params.Fields[0]; f.GoName != "PageSize" || f.Type != "*int64" || !f.Explode || f.Style != "form" {
		t.Errorf("first parameter: %+v", f)
	}
	if f := params.Fields[1]; f.GoName != "IDs" || f.Type != "[]string" {
		t.Errorf("second parameter: %+v", f)
	}
	if e := got["Orders.Create"].Errors; len(e) != 1 || e[0].Type != "CreateOrderNotFoundError" || e[0].Status != "404" {
		t.Errorf("errors: %+v", e)
	}
}

func TestErrorTypeHasNoFieldError(t *testing.T) {
	t.Parallel()
	typ := typeOf(t, build(t, operationsDoc), "CreateOrderNotFoundError")
	if !typ.IsError || typ.Fields[0].GoName != "Err" {
		t.Errorf("%+v", typ.Fields[0])
	}
}

func TestSubset(t *testing.T) {
	t.Parallel()
	p, err := tryPlan(t, operationsDoc, plan.Options{Operations: []string{"getOrder"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(methods(p)) != 1 || len(p.Types) != 0 {
		t.Errorf("%d methods and %d types", len(methods(p)), len(p.Types))
	}
	p, err = tryPlan(t, operationsDoc, plan.Options{Tags: []string{"chat.completions"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Types) != 1 || p.Types[0].Name != "Order" {
		t.Errorf("types: %v", p.Types)
	}
	var unknown *plan.UnknownSelectionError
	if _, err := tryPlan(t, operationsDoc, plan.Options{Tags: []string{"Order"}}); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "Orders") {
		t.Errorf("got %v, want an error that names the tags there are", err)
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	p, err := tryPlan(t, operationsDoc, plan.Options{Names: map[string]string{
		"/components/schemas/Order": "Purchase", "/components/schemas/Order/properties/id": "Number", "/paths/~1orders/get": "Find", "/tags/Orders": "Purchases",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(typeOf(t, p, "Purchase")); got != "struct: Number *string omitempty" {
		t.Errorf("type: %s", got)
	}
	if methods(p)["Purchases.Find"] == nil {
		t.Errorf("methods: %v", methods(p))
	}
	var unknown *plan.UnknownNameError
	if _, err := tryPlan(t, operationsDoc, plan.Options{Names: map[string]string{"/components/schemas/Ordre": "X"}}); !errors.As(err, &unknown) {
		t.Errorf("a name for nothing gives %v", err)
	}
}

func TestTagsOfOneServiceShareItsNames(t *testing.T) {
	t.Parallel()
	got := methods(build(t, "openapi: 3.1.0\npaths:\n  /a: {get: {operationId: getOrder, tags: [Orders], responses: {'204': {description: none}}}}\n"+
		"  /b: {get: {operationId: get_orders, tags: [orders], responses: {'204': {description: none}}}}\n"))
	if len(got) != 2 || got["Orders.Get"] == nil {
		t.Errorf("methods: %v", got)
	}
}
