// Package work is the workbench that the peers commands share: a folder with one module in which packages are generated
// from documents and programs against them are built.
package work

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
)

// Bench is the folder. It is kept between runs, so that the Go build cache knows what has not changed; one command at a
// time may use it.
type Bench struct {
	Dir   string // its absolute path
	Fresh bool   // nothing that an earlier run gave counts

	source string // hash of all that is ours
}

const module = "example.com/peers"

// Open makes the bench in dir for a command, which is a folder of the module peers. The working directory is in the
// repository.
func Open(dir, command string) (*Bench, error) {
	repo, err := repository()
	if err != nil {
		return nil, err
	}
	b := &Bench{}
	if b.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if b.source, err = sourceHash(repo, command); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.Dir, 0o750); err != nil {
		return nil, err
	}
	const root = "github.com/retrysafe/retrysafe"
	mod := "module " + module + "\n\ngo 1.26.0\n\nrequire (\n\t" + root + "/sdk v0.0.0\n\t" + root + "/peers v0.0.0\n)\n\nreplace (\n\t" + root + " => " + repo +
		"\n\t" + root + "/sdk => " + filepath.Join(repo, "sdk") + "\n\t" + root + "/peers => " + filepath.Join(repo, "peers") + "\n)\n"
	if err := os.WriteFile(filepath.Join(b.Dir, "go.mod"), []byte(mod), 0o600); err != nil {
		return nil, err
	}
	using := "package peers\n\nimport (\n\t_ \"" + root + "/peers/smoke\"\n\t_ \"" + root + "/sdk/client\"\n)\n"
	if err := os.WriteFile(filepath.Join(b.Dir, "peers.go"), []byte(using), 0o600); err != nil {
		return nil, err
	}
	return b, b.run("go", "mod", "tidy")
}

// repository is the folder above the module peers.
func repository() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository", dir)
		}
	}
	return "", err
}

func (b *Bench) run(name string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.Join(lines[:min(3, len(lines))], " / "))
	}
	return nil
}

// Package is a generated package.
type Package struct {
	Name   string // of the package, and of its folder in the bench
	Import string
	Plan   *plan.Plan
}

// Generate makes the package of a document; name is the document's.
func (b *Bench) Generate(name, document string) (*Package, error) {
	pkg := strings.ReplaceAll(name, "-", "")
	result, err := generator.Generate(context.Background(), generator.Options{Spec: document, Out: filepath.Join(b.Dir, pkg), Package: pkg, Force: true})
	if err != nil {
		return nil, err
	}
	return &Package{pkg, module + "/" + pkg, result.Plan}, nil
}

// Write puts a file of the command's own into a folder of the bench.
func (b *Bench) Write(folder, name, text string) error {
	path := filepath.Join(b.Dir, folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// Build builds the program in a folder of the bench and gives the path of the binary.
func (b *Bench) Build(folder string) (string, error) {
	binary := filepath.Join(b.Dir, folder, "program")
	return binary, b.run("go", "build", "-o", binary, "./"+folder)
}
