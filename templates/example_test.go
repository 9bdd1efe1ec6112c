package templates_test

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/retrysafe/retrysafe/templates"
)

func ExampleModels() {
	text, err := fs.ReadFile(templates.Models(), "enum.tmpl")
	if err != nil {
		fmt.Println(err)
		return
	}
	declaration, _, _ := strings.Cut(string(text), "\n")
	fmt.Println(declaration)
	// Output: type {{.Name}} {{.Base}}
}
