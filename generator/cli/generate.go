package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/retrysafe/retrysafe/generator"
)

const generateExamples = `  # An SDK in ./shop from a document
  retrysafe generate --spec openapi.yaml --out shop --package shop

  # As retrysafe.yaml says
  retrysafe generate

  # In CI: fail, and show the difference, when the SDK is not what the document gives
  retrysafe generate --check

  # From another program
  curl -s https://api.example.com/openapi.json | retrysafe generate --spec - --out shop --package shop

  # Only a part of a large API
  retrysafe generate --spec openapi.yaml --out billing --package billing --tags Invoices,Payments`

// generateFlags are the flags of one run.
type generateFlags struct {
	options    generator.Options
	config     string
	json       bool
	printNames bool
	quiet      bool
	maxMiB     uint64
	names      map[string]string
}

func generateCommand(streams Streams) *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use:     "generate",
		Short:   "Make an SDK of an OpenAPI document",
		Long:    "generate makes a Go package of an OpenAPI document. Flags win over the config file, which is retrysafe.yaml\nin the current folder unless --config names another. A retrysafe.yaml that is about another document than --spec\nis not used unless --config names it. docs/config.md lists the settings; per-operation among them sets idempotency,\nretry and pagination of single operations.",
		Example: generateExamples,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd, streams)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	o := &f.options
	f.specFlag(cmd)
	flags.StringVar(&o.Out, "out", "", "folder of the package")
	flags.StringVar(&o.Package, "package", "", "name of the package")
	f.partFlags(cmd)
	flags.StringToStringVar(&f.names, "name", nil, "Go name of a place in the document: --name /components/schemas/item=LineItem")
	flags.BoolVar(&o.Check, "check", false, "write nothing; exit 1 with a diff when the files are not those that would be written")
	flags.BoolVar(&o.Strict, "strict", false, "make errors of warnings about the document")
	flags.BoolVar(&o.Force, "force", false, "overwrite generated files that were changed by hand")
	f.remoteFlags(cmd)
	flags.StringVar(&o.Module, "module", "", "module path of the go.mod that is written when there is none (default the package's name)")
	flags.DurationVar(&o.MaxTime, "max-time", 0, "give up a run that takes longer (default 5m)")
	flags.Uint64Var(&f.maxMiB, "max-memory", 0, "give up a run that needs more memory, in MiB (default 4096)")
	flags.BoolVar(&f.json, "json", false, "print the summary, the warnings and an error as JSON")
	flags.BoolVar(&f.printNames, "print-names", false, "print which Go name each place of the document has, and write nothing")
	flags.BoolVar(&f.quiet, "quiet", false, "print warnings and errors only")
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

// specFlag, partFlags and remoteFlags are the flags of every command that reads a document.
func (f *generateFlags) specFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.options.Spec, "spec", "", "the OpenAPI document, JSON or YAML; - reads standard input")
	documentFile(cmd, "spec")
}

func (f *generateFlags) partFlags(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&f.config, "config", "", "config file (default retrysafe.yaml when it is there)")
	flags.StringSliceVar(&o.Overlays, "overlay", nil, "OpenAPI Overlay files, applied in order")
	flags.StringSliceVar(&o.Tags, "tags", nil, "only operations with one of these tags, and the types they need")
	flags.StringSliceVar(&o.Operations, "operations", nil, "only these operations, by operationId, and the types they need")
	documentFile(cmd, "config")
	documentFile(cmd, "overlay")
}

func (f *generateFlags) remoteFlags(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.BoolVar(&o.AllowRemoteRefs, "allow-remote-refs", false, "fetch references to other hosts, once, and keep copies")
	flags.StringVar(&o.CacheDir, "cache-dir", "", "folder for copies of remote references (default in the user's cache)")
}

// documentFile lets a shell complete the flag with documents.
func documentFile(cmd *cobra.Command, flag string) {
	_ = cmd.MarkFlagFilename(flag, "yaml", "yml", "json")
}

// run merges the config and the flags, and generates.
func (f *generateFlags) run(cmd *cobra.Command, streams Streams) error {
	opts, err := f.merged(cmd)
	if err != nil {
		return f.fail(streams, err)
	}
	opts.Stdin = streams.In
	if f.printNames && opts.Out == "" {
		opts.Out = "."
	}
	if err := opts.Validate(); err != nil {
		return f.fail(streams, err)
	}
	progress := newProgress(streams.Err, f.json || f.quiet)
	opts.Progress = progress.step
	if f.printNames {
		p, err := generator.Plan(cmd.Context(), opts)
		progress.done()
		if err != nil {
			return f.fail(streams, err)
		}
		return printNames(streams, p, f.json)
	}
	result, err := generator.Generate(cmd.Context(), opts)
	progress.done()
	if err != nil {
		return f.fail(streams, err)
	}
	f.show(streams, opts, result)
	if opts.Check && result.Changes.Any() {
		return f.fail(streams, errDrift)
	}
	return nil
}

// merged gives the options of the config file with the flags that were set over them.
func (f *generateFlags) merged(cmd *cobra.Command) (generator.Options, error) {
	file := f.config
	if file == "" {
		file = generator.ConfigName
	}
	opts, err := generator.ReadConfig(file)
	if err != nil {
		if f.config != "" || !errors.Is(err, fs.ErrNotExist) {
			return opts, err
		}
		opts = generator.Options{}
	}
	set, from := cmd.Flags().Changed, f.options
	if f.config == "" && set("spec") && opts.Spec != "" && filepath.Clean(opts.Spec) != filepath.Clean(from.Spec) {
		if !f.quiet && !f.json {
			cmd.PrintErrf("note: %s is about %s and is not used; --config %s uses it all the same\n", file, opts.Spec, file)
		}
		opts = generator.Options{}
	}
	for name, apply := range map[string]func(){
		"spec":              func() { opts.Spec = from.Spec },
		"out":               func() { opts.Out = from.Out },
		"package":           func() { opts.Package = from.Package },
		"module":            func() { opts.Module = from.Module },
		"overlay":           func() { opts.Overlays = from.Overlays },
		"tags":              func() { opts.Tags = from.Tags },
		"operations":        func() { opts.Operations = from.Operations },
		"strict":            func() { opts.Strict = from.Strict },
		"allow-remote-refs": func() { opts.AllowRemoteRefs = from.AllowRemoteRefs },
		"cache-dir":         func() { opts.CacheDir = from.CacheDir },
	} {
		if set(name) {
			apply()
		}
	}
	opts.Check, opts.Force = from.Check, from.Force
	opts.MaxTime, opts.MaxMemory = from.MaxTime, f.maxMiB<<20
	for pointer, name := range f.names {
		if opts.Names == nil {
			opts.Names = map[string]string{}
		}
		opts.Names[pointer] = name
	}
	return opts, nil
}

// fail prints an error as JSON when that was asked for.
func (f *generateFlags) fail(streams Streams, err error) error {
	if !f.json {
		return err
	}
	code := exitInput
	var usage *generator.UsageError
	if errors.As(err, &usage) {
		code = exitUsage
	}
	printJSON(streams.Out, failure(err))
	return &shown{err, code}
}

// shown is an error that was printed already.
type shown struct {
	error
	code int
}

// ExitCode is the exit code of the run.
func (s *shown) ExitCode() int { return s.code }

func (s *shown) Unwrap() error { return s.error }

func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
