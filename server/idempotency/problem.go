package idempotency

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Code is the machine code of a problem document that the middleware answers by itself.
type Code string

// The codes. PROBLEMS.md beside the module says what a client should do about each.
const (
	CodeKeyRequired      Code = "idempotency_key_required"       // 400
	CodeKeyRefused       Code = "idempotency_key_not_supported"  // 400
	CodeKeyEmpty         Code = "idempotency_key_empty"          // 400
	CodeKeyMultiple      Code = "idempotency_key_multiple"       // 400
	CodeKeyTooLong       Code = "idempotency_key_too_long"       // 400
	CodeKeyTooShort      Code = "idempotency_key_too_short"      // 400
	CodeKeyInvalid       Code = "idempotency_key_invalid"        // 400
	CodeFirstSentExpired Code = "idempotency_first_sent_expired" // 412; do not retry
	CodeBodyUnreadable   Code = "idempotency_body_unreadable"    // 400
	CodeBodyTooLarge     Code = "idempotency_body_too_large"     // 413
	CodeCallerUnknown    Code = "idempotency_caller_unknown"     // 401
	CodeReused           Code = "idempotency_key_reused"         // 409, or 422 on request; do not retry
	CodeInProgress       Code = "idempotency_in_progress"        // 409, or 202; retry after the wait with the same key
	CodeOutcomeUnknown   Code = "idempotency_outcome_unknown"    // 500; do not retry, look the resource up
	CodeResponseDropped  Code = "idempotency_response_not_kept"  // 410; the effect stands
	CodeRequestFailed    Code = "idempotency_request_failed"     // 500; nothing took effect
	CodeStoreUnavailable Code = "idempotency_store_unavailable"  // 503; retry after the wait with the same key
)

const problemBase = "https://github.com/retrysafe/retrysafe/blob/main/server/PROBLEMS.md#"

// problem is the body of RFC 9457 with two members of ours.
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Code     Code   `json:"code"`
	Original State  `json:"original,omitempty"`
	Resource string `json:"resource_id,omitempty"`
}

func newProblem(status int, code Code, detail string) problem {
	return problem{
		Type: problemBase + string(code), Title: http.StatusText(status), Status: status, Detail: detail, Code: code,
	}
}

func (p problem) body() []byte {
	text, err := json.Marshal(p)
	if err != nil {
		return nil // strings and an int cannot fail
	}
	return append(text, '\n')
}

// response is the problem as an answer that a record can keep.
func (p problem) response() Response {
	return Response{
		Status: p.Status,
		Header: http.Header{contentType: {problemType}, shouldRetryHeader: {"false"}},
		Body:   p.body(),
	}
}

const (
	contentType       = "Content-Type"
	problemType       = "application/problem+json"
	shouldRetryHeader = "X-Should-Retry"
	replayedHeader    = "Idempotent-Replayed"
	windowHeader      = "Idempotency-Replay-Window"
)

// retry says what the client should do about the problem.
type retry struct {
	never bool
	after time.Duration // zero: no word about it
}

func writeProblem(w http.ResponseWriter, p problem, advice retry) {
	h := w.Header()
	h.Set(contentType, problemType)
	h.Set("Cache-Control", "no-store")
	if advice.never {
		h.Set(shouldRetryHeader, "false")
	}
	if advice.after > 0 {
		setRetryAfter(h, advice.after)
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.body()) //nolint:gosec // JSON, under a type that no browser renders; the client may be gone
}

// setRetryAfter gives the wait in whole seconds, rounded up (RFC 9110 section 10.2.3), and in milliseconds for the
// clients that read that.
func setRetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	h.Set("Retry-After-Ms", strconv.FormatInt(max(1, wait.Milliseconds()), 10))
}
