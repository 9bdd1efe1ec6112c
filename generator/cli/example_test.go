package cli_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/retrysafe/retrysafe/generator/cli"
)

func ExampleRun() {
	document := "openapi: 3.1.0\npaths:\n  /pets:\n    get: {operationId: listPets, responses: {'204': {description: none}}}\n"
	code := cli.Run(context.Background(), []string{"generate", "--spec", "-", "--package", "pets", "--print-names"},
		cli.Streams{In: strings.NewReader(document), Out: os.Stdout, Err: os.Stdout})
	fmt.Println(code)
	// Output:
	// /paths/~1pets/get	method	Pets.List
	// /tags/pets	service	Pets
	// 0
}
