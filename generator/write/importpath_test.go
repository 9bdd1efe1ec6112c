package write_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/retrysafe/retrysafe/generator/write"
)

func TestImportPath(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "inner")
	for dir, text := range map[string]string{
		root:  "// The module.\nmodule example.com/shop // main\n\ngo 1.25.0\n",
		inner: "module \"example.com/inner/v2\"\n",
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		root: "example.com/shop", filepath.Join(root, "a", "b"): "example.com/shop/a/b", inner: "example.com/inner/v2",
		filepath.Join(inner, "x"): "example.com/inner/v2/x",
	} {
		if got := write.ImportPath(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
