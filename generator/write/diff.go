package write

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// maxDiffLines bounds the diff of one file and maxDiffBytes that of all; a reader of a log does not read more.
const (
	maxDiffLines = 200
	maxDiffBytes = 1 << 16
)

// Diff compares the folder with what would be written, and writes nothing. The text is "" when nothing would change.
func Diff(out Output) (string, Changes, error) {
	files, err := out.complete()
	if err != nil {
		return "", Changes{}, err
	}
	out.Force = true // a change by hand is drift, not an obstacle
	changes, err := compare(out, files)
	if err != nil {
		return "", Changes{}, err
	}
	var b strings.Builder
	for _, name := range slices.Concat(changes.Created, changes.Updated, changes.Removed) {
		if name == Manifest {
			continue
		}
		if b.Len() > maxDiffBytes {
			b.WriteString(name + " differs\n")
			continue
		}
		current, err := os.ReadFile(filepath.Join(out.Dir, name)) //nolint:gosec // below the folder that the user names
		if err != nil && !os.IsNotExist(err) {
			return "", Changes{}, fmt.Errorf("reading what is there: %w", err)
		}
		b.WriteString(unified(name, string(current), string(files[name])))
	}
	return b.String(), changes, nil
}

func unified(name, from, to string) string {
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(from), B: difflib.SplitLines(to), FromFile: name + " (on disk)", ToFile: name + " (generated)", Context: 3,
	})
	if err != nil {
		return name + " differs\n"
	}
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > maxDiffLines {
		return strings.Join(lines[:maxDiffLines], "") + fmt.Sprintf("... and %d more lines of %s\n", len(lines)-maxDiffLines, name)
	}
	return text
}
