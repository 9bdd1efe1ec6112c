package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	// The first try of each page is cut short.
	cut := func(_ string, n int) shop.Fault { return []shop.Fault{shop.CutAfter, shop.None}[min(n, 1)] }
	exampletest.Output(t, shop.Options{Faults: cut}, run, `
web-7 web-6 web-5 web-4 web-3 web-2
page 1 of 3: 20 products
page 2 of 3: 20 products
page 3 of 3: 3 products
3 orders, more: true`)
}
