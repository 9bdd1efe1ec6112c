package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// Reason says why a call made no further attempt.
type Reason = retry.Reason

// The reasons, those of package retry.
const (
	ReasonNone         = retry.ReasonNone
	ReasonAttempts     = retry.ReasonAttempts
	ReasonDeadline     = retry.ReasonDeadline
	ReasonRetryAfter   = retry.ReasonRetryAfter
	ReasonBudget       = retry.ReasonBudget
	ReasonNotRetryable = retry.ReasonNotRetryable
	ReasonUnsafe       = retry.ReasonUnsafe
	ReasonBody         = retry.ReasonBody
	ReasonServer       = retry.ReasonServer
	ReasonCaller       = retry.ReasonCaller
)

// maxErrorBody bounds what an Error keeps of a body.
const maxErrorBody = 64 << 10

// Error is a call that failed. StatusCode, Header and Body are those of the
// last answer that the server gave, which need not be that of the last
// attempt; StatusCode is 0 when there was none.
type Error struct {
	// Operation names what was called: the operation's ID, or method and path.
	Operation string
	// StatusCode, Header and Body are of the server's last answer. Body is cut
	// at 64 KiB.
	StatusCode int
	Header     http.Header
	Body       []byte
	// RetryAfter is the wait that the last answer asked for, 0 if none.
	RetryAfter time.Duration
	// Attempts counts the attempts made, 0 when nothing was sent.
	Attempts int
	// IdempotencyKey is the call's key. The call can be taken up again under
	// it, also in another process.
	IdempotencyKey string
	// Reason says why there was no further attempt.
	Reason Reason
	// Err is the last failure that was not an answer, and what stopped the
	// call, joined; nil when the answer is all there is.
	Err error
}

// Error implements error. It shows neither query nor body.
func (e *Error) Error() string {
	var b strings.Builder

	b.WriteString(e.Operation)
	b.WriteString(": ")

	if e.StatusCode != 0 {
		b.WriteString(strconv.Itoa(e.StatusCode) + " " + http.StatusText(e.StatusCode))
	}

	if e.Err != nil {
		if e.StatusCode != 0 {
			b.WriteString("; ")
		}

		b.WriteString(strings.ReplaceAll(e.Err.Error(), "\n", "; "))
	}

	_, _ = fmt.Fprintf(&b, " (attempts: %d", e.Attempts)

	if e.Reason != ReasonNone {
		b.WriteString(", stopped by: " + string(e.Reason))
	}

	if e.RetryAfter > 0 {
		b.WriteString(", retry after: " + e.RetryAfter.String())
	}

	if e.IdempotencyKey != "" {
		b.WriteString(", key: " + shorten(e.IdempotencyKey))
	}

	b.WriteString(")")

	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports context.DeadlineExceeded for a call that the deadline stopped,
// also when it stopped because the next wait would not fit.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Reason == ReasonDeadline
}

// Timeout reports whether the call ran out of time. It makes the error of an
// http.Client a net.Error that says so.
func (e *Error) Timeout() bool { return errors.Is(e, context.DeadlineExceeded) }

// Outcome is what a call went through.
type Outcome struct {
	// Operation names what was called: the operation's ID, or method and path.
	Operation string
	// Attempts counts the attempts made, resends by net/http included.
	Attempts int
	// IdempotencyKey is the call's key, empty without one.
	IdempotencyKey string
	// Replayed says that the answer is the stored one of an earlier request
	// with the same key.
	Replayed bool
	// Reason says why a failed call made no further attempt.
	Reason Reason
	// RetryAfter is the wait that the answer asks for, 0 if none.
	RetryAfter time.Duration
	// Err is what stopped the call besides its answer, for example the
	// budget's error; usually nil.
	Err error
}

type callKey struct{}

// OutcomeOf returns what the call that gave resp went through, and false when
// resp did not come from a [Transport].
func OutcomeOf(resp *http.Response) (Outcome, bool) {
	if resp == nil || resp.Request == nil {
		return Outcome{}, false
	}

	c, ok := resp.Request.Context().Value(callKey{}).(*call)
	if !ok {
		return Outcome{}, false
	}

	return c.outcome(resp), true
}

// ErrorOf turns an answer into the error that says everything about its call.
// It reads the body, up to 64 KiB, and closes it.
func ErrorOf(resp *http.Response) *Error {
	outcome, _ := OutcomeOf(resp)

	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	_ = resp.Body.Close()

	return &Error{
		Operation:      outcome.Operation,
		StatusCode:     resp.StatusCode,
		Header:         resp.Header,
		Body:           body,
		RetryAfter:     outcome.RetryAfter,
		Attempts:       outcome.Attempts,
		IdempotencyKey: outcome.IdempotencyKey,
		Reason:         outcome.Reason,
		Err:            outcome.Err,
	}
}
