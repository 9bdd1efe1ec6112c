package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	server := exampletest.Output(t, shop.Options{}, run, `
declined: insufficient_funds
invalid: /amount must be at least 1
invalid: /method/number must have 12 to 19 digits
failed: 404 not_found in attempt 1
too late at first, then: captured`)
	if got := server.Effects().Charged["EUR"]; got != 2990 {
		t.Errorf("charged %d, want 2990", got)
	}
}
