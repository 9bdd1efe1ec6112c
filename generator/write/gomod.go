package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// runtimeModule is the one module that generated code needs, and the oldest release of it that does.
const (
	runtimeModule  = "github.com/retrysafe/retrysafe/sdk"
	runtimeVersion = "v0.1.0"
	goLine         = "1.25.0"
)

// hasModule reports whether the folder is in a module already.
func hasModule(dir string) (bool, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("finding the folder: %w", err)
	}
	for {
		_, err := os.Stat(filepath.Join(at, "go.mod"))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("looking for a go.mod: %w", err)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return false, nil
		}
		at = parent
	}
}

func goMod(out Output) []byte {
	module := out.Module
	if module == "" {
		module = out.Package
	}
	return fmt.Appendf(nil, "module %s\n\ngo %s\n\nrequire %s %s\n", module, goLine, runtimeModule, runtimeVersion)
}
