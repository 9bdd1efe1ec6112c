package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Error is the failure of one call: an answer outside 2xx, an answer that is not what the document says, or no answer.
//
// Unwrap reaches the error type that the document declares for the status, the [*transport.Error] that ended a call
// without an answer, and through it the context's error or the budget's. The text has neither body nor credentials.
type Error struct {
	// Operation is the operation's id in the document.
	Operation string
	// StatusCode is 0 when there was no answer.
	StatusCode int
	// Code is the machine-readable code in the answer's body, "" when there is none.
	Code string
	// Message is the server's own sentence, shortened.
	Message string
	// RequestID is what the server calls this request, for its support.
	RequestID string
	// RetryAfter is the wait that the server asks for, 0 when it asks for none.
	RetryAfter time.Duration
	// Attempts is how many times the request was sent or tried to be.
	Attempts int
	// IdempotencyKey is the key of the call: calling again with it cannot do the work twice. "" when there was none.
	IdempotencyKey string
	// Header and Body are the answer's, bounded by what the transport reads.
	Header http.Header
	Body   []byte

	api      string
	hint     string
	cause    error
	declared error
}

// Error gives operation, status, code, message, request id and attempts in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.api + ": " + e.Operation + ":")
	if e.StatusCode != 0 {
		fmt.Fprintf(&b, " %d %s", e.StatusCode, http.StatusText(e.StatusCode))
	}
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if why := e.why(); why != "" {
		b.WriteString(": " + why)
	}
	if e.hint != "" {
		b.WriteString("; " + e.hint)
	}
	var notes []string
	if e.RequestID != "" {
		notes = append(notes, "request "+e.RequestID)
	}
	if e.Attempts > 1 {
		notes = append(notes, fmt.Sprintf("%d attempts", e.Attempts))
	}
	if notes != nil {
		b.WriteString(" [" + strings.Join(notes, ", ") + "]")
	}
	return strings.Replace(b.String(), ":: ", ": ", 1)
}

// why is the cause without what the error says itself.
func (e *Error) why() string {
	var stopped *transport.Error
	if !errors.As(e.cause, &stopped) || error(stopped) != e.cause { //nolint:errorlint // the cause itself, not one inside it
		if e.cause == nil {
			return ""
		}
		return e.cause.Error()
	}
	text := ""
	if stopped.Err != nil {
		text = strings.ReplaceAll(stopped.Err.Error(), "\n", "; ")
	}
	if stopped.Reason == transport.ReasonNone || stopped.Reason == transport.ReasonNotRetryable {
		return text
	}
	if text != "" {
		text += ", "
	}
	return text + "stopped by: " + string(stopped.Reason)
}

// Unwrap gives the declared error and the cause.
func (e *Error) Unwrap() []error {
	var all []error
	if e.declared != nil {
		all = append(all, e.declared)
	}
	if e.cause != nil {
		all = append(all, e.cause)
	}
	return all
}

// failed is the error of a call that got no answer.
func (x *exchange) failed(cause error) *Error {
	e := x.newError()
	var te *transport.Error
	if errors.As(cause, &te) {
		e.StatusCode, e.Header, e.Body = te.StatusCode, te.Header, te.Body
		e.RetryAfter, e.Attempts, e.IdempotencyKey = te.RetryAfter, te.Attempts, te.IdempotencyKey
		cause = te // net/http's wrapper prints the URL, which may carry a key
		if e.StatusCode != 0 {
			x.describe(e)
		}
	}
	e.cause = cause
	return e
}

// rejected is the error of an answer outside 2xx.
func (x *exchange) rejected() *Error {
	e := x.answered()
	x.describe(e)
	e.cause = &transport.Error{
		Operation: e.Operation, StatusCode: e.StatusCode, Header: e.Header, Body: e.Body, RetryAfter: e.RetryAfter,
		Attempts: e.Attempts, IdempotencyKey: e.IdempotencyKey, Reason: x.outcome.Reason, Err: x.outcome.Err,
	}
	if e.StatusCode == http.StatusUnauthorized && x.resp.Request != nil && x.resp.Request.Header.Get("Authorization") == "" {
		e.hint = x.client.hint(x.op, x.set)
	}
	return e
}

// unreadable is the error of a 2xx answer that is not what the document says.
func (x *exchange) unreadable(cause error) *Error {
	e := x.answered()
	e.cause = cause
	return e
}

func (x *exchange) newError() *Error {
	return &Error{Operation: x.op.Call.ID, IdempotencyKey: x.set.key, api: x.client.api.Name}
}

func (x *exchange) answered() *Error {
	e := x.newError()
	e.StatusCode, e.Header, e.Body = x.info.StatusCode, x.info.Header, x.info.Body
	e.RequestID, e.Attempts, e.IdempotencyKey = x.info.RequestID, x.info.Attempts, x.info.IdempotencyKey
	e.RetryAfter = x.outcome.RetryAfter
	return e
}

// describe reads what the body says of the failure.
func (x *exchange) describe(e *Error) {
	e.RequestID = requestID(e.Header)
	if !wire.IsJSON(e.Header.Get("Content-Type")) && !looksJSON(e.Body) {
		return
	}
	said := readProblem(e.Body)
	e.Code = said.code
	e.Message = x.set.redact(said.message)
	if e.RequestID == "" {
		e.RequestID = said.requestID
	}
	cases := x.op.Errors
	if cases == nil {
		cases = x.client.api.Errors
	}
	if n := bestStatus(len(cases), func(i int) string { return cases[i].Status }, e.StatusCode); n >= 0 {
		declared := cases[n].New()
		if wire.Unmarshal(e.Body, declared) == nil {
			e.declared = declared
		}
	}
}

func looksJSON(body []byte) bool {
	trimmed := bytes.TrimSpace(body)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

// redact takes credentials out of a sentence of the server's.
func (s *settings) redact(text string) string {
	for _, c := range s.credentials {
		for _, hidden := range c.secrets() {
			if hidden != "" {
				text = strings.ReplaceAll(text, hidden, "[redacted]")
			}
		}
	}
	return text
}

// bestStatus picks among declared statuses: the exact one, its class, the default; -1 when none fits.
func bestStatus(n int, at func(int) string, status int) int {
	best, rank := -1, 0
	for i := range n {
		if r := statusRank(at(i), status); r > rank {
			best, rank = i, r
		}
	}
	return best
}

func statusRank(declared string, status int) int {
	switch {
	case declared == strconv.Itoa(status):
		return 3
	case len(declared) == 3 && declared[1:] == "XX" && int(declared[0]-'0') == status/100:
		return 2
	case declared == "default":
		return 1
	}
	return 0
}
