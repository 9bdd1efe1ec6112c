package idempotency

import (
	"errors"
	"net/http"
	"time"
)

// stand answers for a record that stands in the way of a claim. The fingerprint is looked at before the state, so that
// a reused key is told as such while the first request is still in flight.
func (g *guard) stand(w http.ResponseWriter, r *http.Request, req Request, rec Record) {
	switch {
	case rec.Fingerprint != req.Fingerprint:
		g.reused(w, r, rec)
	case rec.State == Complete:
		g.replay(w, r, rec)
	case rec.Abandoned && !g.Resumable:
		g.unknown(w, r, rec)
	case g.InFlight == InFlightWait:
		g.wait(w, r, req, rec)
	default:
		g.inProgress(w, r, rec)
	}
}

// reused tells the state of the original and nothing of its content.
func (g *guard) reused(w http.ResponseWriter, r *http.Request, rec Record) {
	p := newProblem(g.ReusedStatus, CodeReused, "this key was used with another payload; a changed request needs a new key")
	p.Original = rec.State
	g.emit(r.Context(), rec.Scope, Event{Kind: EventMismatch, Code: p.Code, Status: p.Status})
	writeProblem(w, p, retry{never: true})
}

func (g *guard) replay(w http.ResponseWriter, r *http.Request, rec Record) {
	g.emit(r.Context(), rec.Scope, Event{Kind: EventReplayed, Status: rec.Response.Status, Age: g.age(rec.Created)})
	h := w.Header()
	h[replayedHeader] = trueValue
	if rec.Response.Dropped {
		copyHeader(h, keepOnly(rec.Response.Header, "Location"))
		p := newProblem(http.StatusGone, CodeResponseDropped, "the request took effect; its answer was too large to be kept")
		p.Original, p.Resource = Complete, rec.Response.ResourceID
		writeProblem(w, p, retry{never: true})
		return
	}
	copyHeader(h, rec.Response.Header)
	w.WriteHeader(rec.Response.Status)
	_, _ = w.Write(rec.Response.Body) // the client may be gone
}

var trueValue = []string{"true"}

func keepOnly(h http.Header, name string) http.Header {
	if values, ok := h[name]; ok {
		return http.Header{name: values}
	}
	return nil
}

// unknown is the honest word about a worker that left without one: repeating could double the effect, so nobody does.
func (g *guard) unknown(w http.ResponseWriter, r *http.Request, rec Record) {
	p := newProblem(http.StatusInternalServerError, CodeOutcomeUnknown, "the first request with this key ended without an answer; it may have taken effect")
	p.Original = rec.State
	g.emit(r.Context(), rec.Scope, Event{Kind: EventUnknown, Code: p.Code, Status: p.Status, Age: g.age(rec.LockedAt)})
	writeProblem(w, p, retry{never: true})
}

func (g *guard) inProgress(w http.ResponseWriter, r *http.Request, rec Record) {
	status := http.StatusConflict
	if g.InFlight == InFlightAccept {
		status = http.StatusAccepted
		w.Header().Set("Location", g.StatusURL(r, rec))
	}
	p := newProblem(status, CodeInProgress, "the first request with this key is still running")
	p.Original = InFlight
	age := g.age(rec.LockedAt)
	g.emit(r.Context(), rec.Scope, Event{Kind: EventInProgress, Code: p.Code, Status: status, Age: age})
	writeProblem(w, p, retry{after: g.remaining(age)})
}

// remaining is what the usual duration leaves after the claim's age, within [50 ms, lease].
func (g *guard) remaining(age time.Duration) time.Duration {
	left := time.Duration(g.usual.Load()) - age
	if g.usual.Load() == 0 {
		left = time.Second
	}
	return min(max(left, 50*time.Millisecond), g.Lease)
}

func (g *guard) age(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, g.Clock().Sub(since))
}

// wait polls until the record moves or the bound is reached. A record that vanished was released: the client is told
// to come again, and its next attempt claims the key.
func (g *guard) wait(w http.ResponseWriter, r *http.Request, req Request, rec Record) {
	deadline := time.NewTimer(g.MaxWait)
	defer deadline.Stop()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		tick := time.NewTimer(pause)
		select {
		case <-r.Context().Done():
			tick.Stop()
			return
		case <-deadline.C:
			tick.Stop()
			g.inProgress(w, r, rec)
			return
		case <-tick.C:
		}
		next, err := g.store.Lookup(r.Context(), req.Scope)
		switch {
		case errors.Is(err, ErrNotFound):
			g.inProgress(w, r, rec)
			return
		case err != nil:
			g.storeDown(w, r, req.Scope, err)
			return
		case next.State == Complete:
			g.stand(w, r, req, next)
			return
		case next.Abandoned && g.Resumable:
			g.inProgress(w, r, next) // the next attempt takes it over
			return
		case next.Abandoned:
			g.unknown(w, r, next)
			return
		}
	}
}
