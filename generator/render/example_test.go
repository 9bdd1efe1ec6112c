package render_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
)

func ExampleRender() {
	files, err := render.Render(&plan.Plan{Package: "shop", Title: "Shop", Source: "openapi.yaml", Services: []*plan.Service{{
		Name: "Orders", GoName: "Orders", TypeName: "OrdersService", File: "orders",
		Methods: []*plan.Method{{
			ID: "cancelOrder", GoName: "Cancel", OpVar: "opOrdersCancel", HTTP: "DELETE", Path: "/orders/{id}", Idempotent: true,
			PathParams: []*plan.Param{{Name: "id", ArgName: "id", Type: "string", In: "path"}},
			Result:     plan.Result{Kind: "none", Answers: []*plan.Answer{{Status: "204", Kind: "none"}}},
		}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(name)
	}
	// Output:
	// README.md
	// client.gen.go
	// doc.gen.go
	// errors.gen.go
	// example_test.go
	// fake.gen.go
	// interfaces.gen.go
	// options.gen.go
	// orders.gen.go
	// reference.md
}
