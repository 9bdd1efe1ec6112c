package exampletest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// The programs that show one feature each stay short enough to read at a glance.
func TestProgramsAreShort(t *testing.T) {
	const most = 30 // lines of a function's body
	for _, name := range []string{"quickstart", "errors", "pagination", "streaming", "upload", "oauth2", "webhook"} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("..", "..", name, "main.go"), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := files.Position(f.Body.Rbrace).Line - files.Position(f.Body.Lbrace).Line - 1; n > most {
				t.Errorf("%s: %s has %d lines, want at most %d", name, f.Name.Name, n, most)
			}
		}
	}
}
