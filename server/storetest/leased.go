package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

func lease(ctx context.Context, h Harness) error {
	req := request(true)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	if claim.Atomic() {
		return errors.New("a resumable claim must have a lease")
	}
	for range 4 {
		h.Advance(leaseTime - time.Second)
		if rec, err := mustRefuse(ctx, h.Store, req); err != nil || rec.Abandoned {
			return fmt.Errorf("before the lease ends: %w, %+v", err, rec)
		}
		if err := claim.Renew(ctx); err != nil {
			return fmt.Errorf("calling Renew: %w", err)
		}
	}
	h.Advance(leaseTime + time.Second)
	rec, err := h.Store.Lookup(ctx, req.Scope)
	if err != nil || !rec.Abandoned {
		return fmt.Errorf("after the lease: abandoned %v, %w", rec.Abandoned, err)
	}
	return claim.Complete(ctx, response(http.StatusOK, "late, and nobody took over"))
}

func takeover(ctx context.Context, h Harness) error {
	req := request(true)
	first, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	h.Advance(leaseTime + time.Second)
	if rec, err := mustRefuse(ctx, h.Store, otherPayload(req)); err != nil || rec.Fingerprint != req.Fingerprint {
		return fmt.Errorf("another payload after the lease: %w, %+v", err, rec)
	}
	second, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	a, b := first.Record(), second.Record()
	if a.Token == b.Token || !a.Created.Equal(b.Created) || string(b.Payload) != string(req.Payload) {
		return fmt.Errorf("taken over as %+v, was %+v", b, a)
	}
	if rec, err := mustRefuse(ctx, h.Store, req); err != nil || rec.Abandoned {
		return fmt.Errorf("after the takeover: %w, %+v", err, rec)
	}
	return second.Complete(ctx, response(http.StatusOK, "second"))
}

func fencing(ctx context.Context, h Harness) error {
	req := request(true)
	first, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	h.Advance(leaseTime + time.Second)
	other := h.Store
	if h.Second != nil {
		other = h.Second
	}
	second, err := mustClaim(ctx, other, req)
	if err != nil {
		return err
	}
	late := response(http.StatusOK, "late")
	if err := lost(ctx, first, late); err != nil {
		return err
	}
	if err := second.Complete(ctx, response(http.StatusOK, "second")); err != nil {
		return err
	}
	if err := lost(ctx, first, late); err != nil {
		return err
	}
	return mustReplay(ctx, h.Store, req, response(http.StatusOK, "second"))
}

// lost checks that every write of the claim is refused.
func lost(ctx context.Context, claim idempotency.Claim, late idempotency.Response) error {
	return errors.Join(
		want(claim.Renew(ctx), idempotency.ErrLost, "Renew of a lost claim"),
		want(claim.Advance(ctx, "late", func(context.Context) ([]byte, error) { return []byte("1"), nil }), idempotency.ErrLost, "Advance of a lost claim"),
		want(claim.Complete(ctx, late), idempotency.ErrLost, "Complete of a lost claim"),
		want(claim.Fail(ctx, late), idempotency.ErrLost, "Fail of a lost claim"),
		want(claim.Release(ctx), idempotency.ErrLost, "Release of a lost claim"),
	)
}

func reborn(ctx context.Context, h Harness) error {
	req := request(true)
	first, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	if err := first.Release(ctx); err != nil {
		return err
	}
	second, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	if err := lost(ctx, first, response(http.StatusOK, "late")); err != nil {
		return err
	}
	if err := second.Complete(ctx, response(http.StatusOK, "second")); err != nil {
		return err
	}
	return mustReplay(ctx, h.Store, req, response(http.StatusOK, "second"))
}

func phases(ctx context.Context, h Harness) error {
	req := request(true)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	created := claim.Record().Created
	for i, name := range []string{"reserve", "charge.intent", "charge"} {
		want := map[string]string{}
		for _, done := range []string{"reserve", "charge.intent", "charge"}[:i+1] {
			want[done] = `"` + done + `"`
		}
		if err := claim.Advance(ctx, name, func(context.Context) ([]byte, error) { return []byte(want[name]), nil }); err != nil {
			return fmt.Errorf("calling Advance: %w", err)
		}
		h.Advance(leaseTime + time.Second)
		if claim, err = mustClaim(ctx, h.Store, req); err != nil {
			return err
		}
		rec := claim.Record()
		if rec.RecoveryPoint != name || len(rec.Steps) != len(want) || !rec.Created.Equal(created) {
			return fmt.Errorf("resumed with %+v after %s", rec, name)
		}
		for step, result := range want {
			if string(rec.Steps[step]) != result {
				return fmt.Errorf("step %s is kept as %s", step, rec.Steps[step])
			}
		}
	}
	if err := claim.Release(ctx); err != nil {
		return err
	}
	if rec, err := h.Store.Lookup(ctx, req.Scope); err != nil || !rec.Abandoned || len(rec.Steps) != 3 {
		return fmt.Errorf("a release after a phase left %+v, %w", rec, err)
	}
	if claim, err = mustClaim(ctx, h.Store, req); err != nil {
		return err
	}
	return claim.Complete(ctx, response(http.StatusOK, "done"))
}

func failedPhase(ctx context.Context, h Harness) error {
	req := request(true)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	broken := errors.New("broken")
	if err := want(claim.Advance(ctx, "reserve", func(context.Context) ([]byte, error) { return nil, broken }), broken, "Advance"); err != nil {
		return err
	}
	rec, err := h.Store.Lookup(ctx, req.Scope)
	if err != nil || rec.RecoveryPoint != "" || len(rec.Steps) != 0 {
		return fmt.Errorf("a failed phase left %+v, %w", rec, err)
	}
	return claim.Release(ctx)
}

func completeTwice(ctx context.Context, h Harness) error {
	req := request(true)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	answer := response(http.StatusOK, "done")
	if err := claim.Complete(ctx, answer); err != nil {
		return err
	}
	if err := claim.Complete(ctx, answer); err != nil { // as after a confirmation that got lost
		return fmt.Errorf("the same Complete again: %w", err)
	}
	return mustReplay(ctx, h.Store, req, answer)
}

func abandoned(ctx context.Context, h Harness) error {
	sweeper, ok := h.Store.(idempotency.Sweeper)
	if !ok {
		return nil
	}
	req := request(true)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		pass   time.Duration
		listed bool
	}{{0, false}, {leaseTime + time.Second, false}, {time.Minute, true}} {
		h.Advance(c.pass)
		records, err := sweeper.Abandoned(ctx, 30*time.Second, 1000)
		if err != nil {
			return fmt.Errorf("calling Abandoned: %w", err)
		}
		if found(records, req.Scope) != c.listed {
			return fmt.Errorf("listed %v after another %v", !c.listed, c.pass)
		}
	}
	if err := claim.Complete(ctx, response(http.StatusOK, "done")); err != nil {
		return err
	}
	records, err := sweeper.Abandoned(ctx, 0, 1000)
	if err != nil || found(records, req.Scope) {
		return fmt.Errorf("a finished record is listed as abandoned, %w", err)
	}
	return nil
}

func found(records []idempotency.Record, scope idempotency.Scope) bool {
	for _, rec := range records {
		if rec.Scope == scope && rec.State == idempotency.InFlight && len(rec.Payload) > 0 {
			return true
		}
	}
	return false
}

func reap(ctx context.Context, h Harness) error {
	sweeper, ok := h.Store.(idempotency.Sweeper)
	if !ok {
		return nil
	}
	const age = 72 * time.Hour
	h.Advance(2 * age)
	if _, err := sweeper.Reap(ctx, 0, 1<<20); err != nil { // what earlier cases left
		return fmt.Errorf("calling Reap: %w", err)
	}
	done, orphan, live := request(false), request(true), request(true)
	claims := map[string]idempotency.Claim{}
	for name, req := range map[string]idempotency.Request{"done": done, "orphan": orphan, "live": live} {
		claim, err := mustClaim(ctx, h.Store, req)
		if err != nil {
			return err
		}
		claims[name] = claim
	}
	if err := claims["done"].Complete(ctx, response(http.StatusOK, "done")); err != nil {
		return err
	}
	h.Advance(age - time.Hour)
	if got, err := sweeper.Reap(ctx, age, 1000); err != nil || got.Complete != 0 || len(got.Orphans) != 0 {
		return fmt.Errorf("reaped %+v before their time, %w", got, err)
	}
	h.Advance(2 * time.Hour)
	if err := claims["live"].Renew(ctx); err != nil { // nobody took over, so the claim still holds
		return fmt.Errorf("calling Renew after the lease: %w", err)
	}
	got, err := sweeper.Reap(ctx, age, 1000)
	if err != nil {
		return fmt.Errorf("calling Reap: %w", err)
	}
	if got.Complete != 1 || len(got.Orphans) != 1 || got.Orphans[0].Scope != orphan.Scope {
		return fmt.Errorf("reaped %+v", got)
	}
	if _, err := mustRefuse(ctx, h.Store, live); err != nil {
		return fmt.Errorf("the reaper took a live record: %w", err)
	}
	claim, err := mustClaim(ctx, h.Store, otherPayload(orphan))
	if err != nil {
		return err
	}
	return claim.Release(ctx)
}
