// Command regenerate shows what happens to an SDK when its document changes: it makes a package from v1.yaml, adds a
// file written by hand, makes the package again from v2.yaml, and builds it. What is written by hand stays, what the
// document no longer has goes, and a run without a change writes nothing.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed extra.go.txt
var extra []byte

func main() {
	folder, err := os.MkdirTemp("", "regenerate")
	if err == nil {
		err = run(context.Background(), folder, os.Stdout)
		_ = os.RemoveAll(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run makes the package in folder.
func run(ctx context.Context, folder string, out io.Writer) error {
	root, err := repository()
	if err != nil {
		return err
	}
	tools, err := os.MkdirTemp("", "regenerate-tool")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tools)
	generator := filepath.Join(tools, "retrysafe")
	if err := command(ctx, root, "go", "build", "-o", generator, "./cmd/retrysafe"); err != nil {
		return err
	}
	if err := goMod(root, folder); err != nil {
		return err
	}
	steps := []struct{ title, document string }{
		{"made from v1.yaml", "v1.yaml"}, {"made again from v2.yaml", "v2.yaml"}, {"made from v2.yaml once more", "v2.yaml"},
	}
	hand := filepath.Join(folder, "extra.go")
	for i, step := range steps {
		before, err := contents(folder)
		if err != nil {
			return err
		}
		input := filepath.Join(root, "examples", "regenerate")
		if err := command(ctx, root, generator, "generate", "--config", filepath.Join(input, "retrysafe.yaml"),
			"--spec", filepath.Join(input, step.document), "--out", folder, "--quiet"); err != nil {
			return err
		}
		after, err := contents(folder)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", step.title, differences(before, after))
		if i == 0 {
			if err := os.WriteFile(hand, extra, 0o600); err != nil {
				return err
			}
			fmt.Fprintln(out, "written by hand: extra.go")
		}
	}
	if err := command(ctx, folder, "go", "build", "./..."); err != nil {
		return err
	}
	kept, err := os.ReadFile(hand)
	if err != nil || !bytes.Equal(kept, extra) {
		return errors.Join(errors.New("extra.go is not as it was written"), err)
	}
	fmt.Fprintln(out, "extra.go is as it was, and everything builds")
	return nil
}

// repository is the folder with the go.work of this repository.
func repository() (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(folder, "go.work")); missing == nil {
			return folder, nil
		}
		if filepath.Dir(folder) == folder {
			return "", errors.New("run this inside the repository")
		}
		folder = filepath.Dir(folder)
	}
	return "", err
}

// goMod writes the module of the package, which takes the runtime from this repository.
func goMod(root, folder string) error {
	const module = "github.com/retrysafe/retrysafe/sdk"
	text := fmt.Sprintf("module example.com/notes\n\ngo 1.25.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", module, filepath.Join(root, "sdk"))
	return os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o600)
}

// command runs a program whose output is shown when it fails. GOFLAGS lets go add what the runtime requires to go.mod.
func command(ctx context.Context, folder, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
		cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	}
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, output)
	}
	return nil
}

// contents are the Go files of a folder.
func contents(folder string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	contents := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		contents[filepath.Base(file)] = string(text)
	}
	return contents, nil
}

// differences lists the files that came, changed and went.
func differences(before, after map[string]string) string {
	var came, changed, went []string
	for name, text := range after {
		switch old, known := before[name]; {
		case !known:
			came = append(came, name)
		case old != text:
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			went = append(went, name)
		}
	}
	var parts []string
	for _, part := range []struct {
		word  string
		files []string
	}{{"new", came}, {"changed", changed}, {"removed", went}} {
		if len(part.files) > 0 {
			slices.Sort(part.files)
			parts = append(parts, part.word+" "+strings.Join(part.files, " "))
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, "; ")
}
