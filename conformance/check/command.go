package check

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrysafe/retrysafe/conformance"
)

const examples = `  # A file to start from
  retrysafe check --example > check.yaml

  # All cases that the file makes possible
  retrysafe check --target check.yaml --url http://127.0.0.1:8080

  # In CI: also fail on what a server should do, and keep the report
  retrysafe check --target check.yaml --strict --format junit > report.xml

  # Two cases
  retrysafe check --target check.yaml --only IK-001,IK-040

  # A client in any language, which makes one call to the server at $RETRYSAFE_URL
  retrysafe check --client --answer order.json -- python3 create_order.py`

const long = `check sends requests to a running server and looks at what became of them: repeats one after the other and at
once, over fresh connections and a little apart, with other bodies, other callers and broken keys. Effects are counted by
what the file says shows them, and never by equal answers. Every request has a key and a marker of its own, so that a
run does not meet what is there; what it makes stays there.

The file says where requests go, what they hold and how effects are counted. A case that needs more than the file offers
is skipped, and the report says what it needs.

With --client it is the other way round: check plays a server that is out, loses answers, breaks them off and asks for
patience, and looks at what the program does. The program makes one call of an unsafe operation that takes a key, to the
server whose address is in RETRYSAFE_URL, and exits with 0 when the call succeeded. It runs once or twice for each case.

The exit code is 1 when a case fails that must pass, or with --strict one that should.`

//go:embed example.yaml
var exampleFile string

// flags of one run.
type flags struct {
	target, url, format string
	only                []string
	strict, example     bool
	timeout             time.Duration
	client              bool
	answer              string
	status              int
	keyHeader           string
}

// Command is "check". It writes its report to the command's output.
func Command() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use: "check", Short: "Prove that a server collapses repeated requests, or that a client repeats them safely", Long: long, Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.example {
				_, err := io.WriteString(cmd.OutOrStdout(), exampleFile)
				return err
			}
			if err := f.valid(args); err != nil {
				return usage(cmd, err)
			}
			tests, err := f.tests()
			if err != nil {
				return usage(cmd, err)
			}
			s, err := f.subject(cmd.Context(), args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), s, tests)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&f.target, "target", "", "YAML file that describes the server")
	set.StringVar(&f.url, "url", "", "address of the server, in place of the file's")
	set.BoolVar(&f.client, "client", false, "check a client: the program that follows --")
	set.StringVar(&f.answer, "answer", "", "with --client, file with the body of a successful answer (default {})")
	set.IntVar(&f.status, "answer-status", 0, "with --client, status of a successful answer (default 201)")
	set.StringVar(&f.keyHeader, "key-header", "", "with --client, header that carries the key (default Idempotency-Key)")
	set.StringSliceVar(&f.only, "only", nil, "only these cases, by their names")
	set.StringVar(&f.format, "format", "text", "text, json or junit")
	set.BoolVar(&f.strict, "strict", false, "fail on what should be, too")
	set.DurationVar(&f.timeout, "timeout", 2*time.Minute, "longest time of one case; it fails then")
	set.BoolVar(&f.example, "example", false, "print a file to start from")
	_ = cmd.MarkFlagFilename("target", "yaml", "yml")
	_ = cmd.MarkFlagFilename("answer", "json")
	return cmd
}

// valid says what is wrong with the command line.
func (f *flags) valid(args []string) error {
	switch {
	case f.client && len(args) == 0:
		return errors.New("give the program after --client --")
	case !f.client && len(args) > 0:
		return fmt.Errorf("unknown argument %q for check", args[0])
	case formats[f.format] == nil:
		return fmt.Errorf("--format %s is not text, json or junit", f.format)
	case f.client && (f.target != "" || f.url != ""):
		return errors.New("--client plays a server of its own, without --target and --url")
	case !f.client && (f.answer != "" || f.status != 0 || f.keyHeader != ""):
		return errors.New("--answer, --answer-status and --key-header belong to --client; a server's are in its file")
	case !f.client && f.target == "":
		return errors.New("give --target FILE, or --client; --example prints a file to start from")
	case f.timeout <= 0:
		return errors.New("--timeout must be more than 0")
	}
	return nil
}

// subject is what is tested: a server or a client.
type subject struct {
	name   string
	server conformance.Target
	client conformance.Client
}

// test is a case of either.
type test struct {
	id  string
	run func(ctx context.Context, s subject) conformance.Result
}

// tests are all cases, or those that were asked for. A name that there is not is an error, not a run of nothing.
func (f *flags) tests() ([]test, error) {
	all, err := allTests(f.client)
	if err != nil || len(f.only) == 0 {
		return all, err
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.id
	}
	for _, name := range f.only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--only %s: there is no such case; there are %s", name, strings.Join(names, " "))
		}
	}
	return slices.DeleteFunc(all, func(t test) bool { return !slices.Contains(f.only, t.id) }), nil
}

func allTests(client bool) ([]test, error) {
	var all []test
	if client {
		cases, err := conformance.ClientCases()
		for _, c := range cases {
			all = append(all, test{c.ID, func(ctx context.Context, s subject) conformance.Result {
				return conformance.RunClient(ctx, s.client, c)
			}})
		}
		return all, err
	}
	cases, err := conformance.Cases()
	for _, c := range cases {
		all = append(all, test{c.ID, func(ctx context.Context, s subject) conformance.Result { return conformance.Run(ctx, s.server, c) }})
	}
	return all, err
}

// subject reads the files that say what is tested.
func (f *flags) subject(ctx context.Context, args []string) (subject, error) {
	if f.client {
		s := subject{name: strings.Join(args, " ")}
		s.client = conformance.Client{Command: args, Status: f.status, Body: []byte("{}"), KeyHeader: f.keyHeader}
		if f.answer == "" {
			return s, nil
		}
		var err error
		s.client.Body, err = os.ReadFile(f.answer)
		return s, err
	}
	described, err := load(f.target)
	if err != nil {
		return subject{}, err
	}
	target, err := described.target(f.url)
	if err != nil {
		return subject{}, err
	}
	return subject{name: target.URL, server: target}, f.countable(ctx, target)
}

func (f *flags) run(ctx context.Context, out io.Writer, s subject, tests []test) error {
	results := make([]conformance.Result, len(tests))
	for i, t := range tests {
		results[i] = f.one(ctx, s, t)
		if ctx.Err() != nil {
			return errors.New("interrupted before the last case; nothing is proved")
		}
	}
	if err := formats[f.format](out, s.name, results); err != nil {
		return err
	}
	if failed := f.failed(results); failed > 0 {
		return &failedError{failed}
	}
	return nil
}

// countable asks for the effects of a marker that no request has held.
func (f *flags) countable(ctx context.Context, target conformance.Target) error {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	switch n, err := target.Effects(ctx, "RETRYSAFE-NONE"); {
	case err != nil:
		return fmt.Errorf("effects cannot be counted, so nothing can be proved: %w", err)
	case n != 0:
		return fmt.Errorf("effects cannot be counted, so nothing can be proved: %d for a marker that was never sent", n)
	}
	return nil
}

func (f *flags) one(ctx context.Context, s subject, t test) conformance.Result {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	return t.run(ctx, s)
}

func (f *flags) failed(results []conformance.Result) int {
	n := 0
	for _, r := range results {
		if r.Verdict == conformance.Fail && (r.Level == conformance.Must || f.strict) {
			n++
		}
	}
	return n
}

// usage tells what is wrong with the command line, and where help is.
func usage(cmd *cobra.Command, err error) error {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "retrysafe: %v\nRun %q for the flags and examples.\n", err, cmd.CommandPath()+" --help")
	return &usageError{err}
}

// usageError is a command line that cannot be run. It has been told.
type usageError struct{ error }

// ExitCode is that of a wrong command line.
func (*usageError) ExitCode() int { return 2 }

// Unwrap is what is wrong.
func (e *usageError) Unwrap() error { return e.error }

// failedError says that cases failed; the report has said which.
type failedError struct{ cases int }

func (e *failedError) Error() string { return fmt.Sprintf("cases failed: %d", e.cases) }

// ExitCode is that of a run with failures.
func (e *failedError) ExitCode() int { return 1 }
