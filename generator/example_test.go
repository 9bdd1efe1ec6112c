package generator_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrysafe/retrysafe/generator"
)

func ExampleGenerate() {
	dir, err := os.MkdirTemp("", "sdk")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	document := `openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets:
    post:
      operationId: createPet
      tags: [Pets]
      parameters: [{name: Idempotency-Key, in: header, schema: {type: string, maxLength: 64}}]
      responses: {'204': {description: none}}
`
	result, err := generator.Generate(context.Background(), generator.Options{
		Spec: "-", Stdin: strings.NewReader(document), Out: filepath.Join(dir, "pets"), Package: "pets",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Plan.Summary.Operations, result.Plan.Summary.KeyedFrom)
	// Output:
	// 1 map[header-parameter:1]
}
