package render_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

func small() *plan.Plan {
	create := &plan.Method{
		ID: "createOrder", GoName: "Create", OpVar: "opOrdersCreate", HTTP: "POST", Path: "/orders",
		Doc:    "Create places an order.",
		Bodies: []*plan.Body{{ContentType: "application/json", Kind: "json", Type: "CreateOrderRequest", ArgName: "body", Required: true}},
		Result: plan.Result{Kind: "one", Type: "Order", Pointer: true, Answers: []*plan.Answer{{Status: "201", ContentType: "application/json", Kind: "json", Type: "Order"}}},
		Errors: []*plan.ErrorResponse{{Status: "default", ContentType: "application/problem+json", Type: "Problem"}},
		Key: &plan.Key{In: "header", Name: "Idempotency-Key", Template: "order-confirm-{body.order_ref}", Parts: []plan.KeyPart{
			{Literal: "order-confirm-"}, {Expr: "body.OrderRef"},
		}},
	}
	list := &plan.Method{
		ID: "listOrders", GoName: "List", OpVar: "opOrdersList", HTTP: "GET", Path: "/orders", Idempotent: true,
		Doc: "List gives orders.",
		Params: &plan.Params{TypeName: "ListOrdersParams", Fields: []*plan.Param{
			{Name: "cursor", GoName: "Cursor", Type: "*string", In: "query", Style: "form", Explode: true, Doc: "Cursor is where to go on."},
		}},
		Result:     plan.Result{Kind: "one", Type: "OrderList", Pointer: true, Answers: []*plan.Answer{{Status: "200", ContentType: "application/json", Kind: "json", Type: "OrderList"}}},
		Pagination: &plan.Pagination{Kind: "cursor", ItemType: "Order", Items: []string{"Data"}, Request: "Cursor", Next: []string{"NextCursor"}},
	}
	return &plan.Plan{
		Package: "shop", Source: "openapi.yaml", Title: "Shop", Version: "1.0.0", EnvPrefix: "SHOP",
		Servers:  []*plan.Server{{URL: "https://api.shop.example/v1", Name: "ServerProduction"}},
		Schemes:  []*plan.Scheme{{Name: "bearerAuth", Kind: "bearer", Option: "WithBearerToken", Env: []string{"SHOP_TOKEN"}}},
		Security: [][]plan.SchemeUse{{{Scheme: "bearerAuth"}}},
		Services: []*plan.Service{{Name: "Orders", GoName: "Orders", TypeName: "OrdersService", File: "orders", Methods: []*plan.Method{create, list}}},
		Types: []*plan.Type{
			{Name: "CreateOrderRequest", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "order_ref", GoName: "OrderRef", Type: "string", Required: true}}},
			{Name: "Order", Kind: plan.Struct, File: "types", Doc: "Order is an order.", Extra: "json.RawMessage", ExtraName: "ExtraFields", Fields: []*plan.Field{
				{JSON: "id", GoName: "ID", Type: "string", Required: true, Doc: "ID of the order.", ReadOnly: true},
				{JSON: "status", GoName: "Status", Type: "OrderStatus", Required: true},
				{JSON: "payment", GoName: "Payment", Type: "*Payment", Omit: "omitempty"},
			}},
			{Name: "Card", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "type", GoName: "Type", Type: "string", Const: `"card"`}, {JSON: "number", GoName: "Number", Type: "string", Secret: true}}},
			{Name: "OrderList", Kind: plan.Struct, File: "types", Fields: []*plan.Field{{JSON: "data", GoName: "Data", Type: "[]Order"}, {JSON: "next_cursor", GoName: "NextCursor", Type: "*string", Omit: "omitempty"}}},
			{Name: "OrderStatus", Kind: plan.Enum, Base: "string", File: "types", Values: []*plan.EnumValue{{GoName: "OrderStatusOpen", Literal: `"open"`}}},
			{Name: "Payment", Kind: plan.Union, File: "types", Discriminator: "type", Variants: []*plan.Variant{
				{GoName: "Card", Type: "Card", Pointer: true, JSON: "object", Tags: []string{"card"}, TagField: "Type", TagFieldType: "string", Required: []string{"type", "number"}},
				{GoName: "Text", Type: "string", JSON: "string"},
			}},
			{Name: "Problem", Kind: plan.Struct, IsError: true, File: "types", Fields: []*plan.Field{{JSON: "code", GoName: "Code", Type: "string"}}},
		},
	}
}

func TestRenderCompiles(t *testing.T) { compile(t, small()) }

// compile prints a plan and compiles the package, with its examples, inside the module of the runtime.
func compile(t *testing.T, p *plan.Plan) {
	t.Helper()
	files, err := render.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../../sdk")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay := `{"Replace": {`
	first := true
	for name := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if !first {
			overlay += ","
		}
		first = false
		overlay += `"` + filepath.Join(root, "overlaid", name) + `": "` + filepath.Join(dir, name) + `"`
	}
	overlay += "}}"
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", filepath.Join(dir, "overlaid.test"), "-overlay", file, "./overlaid")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
