package storetest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

func replay(ctx context.Context, h Harness) error {
	for _, resumable := range []bool{false, true} {
		for _, answer := range []idempotency.Response{
			response(http.StatusCreated, `{"id":1}`),
			{Status: http.StatusNoContent},
			{Status: http.StatusOK, Header: http.Header{"Link": {"<a>", "<b>"}, "Location": {"/é'\"\\"}}, Body: []byte{0, 1, 0xff, '\'', '\\', '"'}},
			{Status: http.StatusCreated, Dropped: true, ResourceID: "order '7' \\ \""},
			response(http.StatusOK, string(make([]byte, 300_000))),
		} {
			req := request(resumable)
			claim, err := mustClaim(ctx, h.Store, req)
			if err != nil {
				return err
			}
			if err := claim.Complete(ctx, answer); err != nil {
				return fmt.Errorf("calling Complete: %w", err)
			}
			if err := mustReplay(ctx, h.Store, req, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

func window(ctx context.Context, h Harness) error {
	for _, resumable := range []bool{false, true} {
		req := request(resumable)
		if err := want(lookupError(ctx, h.Store, req), idempotency.ErrNotFound, "Lookup of an absent scope"); err != nil {
			return err
		}
		for _, body := range []string{"first", "second"} {
			claim, err := mustClaim(ctx, h.Store, req)
			if err != nil {
				return err
			}
			if err := claim.Complete(ctx, response(http.StatusOK, body)); err != nil {
				return err
			}
			h.Advance(windowTime - time.Second)
			if err := mustReplay(ctx, h.Store, req, response(http.StatusOK, body)); err != nil {
				return err
			}
			h.Advance(2 * time.Second)
			if err := want(lookupError(ctx, h.Store, req), idempotency.ErrNotFound, "Lookup after the window"); err != nil {
				return err
			}
			req = otherPayload(req) // a new use of the key may ask for something else
		}
	}
	return nil
}

func lookupError(ctx context.Context, store idempotency.Store, req idempotency.Request) error {
	_, err := store.Lookup(ctx, req.Scope)
	return err
}

func rivals(ctx context.Context, h Harness) error {
	return race(ctx, []idempotency.Store{h.Store}, 16, 0)
}

func staggered(ctx context.Context, h Harness) error {
	for _, gap := range []time.Duration{50 * time.Microsecond, 500 * time.Microsecond} {
		if err := race(ctx, []idempotency.Store{h.Store}, 8, gap); err != nil {
			return fmt.Errorf("%v apart: %w", gap, err)
		}
	}
	return nil
}

func twoHandles(ctx context.Context, h Harness) error {
	if h.Second == nil {
		return nil
	}
	return race(ctx, []idempotency.Store{h.Store, h.Second}, 8, 50*time.Microsecond)
}

// race lets rivals claim one scope each and complete it at once; the rest must find it in flight or complete.
func race(ctx context.Context, stores []idempotency.Store, n int, gap time.Duration) error {
	for _, resumable := range []bool{false, true} {
		for range 20 {
			req := request(resumable)
			var (
				wg   sync.WaitGroup
				mu   sync.Mutex
				wins int
				errs []error
			)
			for i := range n {
				wg.Go(func() {
					idle(time.Duration(i) * gap)
					claim, rec, err := stores[i%len(stores)].Claim(ctx, req)
					if claim != nil {
						err = claim.Complete(ctx, response(http.StatusOK, "won"))
					}
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err != nil:
						errs = append(errs, err)
					case claim != nil:
						wins++
					case rec.Fingerprint != req.Fingerprint:
						errs = append(errs, fmt.Errorf("a rival was shown %+v", rec))
					}
				})
			}
			wg.Wait()
			if wins != 1 || len(errs) > 0 {
				return fmt.Errorf("%d claims of one key, errors %v", wins, errs)
			}
		}
	}
	return nil
}

// idle waits without giving up its turn: a timer is too coarse for tens of microseconds.
func idle(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func scopes(ctx context.Context, h Harness) error {
	base := request(false).Scope
	for _, s := range []idempotency.Scope{
		base,
		{Caller: base.Caller + "2", Operation: base.Operation, Key: base.Key},
		{Caller: base.Caller, Operation: "POST /refunds", Key: base.Key},
		{Caller: base.Caller, Operation: base.Operation, Key: base.Key + "2"},
		{Caller: base.Caller + ":a", Operation: "b", Key: base.Key},
		{Caller: base.Caller, Operation: "a:b", Key: base.Key},
		{Caller: base.Caller, Operation: "a", Key: "b:" + base.Key},
		{Caller: base.Caller, Operation: base.Operation, Key: "k" + base.Key},
		{Caller: base.Caller, Operation: base.Operation, Key: "K" + base.Key},
	} {
		req := request(false)
		req.Scope = s
		claim, err := mustClaim(ctx, h.Store, req)
		if err != nil {
			return fmt.Errorf("%+v: %w", s, err)
		}
		if err := claim.Complete(ctx, response(http.StatusOK, s.Caller)); err != nil {
			return err
		}
	}
	return nil
}

func inFlight(ctx context.Context, h Harness) error {
	for _, resumable := range []bool{false, true} {
		for _, store := range []idempotency.Store{h.Store, h.Second} {
			if store == nil {
				continue
			}
			req := request(resumable)
			claim, err := mustClaim(ctx, h.Store, req)
			if err != nil {
				return err
			}
			rec, err := mustRefuse(ctx, store, req)
			if err != nil {
				return err
			}
			if rec.State != idempotency.InFlight || rec.Fingerprint != req.Fingerprint || rec.Abandoned {
				return fmt.Errorf("a rival was shown %+v", rec)
			}
			if rec, err = mustRefuse(ctx, store, otherPayload(req)); err != nil {
				return err
			}
			if rec.State != idempotency.InFlight || rec.Fingerprint == otherPayload(req).Fingerprint {
				return fmt.Errorf("a rival with another payload was shown %+v", rec)
			}
			if err := claim.Release(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func release(ctx context.Context, h Harness) error {
	for _, resumable := range []bool{false, true} {
		req := request(resumable)
		claim, err := mustClaim(ctx, h.Store, req)
		if err != nil {
			return err
		}
		if err := claim.Release(ctx); err != nil {
			return fmt.Errorf("calling Release: %w", err)
		}
		if err := want(lookupError(ctx, h.Store, req), idempotency.ErrNotFound, "Lookup after Release"); err != nil {
			return err
		}
		again, err := mustClaim(ctx, h.Store, otherPayload(req))
		if err != nil {
			return err
		}
		if err := again.Release(ctx); err != nil {
			return err
		}
	}
	return nil
}

func fail(ctx context.Context, h Harness) error {
	for _, resumable := range []bool{false, true} {
		req := request(resumable)
		claim, err := mustClaim(ctx, h.Store, req)
		if err != nil {
			return err
		}
		answer := response(http.StatusInternalServerError, "broken")
		if err := claim.Fail(ctx, answer); err != nil {
			return fmt.Errorf("calling Fail: %w", err)
		}
		if err := mustReplay(ctx, h.Store, req, answer); err != nil {
			return err
		}
	}
	return nil
}

func failThenClaim(ctx context.Context, h Harness) error {
	if h.Second == nil {
		return nil
	}
	req := request(false)
	claim, err := mustClaim(ctx, h.Store, req)
	if err != nil {
		return err
	}
	if err := claim.Release(ctx); err != nil {
		return err
	}
	claim, err = mustClaim(ctx, h.Second, req)
	if err != nil {
		return err
	}
	if err := claim.Fail(ctx, response(http.StatusBadGateway, "no")); err != nil {
		return err
	}
	return mustReplay(ctx, h.Store, req, response(http.StatusBadGateway, "no"))
}
