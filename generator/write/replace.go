package write

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// replace writes every changed file beside its place first and moves them in only when all of them are written. When
// moving fails half-way, what was there is put back.
func replace(dir string, files map[string][]byte, changes Changes) (err error) {
	staging, err := os.MkdirTemp(dir, ".retrysafe-*")
	if err != nil {
		return fmt.Errorf("making room for the new files: %w", err)
	}
	defer func() { _ = os.RemoveAll(staging) }()
	changed := slices.Concat(changes.Created, changes.Updated)
	for _, name := range changed {
		if err := os.WriteFile(filepath.Join(staging, flat(name)), files[name], 0o644); err != nil { //nolint:gosec // source code is for everybody
			return fmt.Errorf("writing: %w", err)
		}
	}
	undo := &undoLog{dir: dir, staging: staging}
	defer func() {
		if err != nil {
			undo.run()
		}
	}()
	for _, name := range slices.Concat(changes.Updated, changes.Removed) {
		if err := undo.setAside(name); err != nil {
			return err
		}
	}
	for _, name := range changed {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil { //nolint:gosec // source code is for everybody
			return fmt.Errorf("making a folder: %w", err)
		}
		if err := os.Rename(filepath.Join(staging, flat(name)), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("putting a new file in place: %w", err)
		}
		undo.placed = append(undo.placed, name)
	}
	removeEmpty(dir, changes.Removed)
	return nil
}

// flat is a file name for a path below the folder.
func flat(name string) string { return strings.ReplaceAll(name, "/", "%2F") }

// removeEmpty takes away the folders below dir that held the removed files, where nothing else is in them.
func removeEmpty(dir string, removed []string) {
	for _, name := range removed {
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			if os.Remove(filepath.Join(dir, at)) != nil {
				break
			}
		}
	}
}

// undoLog remembers how to put a folder back as it was.
type undoLog struct {
	dir, staging string
	aside        []string
	placed       []string
}

const asidePrefix = "old-"

func (u *undoLog) setAside(name string) error {
	if err := os.Rename(filepath.Join(u.dir, name), filepath.Join(u.staging, asidePrefix+flat(name))); err != nil {
		return fmt.Errorf("setting an old file aside: %w", err)
	}
	u.aside = append(u.aside, name)
	return nil
}

func (u *undoLog) run() {
	for _, name := range u.placed {
		_ = os.Remove(filepath.Join(u.dir, name))
	}
	for _, name := range u.aside {
		_ = os.Rename(filepath.Join(u.staging, asidePrefix+flat(name)), filepath.Join(u.dir, name))
	}
}
