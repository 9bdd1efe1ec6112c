package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

// The first two answers of each request are lost after the effect; the program does not know.
func TestRun(t *testing.T) {
	lost := func(_ string, n int) shop.Fault {
		return []shop.Fault{shop.DropAfter, shop.CutAfter, shop.None}[min(n, 2)]
	}
	server := exampletest.Output(t, shop.Options{Faults: lost}, run, "web-2026-000123: captured over 5980 EUR")
	if got := server.Effects(); got.Orders["web-2026-000123"] != 1 || got.Charged["EUR"] != 5980 || server.Requests() != 6 {
		t.Errorf("effects %+v after %d requests, want one of each after 6", got, server.Requests())
	}
}
