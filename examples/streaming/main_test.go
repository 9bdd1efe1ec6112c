package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	exampletest.Output(t, shop.Options{}, run, `
1 order.created
2 order.confirmed
3 order.paid
receivables 2990 EUR`)
}
