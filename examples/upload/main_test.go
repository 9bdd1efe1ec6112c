package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	server := exampletest.Output(t, shop.Options{}, run, `
stored 1048576 bytes in 2 attempts
fetched 1048576 bytes`)
	if got := server.Effects().Created["documents"]; got != 1 {
		t.Errorf("%d documents, want 1", got)
	}
}
