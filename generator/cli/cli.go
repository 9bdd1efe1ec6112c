// Package cli is the command line of retrysafe. Commands of other packages join it through [Streams] and Run's extras.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/retrysafe/retrysafe/generator"
)

// Streams are the standard streams of a run.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// The exit codes.
const (
	exitDone  = 0 // what was asked for is done
	exitInput = 1 // the document, the config, the folder or a drift
	exitUsage = 2 // the command line
)

// errDrift says that --check found a difference; the difference itself is printed.
var errDrift = errors.New("the generated files are not those that would be generated now; run the command again without --check")

// Run runs one command line and gives the exit code. extra are commands of other packages.
func Run(ctx context.Context, args []string, streams Streams, extra ...*cobra.Command) int {
	root := &cobra.Command{
		Use:   "retrysafe",
		Short: "Go SDKs of OpenAPI documents, whose every call is safe to make twice",
		Long: "retrysafe makes a Go SDK of an OpenAPI 3.0 or 3.1 document. The SDK retries what is safe to repeat,\n" +
			"puts an idempotency key on what takes one, and keeps within a deadline and a budget.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &generator.UsageError{Message: err.Error()} })
	root.AddCommand(generateCommand(streams), auditCommand(streams), versionCommand(streams)) //nolint:contextcheck // the command has the context
	root.AddCommand(extra...)
	cmd, err := root.ExecuteContextC(ctx)
	return report(streams, cmd, err)
}

// report prints an error and turns it into an exit code.
func report(streams Streams, cmd *cobra.Command, err error) int {
	var usage *generator.UsageError
	var coded interface{ ExitCode() int }
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage) || isCobraUsage(err):
		_, _ = fmt.Fprintf(streams.Err, "retrysafe: %v\nRun %q for the flags and examples.\n", err, cmd.CommandPath()+" --help")
		return exitUsage
	case errors.As(err, &coded):
		return coded.ExitCode()
	default:
		_, _ = fmt.Fprintln(streams.Err, err)
		return exitInput
	}
}

// isCobraUsage tells cobra's own complaints about the command line, which have no type.
func isCobraUsage(err error) bool {
	text := err.Error()
	return len(text) > 15 && text[:15] == "unknown command"
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &generator.UsageError{Message: fmt.Sprintf("unknown command or argument %q for %q", args[0], cmd.CommandPath())}
	}
	return nil
}

func versionCommand(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  retrysafe version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(streams.Out, "retrysafe "+Version())
			return err
		},
	}
}

// Version is that of the module that the program was built from; devel for a build from a working copy.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
