package idempotency

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// settlement ends a claim after its handler has returned. What may have happened decides, not the status alone:
//
//	NoEffect was called              -> released
//	below 500                        -> kept, with the handler's writes
//	failure, StoreFailures           -> kept, the handler's writes undone where they can be
//	failure, ReattemptFailures       -> released where the writes are undone or phases resume; kept elsewhere,
//	                                    because the effect may have happened
type settlement struct {
	*guard

	call     *call
	answer   *recorder
	scope    Scope
	took     time.Duration
	panicked bool
}

// replacement answers in place of the handler's own answer.
type replacement func(w http.ResponseWriter, r *http.Request)

func (s *settlement) settle(ctx context.Context) replacement {
	claim := s.call.claim
	failed := s.panicked || s.answer.status >= http.StatusInternalServerError
	undoable := claim.Atomic() || s.Resumable
	switch {
	case s.call.noEffect.Load() && !s.panicked, failed && s.Failures == ReattemptFailures && undoable:
		return s.end(ctx, EventReleased, func(ctx context.Context) error { return claim.Release(ctx) })
	case s.panicked:
		resp := s.panicProblem().response()
		return s.end(ctx, EventCompleted, func(ctx context.Context) error { return claim.Fail(ctx, resp) })
	}
	resp := s.answer.response(s.allowed, s.MaxResponse, s.call.resourceID())
	if resp.Dropped {
		s.emit(ctx, s.scope, Event{Kind: EventDropped, Status: resp.Status})
	}
	if failed {
		return s.end(ctx, EventCompleted, func(ctx context.Context) error { return claim.Fail(ctx, resp) })
	}
	return s.end(ctx, EventCompleted, func(ctx context.Context) error {
		err := claim.Complete(ctx, resp)
		if errors.Is(err, ErrUndone) && resp.Status >= http.StatusBadRequest {
			return claim.Fail(ctx, resp) // a refusal stands without the writes
		}
		return err
	})
}

func (s *settlement) panicProblem() problem {
	if s.call.claim.Atomic() {
		return newProblem(http.StatusInternalServerError, CodeRequestFailed, "the request failed and left no effect")
	}
	return newProblem(http.StatusInternalServerError, CodeOutcomeUnknown, "the request ended without an answer; it may have taken effect")
}

// end runs the write, again when the store stumbles: between tries another worker cannot get in, since the lease
// still holds.
func (s *settlement) end(ctx context.Context, kind EventKind, write func(context.Context) error) replacement {
	err := write(ctx)
	if !s.call.claim.Atomic() {
		for wait := 10 * time.Millisecond; err != nil && !errors.Is(err, ErrLost) && sleep(ctx, wait); wait *= 4 {
			err = write(ctx)
		}
	}
	switch {
	case err == nil:
		s.emit(ctx, s.scope, Event{Kind: kind, Status: s.answer.status, Age: s.took})
		return nil
	case errors.Is(err, ErrLost):
		lost := EventLost
		if s.call.claim.Atomic() {
			lost = EventReleased // its effect went with it
		}
		s.emit(ctx, s.scope, Event{Kind: lost, Status: s.answer.status, Age: s.took, Err: err})
		return s.winner
	case errors.Is(err, ErrUndone):
		s.emit(ctx, s.scope, Event{Kind: EventReleased, Status: http.StatusInternalServerError, Age: s.took, Err: err})
		return func(w http.ResponseWriter, _ *http.Request) {
			writeProblem(w, newProblem(http.StatusInternalServerError, CodeRequestFailed, "the request failed and left no effect"), retry{})
		}
	}
	s.emit(ctx, s.scope, Event{Kind: EventStoreError, Status: s.answer.status, Age: s.took, Err: err})
	if s.call.claim.Atomic() {
		return func(w http.ResponseWriter, r *http.Request) { s.storeDown(w, r, s.scope, err) }
	}
	return nil // the effect stands, so the answer is true; the record stays in flight until its lease ends
}

// winner answers for a worker whose claim has passed on: what the other one said, or that it is still at it.
func (s *settlement) winner(w http.ResponseWriter, r *http.Request) {
	rec, err := s.store.Lookup(context.WithoutCancel(r.Context()), s.scope)
	switch {
	case errors.Is(err, ErrNotFound):
		s.inProgress(w, r, Record{Scope: s.scope, State: InFlight})
	case err != nil:
		s.storeDown(w, r, s.scope, err)
	default:
		s.stand(w, r, Request{Scope: s.scope, Fingerprint: rec.Fingerprint}, rec)
	}
}

// sleep waits, and says whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
