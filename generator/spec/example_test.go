package spec_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/generator/spec"
)

func ExampleLoad() {
	text := "openapi: 3.1.0\npaths: {}\ncomponents:\n  schemas:\n    Pet: {$ref: '#/components/schemas/Animal'}\n    Animal: {type: object}\n"
	doc, err := spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		fmt.Println(err)
		return
	}
	pet := doc.Root.At("components", "schemas", "Pet")
	fmt.Println(pet.Pos(), pet.Ref, pet.Deref().Str("type"))

	_, err = spec.Load(context.Background(), spec.Options{Path: "-", Stdin: strings.NewReader("swagger: '2.0'\n")})
	fmt.Println(err)
	// Output:
	// <stdin>:5:10 #/components/schemas/Animal object
	// <stdin>:1:10: this is a Swagger 2.0 document; retrysafe reads OpenAPI 3.0 and 3.1. Convert it first, for example with swagger2openapi [swagger-2]
}
