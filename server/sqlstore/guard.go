package sqlstore

import (
	"context"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// guard answers the rivals of a claim inside this process without asking the database: a burst on one key takes one
// connection from the pool, not one each. Between processes the database decides.
type guard struct {
	mu      sync.Mutex
	entries map[scopeID]*entry
	recent  recent
}

// entry is one claim of this process, or the question for one.
type entry struct {
	fingerprint idempotency.Fingerprint
	lockedAt    time.Time
	decided     chan struct{}
	standing    *idempotency.Record // what stood in the way, once decided; nil: the claim was given, or the question failed
	failed      bool
}

// enter makes the caller the one that asks for the scope, or returns the entry of whoever does.
func (g *guard) enter(id scopeID, fingerprint idempotency.Fingerprint, now time.Time) (mine *entry, other *entry) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.entries[id]; ok {
		return nil, e
	}
	e := &entry{fingerprint: fingerprint, lockedAt: now, decided: make(chan struct{})}
	g.entries[id] = e
	return e, nil
}

func (g *guard) leave(id scopeID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.entries, id)
}

// claimed tells rivals that the entry works on its scope from now on.
func (e *entry) claimed() { close(e.decided) }

// refused hands rivals the record that stands there, or the failure to find out (nil), and frees the scope.
func (g *guard) refused(id scopeID, e *entry, standing *idempotency.Record) {
	e.standing, e.failed = standing, standing == nil
	g.leave(id)
	close(e.decided)
}

// wait returns what a rival is to be told: a record, or false to ask for itself.
func (e *entry) wait(ctx context.Context, scope idempotency.Scope) (idempotency.Record, bool, error) {
	select {
	case <-ctx.Done():
		return idempotency.Record{}, false, ctx.Err()
	case <-e.decided:
	}
	switch {
	case e.failed:
		return idempotency.Record{}, false, nil
	case e.standing != nil:
		return *e.standing, true, nil
	}
	return e.record(scope), true, nil
}

// peek returns the claim that this process holds on the scope, if it holds one.
func (g *guard) peek(id scopeID) *entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entries[id]
}

func (e *entry) record(scope idempotency.Scope) idempotency.Record {
	return idempotency.Record{Scope: scope, Fingerprint: e.fingerprint, State: idempotency.InFlight, LockedAt: e.lockedAt}
}
