package idempotency

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Failures says what becomes of a failure: an answer of 500 and above, or a panic. There is no default, because both
// are in use and a client must be told which.
type Failures int

const (
	_ Failures = iota
	// StoreFailures keeps a failure like any other answer: the key replays it (Stripe v1).
	StoreFailures
	// ReattemptFailures frees the key after a failure that is known to have left no effect, or that resumes at its last
	// recovery point, so that the next attempt runs the handler again (Stripe v2). Where the effect may have happened
	// (a store without transactions, no recovery points) the failure is kept all the same.
	ReattemptFailures
)

// KeyRule says whether an operation takes a key.
type KeyRule int

const (
	// KeyRequired refuses a request without a key.
	KeyRequired KeyRule = iota
	// KeyOptional runs a request without a key as if there were no middleware.
	KeyOptional
	// KeyRefused refuses a request with a key, so that no client believes that repeating is safe.
	KeyRefused
)

// InFlightRule says what a rival is told while the first request with its key runs.
type InFlightRule int

const (
	// InFlightReject answers 409 with Retry-After.
	InFlightReject InFlightRule = iota
	// InFlightWait waits up to Options.MaxWait for the answer and replays it, then answers 409.
	InFlightWait
	// InFlightAccept answers 202 with Options.StatusURL as Location.
	InFlightAccept
)

// Defaults of Options.
const (
	DefaultHeader       = "Idempotency-Key"
	DefaultMaxBody      = 1 << 20
	DefaultMaxResponse  = 1 << 20
	DefaultLease        = 30 * time.Second
	DefaultReplayWindow = 24 * time.Hour
	DefaultMaxWait      = 10 * time.Second
)

// Options of one operation, or of several that share a rule. Mount the middleware once for each set of rules, all of
// them on one store.
type Options struct {
	// Caller names the authenticated caller. Required: a key that is not scoped by caller hands one caller's answer to
	// another. An error or an empty name is answered 401. Run authentication before the middleware, so that a replay is
	// authorised like a first request.
	Caller func(r *http.Request) (string, error)
	// Failures is required, see the constants.
	Failures Failures
	// Operation names the operation in the scope. Defaults to the method with the route (http.Request.Pattern), or
	// with the path where there is no route.
	Operation func(r *http.Request) string
	// Header that carries the key. Defaults to Idempotency-Key.
	Header string
	// Key says whether a key is required, optional or refused. Defaults to required. GET, HEAD, OPTIONS and TRACE pass
	// through whatever it says.
	Key KeyRule
	// KeyMin and KeyMax bound the key's length in bytes. Default to 1 and 255.
	KeyMin, KeyMax int
	// Fingerprint defaults to RawFingerprint("Content-Type").
	Fingerprint FingerprintFunc
	// MaxBody bounds a request's body in bytes, since the fingerprint covers all of it: above it, 413. Defaults to 1 MiB.
	MaxBody int64
	// MaxResponse bounds a kept body in bytes. A larger answer reaches the first caller whole; a repeat is answered 410
	// and has no second effect. Defaults to 1 MiB.
	MaxResponse int
	// ReplayHeaders are replayed besides the ones that describe the body and the resource. Cookies and authentication
	// challenges are refused here.
	ReplayHeaders []string
	// ReusedStatus answers a key that comes back with another payload. Defaults to 409; 422 is the other choice (IETF draft).
	ReusedStatus int
	// InFlight says what a rival is told. Defaults to InFlightReject.
	InFlight InFlightRule
	// MaxWait bounds InFlightWait. Defaults to 10 s.
	MaxWait time.Duration
	// StatusURL says where a rival can follow the first request. Required with InFlightAccept.
	StatusURL func(r *http.Request, rec Record) string
	// Lease is how long a claim outlives its worker in stores without transactions; it is renewed at a third of that.
	// Defaults to 30 s.
	Lease time.Duration
	// ReplayWindow is how long an answer is replayed. After it the key is new. Defaults to 24 h.
	ReplayWindow time.Duration
	// FirstSent names a header in which a client says when it first sent the request, as an HTTP date: for the OASIS
	// Repeatable Requests protocol it is Repeatability-First-Sent, and Header is Repeatability-Request-ID. A request that
	// was first sent longer than ReplayWindow ago is answered 412, since its record may be gone; a value that is no date
	// 400. Without the header a request passes. Empty, the default: no such header is read.
	FirstSent string
	// RetryChain is the longest time, from the first attempt to the last, over which any client may repeat a request: the
	// owner's own retries, queues and dead-letter replays included. A ReplayWindow that is shorter is refused. Zero: not declared.
	RetryChain time.Duration
	// Resumable says that the handler works in phases (see Phase and Call), so that an abandoned claim may be taken over
	// and resumed at its last recovery point.
	Resumable bool
	// Hook receives every event. Nil: none.
	Hook Hook
	// Clock is read for ages and waits; stores have their own. Defaults to time.Now.
	Clock func() time.Time
}

// Validate reports every mistake in the options at once.
func (o Options) Validate() error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf("idempotency: "+format, args...))
		}
	}
	refuse(o.Caller == nil, "Options.Caller is required: an unscoped key leaks answers between callers")
	refuse(o.Failures != StoreFailures && o.Failures != ReattemptFailures, "Options.Failures must be StoreFailures or ReattemptFailures")
	refuse(o.Key < KeyRequired || o.Key > KeyRefused, "Options.Key: unknown rule %d", o.Key)
	refuse(o.InFlight < InFlightReject || o.InFlight > InFlightAccept, "Options.InFlight: unknown rule %d", o.InFlight)
	refuse(o.InFlight == InFlightAccept && o.StatusURL == nil, "Options.StatusURL is required with InFlightAccept")
	refuse(o.ReusedStatus != 0 && o.ReusedStatus != http.StatusConflict && o.ReusedStatus != http.StatusUnprocessableEntity,
		"Options.ReusedStatus must be 409 or 422, not %d", o.ReusedStatus)
	refuse(o.KeyMin < 0 || o.KeyMax < 0 || o.MaxBody < 0 || o.MaxResponse < 0 || o.MaxWait < 0 || o.Lease < 0 ||
		o.ReplayWindow < 0 || o.RetryChain < 0, "Options: a bound is negative")
	filled := o.withDefaults()
	refuse(filled.KeyMin > filled.KeyMax, "Options.KeyMin %d is above KeyMax %d", filled.KeyMin, filled.KeyMax)
	refuse(filled.ReplayWindow < o.RetryChain,
		"Options.ReplayWindow %v is shorter than RetryChain %v: the last retry would run the handler again", filled.ReplayWindow, o.RetryChain)
	for _, name := range o.ReplayHeaders {
		refuse(slices.Contains(neverReplayed, http.CanonicalHeaderKey(name)), "Options.ReplayHeaders: %s must not be replayed", name)
	}
	return errors.Join(errs...)
}

func (o Options) withDefaults() Options {
	if o.Operation == nil {
		o.Operation = route
	}
	if o.Fingerprint == nil {
		o.Fingerprint = RawFingerprint("Content-Type")
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Header == "" {
		o.Header = DefaultHeader
	}
	o.Header = http.CanonicalHeaderKey(o.Header)
	orDefault(&o.KeyMin, DefaultKeyMin)
	orDefault(&o.KeyMax, DefaultKeyMax)
	orDefault(&o.MaxBody, DefaultMaxBody)
	orDefault(&o.MaxResponse, DefaultMaxResponse)
	orDefault(&o.ReusedStatus, http.StatusConflict)
	orDefault(&o.MaxWait, DefaultMaxWait)
	orDefault(&o.Lease, DefaultLease)
	orDefault(&o.ReplayWindow, DefaultReplayWindow)
	return o
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func route(r *http.Request) string {
	if r.Pattern == "" {
		return r.Method + " " + r.URL.Path
	}
	if strings.HasPrefix(r.Pattern, r.Method+" ") {
		return r.Pattern
	}
	return r.Method + " " + r.Pattern
}
