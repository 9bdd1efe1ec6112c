package generator_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/generator/cli"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Each folder below testdata with a retrysafe.yaml is a case: what the command makes of it is want/, and what it says is
// want_stderr.txt. The packages of want/ are compiled and used by the tests of their own module in testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	var cases []string
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "retrysafe.yaml" {
			cases = append(cases, filepath.Dir(path))
		}
		return err
	})
	if err != nil || len(cases) < 5 {
		t.Fatal(cases, err)
	}
	for _, dir := range cases {
		t.Run(filepath.ToSlash(dir), func(t *testing.T) {
			t.Parallel()
			files, stderr := generate(t, dir)
			if *update {
				rewrite(t, dir, files, stderr)
				return
			}
			want, err := os.ReadFile(filepath.Join(dir, "want_stderr.txt"))
			if err != nil && len(stderr) > 0 || string(want) != stderr {
				t.Errorf("it says\n%swant\n%s", stderr, want)
			}
			compare(t, readTree(t, filepath.Join(dir, "want")), files)
		})
	}
}

// generate runs the command on a case and gives the files that it writes and what it says on stderr.
func generate(t *testing.T, dir string) (files map[string]string, stderr string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/retrysafe/retrysafe/generator/"+filepath.ToSlash(dir)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, err bytes.Buffer
	to := filepath.Join(root, "want")
	code := cli.Run(context.Background(), []string{"generate", "--config", filepath.Join(dir, "retrysafe.yaml"), "--out", to},
		cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	if _, statErr := os.Stat(to); (code == 0) != (statErr == nil) {
		t.Errorf("exit code %d, and the folder: %v\n%s", code, statErr, err.String())
	}
	return readTree(t, to), filepath.ToSlash(err.String())
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

func compare(t *testing.T, want, got map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok {
			t.Errorf("%s is no longer written", name)
		} else if text != want[name] {
			t.Errorf("%s is other than want; see the difference after go test ./generator -run Golden -update", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is written and not wanted", name)
		}
	}
}

func rewrite(t *testing.T, dir string, files map[string]string, stderr string) {
	t.Helper()
	want := filepath.Join(dir, "want")
	if err := os.RemoveAll(want); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(want, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(want, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := filepath.Join(dir, "want_stderr.txt")
	if stderr == "" {
		_ = os.Remove(said)
	} else if err := os.WriteFile(said, []byte(stderr), 0o600); err != nil {
		t.Fatal(err)
	}
}
