package main

import (
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
)

func TestRun(t *testing.T) {
	server := exampletest.Output(t, shop.Options{}, run, `
call 1: 3 attempts, breaker open: false
call 2: 3 attempts, breaker open: true
call 3: 1 attempts, breaker open: true
call 4: 1 attempts, breaker open: true
breaker: open`)
	if got := server.Requests(); got != 5 {
		t.Errorf("%d requests arrived, want 5", got)
	}
}
