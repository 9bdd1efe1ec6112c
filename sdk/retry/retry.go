// Package retry holds the rules of retrying as pure functions: what the end of
// an attempt means ([ClassifyResponse], [ClassifyError]), how long the server
// asks to wait ([After]), how long to back off ([Backoff.Delay]) and whether
// another attempt may follow ([Policy.Decide]). The clock and the randomness
// are arguments; nothing here waits or sends.
//
// Package transport puts the rules to work.
package retry

// Class says what the end of an attempt means for the next one.
type Class uint8

const (
	// Success is an answer that is no failure.
	Success Class = iota
	// NeverSent is a failure before the server could act: any request may be
	// sent again.
	NeverSent
	// Throttled is a 429: the server turned the request away unprocessed.
	Throttled
	// Overloaded is a 503 that names a wait. It costs and waits as a throttle,
	// but whether the request was processed is unknown.
	Overloaded
	// Unknown is a failure after which the request may or may not have been
	// processed: a reset, a timeout, 502, 503, 504, 408, 425.
	Unknown
	// Cautious is a 500: as Unknown, and retried once per call by default,
	// because a defect of the server usually fails again.
	Cautious
	// InFlight is a 409 that says that the request with this key is still
	// being processed.
	InFlight
	// KeyReused is a 409 or 422 that says that the key names another request.
	KeyReused
	// Unauthorized is a 401: retried once when fresh credentials are there.
	Unauthorized
	// Permanent is a failure that the same request meets again.
	Permanent
	// Canceled means that the caller's context ended.
	Canceled
)

var classNames = [...]string{
	Success:      "success",
	NeverSent:    "never sent",
	Throttled:    "throttled",
	Overloaded:   "overloaded",
	Unknown:      "outcome unknown",
	Cautious:     "server error",
	InFlight:     "in flight",
	KeyReused:    "key reused",
	Unauthorized: "unauthorized",
	Permanent:    "permanent",
	Canceled:     "canceled",
}

// String returns the name of the class.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}

	return "invalid class"
}

// Throttle reports whether a retry after c waits and costs as one that the
// server asked for.
func (c Class) Throttle() bool {
	return c == Throttled || c == Overloaded || c == InFlight || c == Unauthorized
}

// Rejected reports whether the server definitely did nothing with the request,
// so that its key may name another one.
func (c Class) Rejected() bool {
	return c == Throttled || c == Unauthorized || c == Permanent || c == NeverSent
}

// Reason says why a call made no further attempt.
type Reason string

const (
	// ReasonNone means: the call succeeded.
	ReasonNone Reason = ""
	// ReasonAttempts means: all attempts allowed were made.
	ReasonAttempts Reason = "attempts"
	// ReasonDeadline means: the wait for another attempt does not fit what is left
	// of the deadline, or the deadline passed.
	ReasonDeadline Reason = "deadline"
	// ReasonRetryAfter means: the server asks for a wait above the ceiling.
	ReasonRetryAfter Reason = "retry-after"
	// ReasonBudget means: the client's own retry budget is used up.
	ReasonBudget Reason = "budget"
	// ReasonNotRetryable means: the failure is one that a retry does not mend.
	ReasonNotRetryable Reason = "not retryable"
	// ReasonUnsafe means: the request may have been processed, and sending it again
	// could repeat its effect.
	ReasonUnsafe Reason = "unsafe"
	// ReasonBody means: the request's body cannot be sent a second time.
	ReasonBody Reason = "body"
	// ReasonServer means: the server said not to retry.
	ReasonServer Reason = "server"
	// ReasonCaller means: the caller's context ended.
	ReasonCaller Reason = "caller"
)
