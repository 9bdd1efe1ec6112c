package write

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// ImportPath is the import path that the package in a folder has by the go.mod in it or above it; "" without one, or
// when it cannot be read.
func ImportPath(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	below := ""
	for {
		if module := moduleOf(filepath.Join(at, "go.mod")); module != "" {
			return path.Join(module, below)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return ""
		}
		below = path.Join(filepath.Base(at), below)
		at = parent
	}
}

// moduleOf reads the module path of a go.mod.
func moduleOf(file string) string {
	f, err := os.Open(file) //nolint:gosec // a go.mod above the folder that the user named
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		rest, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), "module ")
		if !found {
			continue
		}
		rest, _, _ = strings.Cut(rest, "//")
		rest = strings.TrimSpace(rest)
		if unquoted, err := strconv.Unquote(rest); err == nil {
			rest = unquoted
		}
		return rest
	}
	return ""
}
