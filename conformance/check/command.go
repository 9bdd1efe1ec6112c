package check

import (
	"context"
	"errors"
	"fmt"
	"io"
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
  retrysafe check --target check.yaml --only IK-001,IK-040`

const long = `check sends requests to a running server and looks at what became of them: repeats one after the other and at
once, over fresh connections and a little apart, with other bodies, other callers and broken keys. Effects are counted by
what the file says shows them, and never by equal answers. Every request has a key and a marker of its own, so that a
run does not meet what is there; what it makes stays there.

The file says where requests go, what they hold and how effects are counted. A case that needs more than the file offers
is skipped, and the report says what it needs.

The exit code is 1 when a case fails that a server must pass, or with --strict one that it should pass.`

// flags of one run.
type flags struct {
	target, url, format string
	only                []string
	strict, example     bool
	timeout             time.Duration
}

// Command is "check". It writes its report to the command's output.
func Command() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use: "check", Short: "Prove that a server collapses repeated requests", Long: long, Example: examples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(cmd, fmt.Errorf("unknown argument %q for check", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.valid(); err != nil {
				return usage(cmd, err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&f.target, "target", "", "YAML file that describes the server")
	set.StringVar(&f.url, "url", "", "address of the server, in place of the file's")
	set.StringSliceVar(&f.only, "only", nil, "only these cases, by their names")
	set.StringVar(&f.format, "format", "text", "text, json or junit")
	set.BoolVar(&f.strict, "strict", false, "fail on what a server should do, too")
	set.DurationVar(&f.timeout, "timeout", 2*time.Minute, "longest time of one case; it fails then")
	set.BoolVar(&f.example, "example", false, "print a file to start from")
	_ = cmd.MarkFlagFilename("target", "yaml", "yml")
	return cmd
}

// valid says what is wrong with the command line.
func (f *flags) valid() error {
	switch _, err := f.cases(); {
	case f.example:
		return nil
	case formats[f.format] == nil:
		return fmt.Errorf("--format %s is not text, json or junit", f.format)
	case f.target == "":
		return errors.New("give --target FILE; --example prints one to start from")
	case f.timeout <= 0:
		return errors.New("--timeout must be more than 0")
	default:
		return err
	}
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	if f.example {
		_, err := io.WriteString(out, exampleFile)
		return err
	}
	cases, err := f.cases()
	if err != nil {
		return err
	}
	described, err := load(f.target)
	if err != nil {
		return err
	}
	target, err := described.target(f.url)
	if err != nil {
		return err
	}
	if err := f.countable(ctx, target); err != nil {
		return err
	}
	results := make([]conformance.Result, 0, len(cases))
	for _, c := range cases {
		results = append(results, f.one(ctx, target, c))
		if ctx.Err() != nil {
			return errors.New("interrupted before the last case; nothing is proved")
		}
	}
	if err := formats[f.format](out, target.URL, results); err != nil {
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

func (f *flags) one(ctx context.Context, target conformance.Target, c conformance.Case) conformance.Result {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	return conformance.Run(ctx, target, c)
}

// cases are those that were asked for. A name that there is not is an error, not a run of nothing.
func (f *flags) cases() ([]conformance.Case, error) {
	all, err := conformance.Cases()
	if err != nil || len(f.only) == 0 {
		return all, err
	}
	var chosen []conformance.Case
	for _, c := range all {
		if slices.Contains(f.only, c.ID) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) < len(f.only) {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.ID
		}
		return nil, fmt.Errorf("--only %s: not all of these are cases, which are %s", strings.Join(f.only, ","), strings.Join(names, " "))
	}
	return chosen, nil
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

const exampleFile = `# What "retrysafe check" needs to know of a server. Only paths.create, bodies.A and effects are required.
url: http://127.0.0.1:8080

paths:
  create: /orders            # a POST that has an effect and takes a key
  other: /refunds            # another operation with keys, which takes the same body
  # item1, item2             # one operation on two resources: /orders/1/capture, /orders/2/capture
  # optional                 # takes a key and does without        (offers: optional)
  # waiting                  # makes a rival wait for the answer   (offers: waiting)
  # short                    # has the replay window below         (offers: short_window)
  # long_keys                # wants keys of at least 20 characters (offers: long_keys)
  # phased                   # calls a foreign system in phases    (offers: phases)

# {marker} tells whose an effect is. A text is sent as it is (say media_type then), anything else as JSON.
bodies:
  A: {order_ref: "{marker}", amount: 1000}
  B: {order_ref: "{marker}", amount: 2000}   # another request
  invalid: {amount: -1}                      # is refused without an effect

# Headers of each caller. ${NAME} is a variable of the environment.
callers:
  A: {Authorization: "Bearer ${CHECK_TOKEN_A}"}
  B: {Authorization: "Bearer ${CHECK_TOKEN_B}"}   # another account
  bad: {Authorization: "Bearer nobody"}

# How the effects of one marker are counted: by a GET as caller A, 404 being none ...
effects:
  get: /orders?order_ref={marker}
  count: data                # the member that is the list or the number; a.b for one inside another
# ... or by a command that prints their number.
# effects: {command: [psql, -Atc, "SELECT count(*) FROM orders WHERE ref = '{marker}'"]}

# Where the server's words are not those of server/idempotency:
# key_header: Idempotency-Key
# replay_header: Idempotent-Replayed
# codes: {reused: idempotency_key_reused, in_progress: idempotency_in_progress}

# What makes more cases possible:
# offers: [optional, waiting, short_window, long_keys, phases, load]
# lease: 2s
# window: 1s
# fault: {header: X-Fault, value: "{name}={value}"}   # the server spoils a request that asks for it
# hooks: {kill: [./kill.sh], restart: [./restart.sh], reap: [./reap.sh]}
`
