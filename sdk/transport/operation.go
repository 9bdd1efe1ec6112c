package transport

import (
	"net/http"
	"time"
)

// Idempotency says whether an operation may be repeated without a key.
type Idempotency uint8

const (
	// ByMethod follows RFC 9110 section 9.2.2: GET, HEAD, OPTIONS, TRACE, PUT
	// and DELETE are idempotent.
	ByMethod Idempotency = iota
	// Idempotent says that repeating the operation does no harm.
	Idempotent
	// NotIdempotent says that it does, whatever the method.
	NotIdempotent
)

// Operation is what is known about the operation that a call is made for,
// usually from its OpenAPI document. Zero fields mean: by the method, and the
// defaults of the client. An Operation is read only once it is in use.
type Operation struct {
	// ID names the operation in errors, logs, events and keys.
	ID string
	// Method and Path are those of the document. The path, a template without
	// values, stands for an operation without an ID.
	Method, Path string
	// Idempotency says whether it may be repeated without a key.
	Idempotency Idempotency
	// Key describes the idempotency key that it takes, nil if it takes none.
	Key *KeyRule
	// Attempts, Deadline, AttemptTimeout, BackoffBase and BackoffCap are the
	// document's values; options of the client and the call win over them.
	Attempts                 int
	Deadline, AttemptTimeout time.Duration
	BackoffBase, BackoffCap  time.Duration
	// RetryStatuses replaces which answers may be retried, nil leaves the
	// failure table.
	RetryStatuses []int
	// NoRetry allows a single attempt.
	NoRetry bool
	// OverrideHeader names the answer's header that says "true" or "false" on
	// retrying, for example X-Should-Retry. Empty: none.
	OverrideHeader string
	// ReusedCodes and InProgressCodes are machine codes of a 409 or 422 that
	// tell a reused key and a request in progress; nil: well-known ones.
	ReusedCodes, InProgressCodes []string
	// Stream leaves the body of a success to the caller, untouched, with the
	// idle timeout in place of the deadline. Otherwise the whole body is read
	// within the attempt, so that a body cut short is a failed attempt.
	Stream bool
}

// apply makes an operation an option of the calls made for it.
func (o *Operation) apply(c *config) { c.operation = o }

// KeyRule describes the idempotency key of an operation.
type KeyRule struct {
	// Header is the header that carries it. Empty: the caller of the transport
	// has put the key into the query or the body.
	Header string
	// MinLength, MaxLength and Pattern limit the key, see keys.Rule.
	MinLength, MaxLength int
	Pattern              string
	// Required says that the server refuses the call without a key.
	Required bool
}

// DefaultKeyHeader carries the key where no operation says otherwise.
const DefaultKeyHeader = "Idempotency-Key"

func idempotentMethod(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}

	return false
}
