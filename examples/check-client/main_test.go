package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/examples/internal/tool"
)

func TestMain(m *testing.M) {
	if url := os.Getenv("RETRYSAFE_URL"); url != "" {
		if err := run(context.Background(), url); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The SDK passes every case, those that only should be passed among them.
func TestCheckClient(t *testing.T) {
	out, err := exec.Command(tool.Build(t), "check", "--client", "--strict", "--answer", "order.json", "--", os.Args[0]).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "14 passed; failed: 0") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("\n%s", out)
}
