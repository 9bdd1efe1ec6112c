package render

import (
	"go/ast"
	"go/parser"
	"strings"
)

// qualified puts a package prefix before the package's own names in an argument list that was written for inside it.
func qualified(args, prefix string) string {
	const before = "f("
	call, err := parser.ParseExpr(before + args + ")")
	if prefix == "" || err != nil {
		return args
	}
	var b strings.Builder
	last := 0
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // another package's name
			return false
		case *ast.KeyValueExpr: // a field
			ast.Inspect(n.Value, visit)
			return false
		case *ast.Ident:
			if n.IsExported() {
				at := int(n.Pos()) - 1 - len(before)
				b.WriteString(args[last:at] + prefix)
				last = at
			}
		}
		return true
	}
	ast.Inspect(call, visit)
	return b.String() + args[last:]
}
