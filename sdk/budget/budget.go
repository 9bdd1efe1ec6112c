// Package budget limits how many retries a client adds to the load of a
// server that is already in trouble.
//
// A [Budget] is shared by all calls of one client, and may be shared by many
// clients. [TokenBucket] is the default: it lets a healthy client retry freely
// and stops retries within a few dozen calls once most of them fail. [Share]
// holds retries to a share of the traffic in a sliding window instead.
//
// Neither ever refuses a first attempt.
package budget

import (
	"errors"
	"fmt"
	"time"
)

// Kind tells what a retry is for, which decides what it costs.
type Kind uint8

const (
	// None stands for "no retry was paid": the first attempt succeeded.
	None Kind = iota
	// Transient is a retry after a failure of the server or of the network.
	Transient
	// Throttle is a retry of a call that the server turned away unprocessed.
	Throttle
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Transient:
		return "transient"
	case Throttle:
		return "throttle"
	case None:
	}

	return "none"
}

// Budget decides whether a client may add a retry to the load of its server.
// Both implementations of this package are safe for concurrent use; another
// implementation must be as well.
//
// A call that fails for good reports nothing: what it spent stays spent.
type Budget interface {
	// Request notes a first attempt that starts at now.
	Request(now time.Time)
	// Withdraw pays for one retry at now. When it cannot be paid the error
	// is an [*ExhaustedError] and nothing is taken.
	Withdraw(now time.Time, kind Kind) error
	// Charge takes the cost of a resend that already happened, as far as the
	// budget reaches, and never refuses. The HTTP library below can resend a
	// request by itself; no such attempt goes unpaid.
	Charge(now time.Time, kind Kind)
	// Success notes a call that succeeded. paid is the kind of its last
	// retry, or [None] when the first attempt succeeded.
	Success(paid Kind)
	// State reads the budget at now, for logs and metrics.
	State(now time.Time) State
}

// State is a reading of a budget.
type State struct {
	// Available is how much can be spent, in tokens for a TokenBucket and in
	// retries for a Share.
	Available int
	// Capacity is the largest value that Available can take at the moment.
	Capacity int
	// Refused counts the retries refused since the budget was made.
	Refused uint64
}

// ErrExhausted is what errors.Is finds in an [*ExhaustedError].
var ErrExhausted = errors.New("budget: the client's own retry budget is used up")

// ExhaustedError says that the client held a retry back to spare the server.
// It is the client's own limit, not an answer of the server.
type ExhaustedError struct {
	// Cost is the price of the retry that was refused.
	Cost int
	// State is the budget when it refused.
	State State
	// Successes is how many first-attempt successes refill the budget far
	// enough, 0 when successes do not refill it.
	Successes int
	// Wait is when the budget would allow the retry if nothing else happens,
	// 0 when time alone does not refill it.
	Wait time.Duration
}

// Error implements error.
func (e *ExhaustedError) Error() string {
	msg := fmt.Sprintf("retry held back by the client's own budget: it costs %d, %d of %d left",
		e.Cost, e.State.Available, e.State.Capacity)

	if e.Successes > 0 {
		msg += fmt.Sprintf(", allowed after %d successful calls", e.Successes)
	}

	if e.Wait > 0 {
		msg += fmt.Sprintf(", allowed in %s", e.Wait.Round(time.Millisecond))
	}

	return msg
}

// Is reports whether target is [ErrExhausted].
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }
