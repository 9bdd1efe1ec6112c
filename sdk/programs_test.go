package sdk_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk"
)

// The written programs are built and run, with the environment as their only configuration.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin+string(filepath.Separator), "./examples/...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := httptest.NewServer(sdk.Fake())
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "contract.pdf")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ arg, want string }{
		"quickstart": {"", "1"},
		"list":       {"", "ada@example.com"},
		"stream":     {"", `1 {"at":`},
		"download":   {"", "content"},
		"upload":     {file, "ord_17"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), strings.Fields(tt.arg)...)
			cmd.Env = append(os.Environ(), "SHOP_BASE_URL="+server.URL, "SHOP_TOKEN=t")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v, no %q in:\n%s", err, tt.want, out)
			}
		})
	}
}
