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
	print    Fingerprint // of the request
	answer   *recorder
	bounded  *bounded
	scope    Scope
	took     time.Duration
	panicked bool
	// instead answers in place of the handler's own answer. Nil: that one is true.
	instead func(w http.ResponseWriter, r *http.Request)
}

// serve runs the handler and settles its claim. A panic passes on to whoever recovers outside, and so does
// runtime.Goexit; the claim is settled first.
func (s *settlement) serve(next http.Handler, r *http.Request, started time.Time) {
	defer func() {
		s.heart.stop(s.call)
		s.answer.finish()
		s.took = s.Clock().Sub(started)
		s.observe(s.took)
		defer s.bounded.release()
		s.settle(s.bounded)
	}()
	next.ServeHTTP(s.answer, r)
	s.panicked = false
}

func (s *settlement) settle(ctx context.Context) {
	failed := s.panicked || s.answer.status >= http.StatusInternalServerError
	undoable := s.call.claim.Atomic() || s.Resumable
	switch {
	case s.call.noEffect.Load() && !s.panicked, failed && s.Failures == ReattemptFailures && undoable:
		s.end(ctx, releaseIt, Response{})
	case s.panicked:
		s.end(ctx, failIt, s.panicProblem().response())
	default:
		resp := s.answer.response(s.allowed, s.MaxResponse, s.call.resourceID())
		if resp.Dropped {
			s.emit(ctx, s.scope, Event{Kind: EventDropped, Status: resp.Status})
		}
		how := completeIt
		if failed {
			how = failIt
		}
		s.end(ctx, how, resp)
	}
}

// ending is the way in which a claim ends.
type ending int

const (
	releaseIt ending = iota
	completeIt
	failIt
)

func (s *settlement) write(ctx context.Context, how ending, resp Response) error {
	claim := s.call.claim
	switch how {
	case releaseIt:
		return claim.Release(ctx)
	case failIt:
		return claim.Fail(ctx, resp)
	case completeIt:
	}
	err := claim.Complete(ctx, resp)
	if errors.Is(err, ErrUndone) && resp.Status >= http.StatusBadRequest {
		return claim.Fail(ctx, resp) // a refusal stands without the writes
	}
	return err
}

func (s *settlement) panicProblem() problem {
	if s.call.claim.Atomic() {
		return newProblem(http.StatusInternalServerError, CodeRequestFailed, "the request failed and left no effect")
	}
	return newProblem(http.StatusInternalServerError, CodeOutcomeUnknown, "the request ended without an answer; it may have taken effect")
}

// end writes, again when the store stumbles: between tries another worker cannot get in, since the lease still holds.
func (s *settlement) end(ctx context.Context, how ending, resp Response) {
	atomic := s.call.claim.Atomic()
	err := s.write(ctx, how, resp)
	for wait := 10 * time.Millisecond; err != nil && !atomic && !errors.Is(err, ErrLost) && sleep(ctx, wait); wait *= 4 {
		err = s.write(ctx, how, resp)
	}
	event := Event{Kind: EventCompleted, Status: s.answer.status, Age: s.took, Err: err}
	switch {
	case err == nil:
		if how == releaseIt {
			event.Kind = EventReleased
		}
	case errors.Is(err, ErrLost):
		event.Kind = EventLost
		if atomic {
			event.Kind = EventReleased // its effect went with it
		}
		s.instead = s.winner
	case errors.Is(err, ErrUndone):
		event.Kind = EventReleased
		s.instead = func(w http.ResponseWriter, _ *http.Request) {
			writeProblem(w, newProblem(http.StatusInternalServerError, CodeRequestFailed, "the request failed and left no effect"), retry{})
		}
	default:
		event.Kind = EventStoreError // the record stays in flight until its lease ends
		if atomic {                  // elsewhere the effect stands, so that the handler's answer is true
			s.instead = func(w http.ResponseWriter, r *http.Request) { s.storeDown(w, r, s.scope, err) }
		}
	}
	s.emit(ctx, s.scope, event)
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
		s.stand(w, r, Request{Scope: s.scope, Fingerprint: s.print}, rec)
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
