package normalise_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/spec"
)

func ExampleRun() {
	text := "openapi: 3.1.0\npaths:\n  /pets/{id}:\n    get: {responses: {'204': {description: none}}}\n"
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
	op := doc.Operations[0]
	fmt.Println(op.ID, op.Method, op.Path, len(op.Params))
	fmt.Println(doc.Diagnostics[0])
	// Output:
	// get_pets_by_id GET /pets/{id} 1
	// <stdin>:4:10: GET /pets/{id} does not declare its path parameter "id"; a string is assumed [path-parameter]
}
