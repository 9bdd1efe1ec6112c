package retry

import (
	"time"
)

// Defaults of [Policy].
const (
	DefaultAttempts        = 3
	DefaultDeadline        = 30 * time.Second
	DefaultAttemptTimeout  = 10 * time.Second
	DefaultRetryAfterLimit = 60 * time.Second
	DefaultCautious        = 1
)

// room is the least time worth starting an attempt for.
const room = 20 * time.Millisecond

// Policy holds the limits of one call. It is plain data; Decide takes every
// field as it is, so start from [DefaultPolicy].
type Policy struct {
	// Attempts is the number of attempts in all.
	Attempts int
	// Cautious is how many retries of a call may follow a 500.
	Cautious int
	// AttemptTimeout is the longest an attempt may take.
	AttemptTimeout time.Duration
	// RetryAfterLimit is the longest wait that the server may ask for. A
	// longer one ends the call at once.
	RetryAfterLimit time.Duration
	// Backoff is the wait when the server asks for none, and the least wait
	// besides the server's.
	Backoff Backoff
}

// DefaultPolicy returns the defaults: 3 attempts, one retry after a 500, 10 s
// for an attempt, waits of the server up to 60 s, and the default [Backoff].
func DefaultPolicy() Policy {
	return Policy{
		Attempts:        DefaultAttempts,
		Cautious:        DefaultCautious,
		AttemptTimeout:  DefaultAttemptTimeout,
		RetryAfterLimit: DefaultRetryAfterLimit,
		Backoff:         Backoff{},
	}
}

// Progress is what a call has been through when its next step is decided.
type Progress struct {
	// Attempts counts the attempts made.
	Attempts int
	// Retries counts the waits already made; it drives the backoff.
	Retries int
	// Cautious counts the retries that followed a 500.
	Cautious int
	// Safe says that sending the request again does no harm even if it was
	// processed.
	Safe bool
	// Replayable says that the body can be sent again.
	Replayable bool
	// Refreshed says that fresh credentials are there after a 401.
	Refreshed bool
	// Previous is the last wait.
	Previous time.Duration
	// Left is what is left of the deadline.
	Left time.Duration
}

// Decision is what to do after an attempt that failed.
type Decision struct {
	// Retry says that another attempt may follow after Wait, if the budget
	// agrees.
	Retry bool
	// Wait is how long to wait before it.
	Wait time.Duration
	// Reason says why not, when Retry is false.
	Reason Reason
}

// Decide returns what follows an attempt that ended as verdict says. wait and
// asked are the server's wait as [After] gives it, random is in [0, 1].
//
// The order is fixed: what happened, then the attempts, then the wait against
// the server's ceiling and the deadline. The budget comes last and is the
// caller's, so that nothing is paid for a retry that could not happen.
func (p Policy) Decide(verdict Verdict, progress Progress, wait time.Duration, asked bool, random float64) Decision {
	if reason := p.refuse(verdict, progress); reason != ReasonNone {
		return Decision{Retry: false, Wait: 0, Reason: reason}
	}

	delay := time.Duration(0)
	if verdict.Class != Unauthorized {
		delay = p.Backoff.Delay(progress.Retries, verdict.Class.Throttle(), progress.Previous, random)
	}

	if asked {
		if wait > p.RetryAfterLimit {
			return Decision{Retry: false, Wait: wait, Reason: ReasonRetryAfter}
		}

		delay = max(delay, wait)
	}

	if delay+min(room, p.AttemptTimeout) > progress.Left {
		return Decision{Retry: false, Wait: delay, Reason: ReasonDeadline}
	}

	return Decision{Retry: true, Wait: delay, Reason: ReasonNone}
}

// refuse returns why what happened rules another attempt out.
func (p Policy) refuse(verdict Verdict, progress Progress) Reason {
	if verdict.Class == Success {
		return ReasonNotRetryable
	}

	if verdict.Class == Canceled {
		return ReasonCaller
	}

	if verdict.Override == No {
		return ReasonServer
	}

	if reason := p.forbidden(verdict, progress); reason != ReasonNone {
		return reason
	}

	if !progress.Replayable {
		return ReasonBody
	}

	if progress.Attempts >= p.Attempts {
		return ReasonAttempts
	}

	return ReasonNone
}

func (p Policy) forbidden(verdict Verdict, progress Progress) Reason {
	switch verdict.Class {
	case NeverSent, Throttled:
	case InFlight, Overloaded, Unknown:
		if !progress.Safe {
			return ReasonUnsafe
		}
	case Cautious:
		if !progress.Safe {
			return ReasonUnsafe
		}

		if progress.Cautious >= p.Cautious && verdict.Override != Yes {
			return ReasonNotRetryable
		}
	case Unauthorized:
		if !progress.Refreshed {
			return ReasonNotRetryable
		}
	case KeyReused:
		return ReasonNotRetryable
	case Permanent:
		if verdict.Override != Yes {
			return ReasonNotRetryable
		}

		if !progress.Safe {
			return ReasonUnsafe
		}
	case Success, Canceled:
	}

	return ReasonNone
}
