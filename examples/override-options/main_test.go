package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	server := exampletest.Output(t, shop.Options{}, run, `
created after 4 attempts under order-web-1
failed after 1 attempt: 503 unavailable
gave up at once: true, asked to wait 1s, deadline: true`)
	if got := server.Effects().Orders; len(got) != 1 || got["web-1"] != 1 {
		t.Errorf("orders %v, want web-1 one time", got)
	}
}
