// Package exampletest runs example programs in tests.
package exampletest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// Shop starts a shop that ends with the test.
func Shop(tb testing.TB, opts shop.Options) *shop.Listener {
	tb.Helper()
	server, err := shop.Start(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	return server
}

// Run runs the program against server and returns its output.
func Run(tb testing.TB, server *shop.Listener, program example.Program) string {
	tb.Helper()
	var out bytes.Buffer
	if err := program(tb.Context(), server.URL, &out); err != nil {
		tb.Fatalf("%v\noutput:\n%s", err, &out)
	}
	return out.String()
}

// Output runs the program against a shop of its own and compares its output, line by line without the white space
// around it.
func Output(tb testing.TB, opts shop.Options, program example.Program, want string) *shop.Listener {
	tb.Helper()
	server := Shop(tb, opts)
	if got := Run(tb, server, program); trimmed(got) != trimmed(want) {
		tb.Errorf("output:\n%s\nwant:\n%s", got, want)
	}
	return server
}

func trimmed(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
