package render

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"sort"
	"strings"
)

const runtimePath = "github.com/retrysafe/retrysafe/sdk/"

// packages are the packages that printed code may refer to, by the name it uses.
var packages = map[string]string{
	"context":  "context",
	"errors":   "errors",
	"fmt":      "fmt",
	"io":       "io",
	"iter":     "iter",
	"log":      "log",
	"os":       "os",
	"strings":  "strings",
	"json":     "encoding/json",
	"http":     "net/http",
	"httptest": "net/http/httptest",
	"slog":     "log/slog",
	"strconv":  "strconv",
	"time":     "time",

	"fakeserver": runtimePath + "client/fakeserver",

	"budget":    runtimePath + "budget",
	"client":    runtimePath + "client",
	"keys":      runtimePath + "keys",
	"retry":     runtimePath + "retry",
	"transport": runtimePath + "transport",
	"webhook":   runtimePath + "webhook",
	"wire":      runtimePath + "wire",
}

// importsOf gives the import lines of a body: the standard library, an empty line, the rest.
func importsOf(body string) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\n"+body, 0)
	if err != nil {
		return nil, explain(err, body)
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Obj == nil && packages[x.Name] != "" {
			used[packages[x.Name]] = true
		}
		return true
	})
	var std, rest []string
	for p := range used {
		if strings.HasPrefix(p, runtimePath) {
			rest = append(rest, "\t\""+p+"\"")
		} else {
			std = append(std, "\t\""+p+"\"")
		}
	}
	sort.Strings(std)
	sort.Strings(rest)
	if len(std) > 0 && len(rest) > 0 {
		std = append(std, "")
	}
	return append(std, rest...), nil
}

func formatted(text []byte) ([]byte, error) {
	out, err := format.Source(text)
	if err != nil {
		return nil, explain(err, string(text))
	}
	return out, nil
}

// explain shows the line at which printed code does not parse.
func explain(err error, text string) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	lines := strings.Split(text, "\n")
	n := list[0].Pos.Line
	shown := strings.Join(lines[max(0, n-3):min(len(lines), n+2)], "\n\t")
	return fmt.Errorf("printed code does not parse: %w\n\t%s", list[0], shown)
}
