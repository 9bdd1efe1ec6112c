// Package generator makes an SDK of an OpenAPI document: load, overlay, normalise, plan, render, write.
//
// [Generate] is one run. It reads what [Options] names and writes nothing unless everything can be written. Each step
// is a package of its own below this one.
package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/generator/normalise"
	"github.com/retrysafe/retrysafe/generator/plan"
	"github.com/retrysafe/retrysafe/generator/render"
	"github.com/retrysafe/retrysafe/generator/spec"
	"github.com/retrysafe/retrysafe/generator/write"
)

// Options of one run. Spec, Out and Package are required.
type Options struct {
	// Spec is the document: a file, "-" for Stdin, or a URL, which needs AllowRemoteRefs.
	Spec string
	// Stdin is read when Spec is "-".
	Stdin io.Reader
	// Out is the folder of the package; it is made when it is not there.
	Out string
	// Package is the name of the Go package.
	Package string
	// Module is the module path of a go.mod that is written when neither Out nor a folder above it has one; "" is Package.
	Module string
	// Overlays are OpenAPI Overlay files, applied in order.
	Overlays []string
	// Names are Go names that win over those worked out, by JSON pointer.
	Names map[string]string
	// Tags and Operations choose a part of the document; both empty is all of it.
	Tags, Operations []string
	// EnvPrefix begins the names of environment variables; "" is made of the document's title.
	EnvPrefix string
	// KeyEveryWrite sends a key with every POST and PATCH, declared or not, in the header KeyHeader.
	KeyEveryWrite bool
	KeyHeader     string
	// PerOperation is the mapping of the same name in the config file, by operation id; nil says nothing.
	PerOperation *spec.Node
	// Check writes nothing and reports in Result.Drift what would change.
	Check bool
	// Strict makes errors of warnings.
	Strict bool
	// Force overwrites generated files that were changed by hand.
	Force bool
	// AllowRemoteRefs lets references to other hosts be fetched; copies are kept in CacheDir.
	AllowRemoteRefs bool
	CacheDir        string
	// Client fetches remote references; nil is a default one.
	Client *http.Client
	// MaxTime bounds a run; 0 is 5 minutes. MaxMemory bounds what a step may add to the heap, in bytes; 0 is 4 GiB.
	// Both are there for documents that would make a run go on without end.
	MaxTime   time.Duration
	MaxMemory uint64
	// Progress is told each step as it begins; nil is nobody.
	Progress func(step string)

	// places are those of names in the config file, for messages.
	places map[string]spec.Position
}

// Result is what a run did.
type Result struct {
	Plan    *plan.Plan
	Changes write.Changes
	// Drift is a unified diff of what is on disk and what would be written; only with Options.Check.
	Drift   string
	Elapsed time.Duration
}

// InternalError is a fault of the generator itself, found where it would have crashed.
type InternalError struct {
	Step  string
	Value any
	Stack []byte
}

// Error says which step failed and asks for a report.
func (e *InternalError) Error() string {
	return fmt.Sprintf("the step %q failed on this document, and that is a fault of retrysafe: %v. Nothing was written. Please report it with the document", e.Step, e.Value)
}

// Generate makes the package. The error is an [*spec.Error] for a document that cannot be used, a [*write.Error] for a
// folder that cannot be written, a [*BoundError] for one that takes too much, an [*InternalError] for a fault of ours, or
// the error of ctx.
func Generate(ctx context.Context, opts Options) (*Result, error) {
	start := time.Now()
	ctx, cancel := opts.bounded(ctx)
	defer cancel()
	p, err := Plan(ctx, opts)
	if err != nil {
		return nil, err
	}
	p.ImportPath = write.ImportPath(opts.Out)
	if p.ImportPath == "" { // the go.mod that is written
		p.ImportPath = cmp.Or(opts.Module, opts.Package)
	}
	var files map[string][]byte
	if err := step(ctx, opts, "render", func() (err error) { files, err = render.Render(p); return err }); err != nil {
		return nil, err
	}
	result := &Result{Plan: p}
	if err := stopped(ctx, opts, "write"); err != nil {
		return nil, err
	}
	if opts.Progress != nil {
		opts.Progress("write")
	}
	err = caught("write", func() (err error) { // to its end once it has begun: all files or none
		out := write.Output{Dir: opts.Out, Files: files, Module: opts.Module, Package: opts.Package, Force: opts.Force}
		if opts.Check {
			result.Drift, result.Changes, err = write.Diff(out)
		} else {
			result.Changes, err = write.Write(out)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	result.Elapsed = time.Since(start)
	return result, nil
}

// Plan runs the steps up to the plan and writes nothing.
func Plan(ctx context.Context, opts Options) (*plan.Plan, error) {
	ctx, cancel := opts.bounded(ctx)
	defer cancel()
	var doc *spec.Document
	err := step(ctx, opts, "load", func() (err error) {
		doc, err = spec.Load(ctx, spec.Options{
			Path: opts.Spec, Stdin: opts.Stdin, Overlays: opts.Overlays,
			AllowRemote: opts.AllowRemoteRefs, CacheDir: opts.CacheDir, Client: opts.Client,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	var normal *normalise.Document
	if err := step(ctx, opts, "normalise", func() (err error) { normal, err = normalise.Run(doc); return err }); err != nil {
		return nil, err
	}
	var p *plan.Plan
	err = step(ctx, opts, "plan", func() (err error) {
		p, err = plan.Build(normal, plan.Options{
			Package: opts.Package, EnvPrefix: opts.EnvPrefix, Names: opts.Names, Tags: opts.Tags, Operations: opts.Operations,
			KeyEveryWrite: opts.KeyEveryWrite, KeyHeader: opts.KeyHeader, PerOperation: opts.PerOperation,
		})
		return opts.placed(err)
	})
	if err != nil {
		return nil, err
	}
	if opts.Strict && len(p.Warnings) > 0 {
		return nil, &spec.Error{Diagnostics: p.Warnings}
	}
	return p, nil
}

// IsInput reports whether an error is about the input or the output folder rather than about retrysafe.
func IsInput(err error) bool {
	var internal *InternalError
	return err != nil && !errors.As(err, &internal)
}
