// Package tool builds the command retrysafe for tests.
package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds the command of this working copy, for a test in a folder of examples, and gives the program's path.
func Build(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "retrysafe")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/retrysafe")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
