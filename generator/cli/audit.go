package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrysafe/retrysafe/generator"
	"github.com/retrysafe/retrysafe/generator/plan"
)

const auditExamples = `  # Which operations of a document can be sent again, and which cannot
  retrysafe audit --spec openapi.yaml

  # In CI: fail when somebody adds an operation that cannot, and the document does not say that it is meant
  retrysafe audit --spec openapi.yaml --require-keys`

// errUnsafe says that --require-keys found something; what, is printed.
var errUnsafe = errors.New("operations with effects declare no idempotency key: let them take one, or say x-retry: {safe: false} where a second effect is nobody's loss")

func auditCommand(streams Streams) *cobra.Command {
	f := &generateFlags{}
	var requireKeys bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Say which operations of a document are safe to send again",
		Long: "audit reads a document as generate does, config file included, and writes nothing. It lists the operations that an\n" +
			"SDK would not send again when an answer is lost, those that it sends again under an idempotency key, and those that\n" +
			"are safe by themselves.",
		Example: auditExamples,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.audit(cmd, streams, requireKeys)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.specFlag(cmd)
	f.partFlags(cmd)
	f.remoteFlags(cmd)
	flags.BoolVar(&requireKeys, "require-keys", false, "exit 1 when an operation with effects takes no key and the document does not say that it is meant")
	flags.BoolVar(&f.json, "json", false, "print the list, or an error, as JSON")
	return cmd
}

func (f *generateFlags) audit(cmd *cobra.Command, streams Streams, requireKeys bool) error {
	opts, err := f.merged(cmd)
	if err != nil {
		return f.fail(streams, err)
	}
	opts.Stdin, opts.Out, opts.Package = streams.In, cmp.Or(opts.Out, "."), cmp.Or(opts.Package, "audit")
	if err := opts.Validate(); err != nil {
		return f.fail(streams, err)
	}
	progress := newProgress(streams.Err, f.json)
	opts.Progress = progress.step
	p, err := generator.Plan(cmd.Context(), opts)
	progress.done()
	if err != nil {
		return f.fail(streams, err)
	}
	list := audited(p)
	if f.json {
		printJSON(streams.Out, list)
	} else if err := printAudit(streams.Out, list); err != nil {
		return err
	}
	undeclared := func(a auditedOperation) bool { return a.Repeat == repeatNever && !a.Declared }
	if requireKeys && slices.ContainsFunc(list, undeclared) {
		if f.json {
			return &shown{errUnsafe, exitInput}
		}
		return errUnsafe
	}
	return nil
}

// The ways in which an operation is sent again.
const (
	repeatNever = "never"
	repeatKey   = "key"
	repeatSafe  = "safe"
)

// auditedOperation is a line of the audit.
type auditedOperation struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Operation string `json:"operation"`
	Repeat    string `json:"repeat"` // never | key | safe
	Why       string `json:"why"`
	Declared  bool   `json:"declared"` // the document says so itself, and it does not only follow from the method
	File      string `json:"file"`
	Line      int    `json:"line"`
}

// audited lists the operations in the order of the document.
func audited(p *plan.Plan) []auditedOperation {
	list := []auditedOperation{}
	for m := range p.Methods() {
		list = append(list, audit(m))
	}
	slices.SortStableFunc(list, func(a, b auditedOperation) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Operation, b.Operation))
	})
	return list
}

func audit(m *plan.Method) auditedOperation {
	a := auditedOperation{Method: m.HTTP, Path: m.Path, Operation: m.ID, File: m.Pos.File, Line: m.Pos.Line}
	a.Why = m.NotRepeated()
	switch {
	case a.Why != "":
		a.Repeat, a.Declared = repeatNever, m.Retry.Disabled || m.SafeFrom == "x-retry"
	case m.Key != nil:
		a.Repeat, a.Declared = repeatKey, true
		a.Why = m.Key.In + " " + m.Key.Name + ": " + cmp.Or(m.Key.Template, "a UUID for each call")
	default:
		a.Repeat, a.Declared = repeatSafe, m.SafeFrom != "method"
		a.Why = "by its method"
		if a.Declared {
			a.Why = "declared by " + m.SafeFrom
		}
	}
	return a
}

// printAudit prints what is not repeated first: it is what somebody has to look at.
func printAudit(out io.Writer, list []auditedOperation) error {
	var b strings.Builder
	for _, part := range []struct{ repeat, title string }{
		{repeatNever, "not sent again when an answer is lost"},
		{repeatKey, "sent again under one idempotency key"},
		{repeatSafe, "safe to send again"},
	} {
		var rows []auditedOperation
		for _, a := range list {
			if a.Repeat == part.repeat {
				rows = append(rows, a)
			}
		}
		fmt.Fprintf(&b, "%s: %d\n", part.title, len(rows))
		for _, a := range rows {
			fmt.Fprintf(&b, "  %-6s %s (%s, %s:%d): %s\n", a.Method, a.Path, a.Operation, a.File, a.Line, a.Why)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
