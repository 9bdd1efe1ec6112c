package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	server := exampletest.Output(t, shop.Options{}, run,
		"201 Created, attempts: 2, key: order-create-web-1, stored answer: true")
	if got := server.Effects().Orders["web-1"]; got != 1 {
		t.Errorf("%d orders, want 1", got)
	}
}
