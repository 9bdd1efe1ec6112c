package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// Harness is a store under test.
type Harness struct {
	// Store is the store. Records of earlier cases may still be in it.
	Store idempotency.Store
	// Second is another handle on the same records, as another process would hold it. Nil: the records live in one process.
	Second idempotency.Store
	// Advance moves the store's clock.
	Advance func(d time.Duration)
}

// Case is one promise of the Store interface.
type Case struct {
	Name string
	// Check returns the first way in which the store breaks the promise.
	Check func(ctx context.Context, h Harness) error
}

// Run checks every case that applies, each as a subtest with a harness of its own.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Check(t.Context(), open(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Cases lists the suite, for harnesses of another shape.
func Cases() []Case {
	return []Case{
		{"an answer comes back as it was kept", replay},
		{"the window ends an answer and nothing else", window},
		{"one of many rivals wins", rivals},
		{"rivals that arrive one after the other meet one winner", staggered},
		{"rivals in two processes meet one winner", twoHandles},
		{"callers, operations and keys are apart", scopes},
		{"a record in flight shows its fingerprint", inFlight},
		{"a released key is absent", release},
		{"a failure is kept", fail},
		{"a failure undoes what an atomic claim wrote, and one process cannot block another", failThenClaim},
		{"a lease ends unless it is renewed", lease},
		{"only a resumable request with the same payload takes over", takeover},
		{"a lost claim changes nothing", fencing},
		{"a claim of a deleted record changes nothing", reborn},
		{"phases are kept in order and survive a takeover", phases},
		{"a phase that fails keeps nothing", failedPhase},
		{"a completed record is kept once", completeTwice},
		{"abandoned work is listed", abandoned},
		{"the reaper deletes the dead and only them", reap},
	}
}
