package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	exampletest.Output(t, shop.Options{TokenUses: 3}, run, `
new token
0 orders
0 orders
0 orders
new token
0 orders`)
}
