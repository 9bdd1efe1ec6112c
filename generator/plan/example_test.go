package plan_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/spec"
)

func ExampleBuild() {
	text := `openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    post:
      operationId: createOrder
      tags: [Orders]
      x-idempotency: {key: 'order-{body.ref}'}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewOrder'}}}}
      responses: {'204': {description: none}}
components:
  schemas:
    NewOrder: {type: object, required: [ref], properties: {ref: {type: string}, note: {type: string}}}
`
	loaded, err := spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		fmt.Println(err)
		return
	}
	doc, err := normalise.Run(loaded)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.Build(doc, plan.Options{Package: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := p.Services[0].Methods[0]
	fmt.Println(p.Services[0].GoName, m.GoName, m.Bodies[0].Type, m.Key.Name, m.Key.Parts[1].Expr)
	for _, f := range p.Types[0].Fields {
		fmt.Println(f.GoName, f.Type)
	}
	// Output:
	// Orders Create NewOrder Idempotency-Key body.Ref
	// Note *string
	// Ref string
}
