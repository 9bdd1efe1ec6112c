package idempotency

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every code links to a section of PROBLEMS.md.
func TestEveryProblemIsExplained(t *testing.T) {
	page, err := os.ReadFile("../PROBLEMS.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if code, err := strconv.Unquote(lit.Value); err == nil && strings.HasPrefix(code, "idempotency_") {
				codes++
				if !strings.Contains(string(page), "\n## "+code+"\n") {
					t.Errorf("%s has no section", code)
				}
			}
		}
		return true
	})
	if codes != 17 {
		t.Errorf("%d codes", codes)
	}
}
