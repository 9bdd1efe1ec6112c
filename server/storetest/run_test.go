package storetest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/storetest"
)

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Harness {
		c := newClock()
		return storetest.Harness{Store: idempotency.NewMemory(c.Now), Advance: c.Advance}
	})
}

// The mutants are stores with one well-known fault each. The suite must tell every one of them from a right store.
func TestMutantsFail(t *testing.T) {
	for name, mutate := range map[string]func(idempotency.Store) idempotency.Store{
		"no lock": func(s idempotency.Store) idempotency.Store { return &noLock{Store: s} },
		"check then insert": func(s idempotency.Store) idempotency.Store {
			return &checkThenInsert{Store: s}
		},
		"no fencing":       func(s idempotency.Store) idempotency.Store { return &noFencing{Store: s} },
		"no scope":         func(s idempotency.Store) idempotency.Store { return &noScope{Store: s} },
		"TTL for the lock": func(s idempotency.Store) idempotency.Store { return &ttlLock{Store: s} },
		"joined scope":     func(s idempotency.Store) idempotency.Store { return &joinedScope{Store: s} },
		"no fingerprint":   func(s idempotency.Store) idempotency.Store { return &noFingerprint{Store: s} },
	} {
		t.Run(name, func(t *testing.T) {
			var caught []string
			for _, c := range storetest.Cases() {
				clk := newClock()
				store := mutate(idempotency.NewMemory(clk.Now))
				if c.Check(t.Context(), storetest.Harness{Store: store, Advance: clk.Advance}) != nil {
					caught = append(caught, c.Name)
				}
			}
			if len(caught) == 0 {
				t.Error("the suite takes it for a right store")
			}
			t.Logf("told by %q", caught)
		})
	}
}

// noLock runs every request that finds another one in flight. It counts atomically: its fault is in what it answers, and
// must not be told by the race detector in place of the suite.
type noLock struct {
	idempotency.Store
	n atomic.Int32
}

func (s *noLock) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	claim, rec, err := s.Store.Claim(ctx, req)
	if claim == nil && rec.State == idempotency.InFlight { // what is not complete may run
		own := req
		own.Scope.Key += string('a' + s.n.Add(1)%26)
		return s.Store.Claim(ctx, own)
	}
	return claim, rec, err
}

// checkThenInsert looks, waits as a network would, and writes without a condition.
type checkThenInsert struct {
	idempotency.Store
}

func (s *checkThenInsert) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	if rec, err := s.Lookup(ctx, req.Scope); err == nil {
		return nil, rec, nil
	}
	<-time.After(200 * time.Microsecond)
	claim, _, err := s.Store.Claim(ctx, req)
	if err != nil {
		return nil, idempotency.Record{}, err
	}
	return &unfenced{Claim: claim, req: req}, idempotency.Record{}, nil
}

// unfenced pretends that every write was made.
type unfenced struct {
	idempotency.Claim
	req idempotency.Request
}

func (c *unfenced) Record() idempotency.Record {
	if c.Claim != nil {
		return c.Claim.Record()
	}
	return idempotency.Record{Scope: c.req.Scope, Fingerprint: c.req.Fingerprint, State: idempotency.InFlight, Token: idempotency.NewToken()}
}

func (c *unfenced) Complete(ctx context.Context, resp idempotency.Response) error {
	if c.Claim == nil {
		return nil
	}
	return ignoreLost(c.Claim.Complete(ctx, resp))
}

func ignoreLost(err error) error {
	if errors.Is(err, idempotency.ErrLost) {
		return nil
	}
	return err
}

type noFencing struct{ idempotency.Store }

func (s *noFencing) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	claim, rec, err := s.Store.Claim(ctx, req)
	if claim == nil {
		return nil, rec, err
	}
	return &unfenced{Claim: claim, req: req}, rec, nil
}

type noScope struct{ idempotency.Store }

func (s *noScope) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	inner := req
	inner.Scope = idempotency.Scope{Key: req.Scope.Key}
	return rescope(s.Store, ctx, req, inner)
}

type joinedScope struct{ idempotency.Store }

func (s *joinedScope) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	inner := req
	inner.Scope = idempotency.Scope{Key: req.Scope.Caller + ":" + req.Scope.Operation + ":" + req.Scope.Key}
	return rescope(s.Store, ctx, req, inner)
}

// rescope hides that the records live under another scope.
func rescope(s idempotency.Store, ctx context.Context, req, inner idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	claim, rec, err := s.Claim(ctx, inner)
	rec.Scope = req.Scope
	if claim == nil {
		return nil, rec, err
	}
	return &rescoped{Claim: claim, scope: req.Scope}, rec, err
}

type rescoped struct {
	idempotency.Claim
	scope idempotency.Scope
}

func (c *rescoped) Record() idempotency.Record {
	rec := c.Claim.Record()
	rec.Scope = c.scope
	return rec
}

// ttlLock lets the lock run out like a cache entry: whoever comes next starts from nothing.
type ttlLock struct{ idempotency.Store }

func (s *ttlLock) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	if rec, err := s.Lookup(ctx, req.Scope); err == nil && rec.Abandoned {
		took := req
		took.Fingerprint, took.Resumable = rec.Fingerprint, true
		claim, _, err := s.Store.Claim(ctx, took)
		if err != nil || claim == nil {
			return nil, rec, err
		}
		return &forgetful{Claim: claim, req: req}, idempotency.Record{}, nil
	}
	return s.Store.Claim(ctx, req)
}

type forgetful struct {
	idempotency.Claim
	req idempotency.Request
}

func (c *forgetful) Record() idempotency.Record {
	rec := c.Claim.Record()
	rec.Steps, rec.RecoveryPoint, rec.Fingerprint = nil, "", c.req.Fingerprint
	return rec
}

type noFingerprint struct{ idempotency.Store }

func (s *noFingerprint) Claim(ctx context.Context, req idempotency.Request) (idempotency.Claim, idempotency.Record, error) {
	claim, rec, err := s.Store.Claim(ctx, req)
	rec.Fingerprint = req.Fingerprint
	return claim, rec, err
}

func TestCasesHaveNames(t *testing.T) {
	names := map[string]bool{}
	for _, c := range storetest.Cases() {
		names[c.Name] = true
	}
	if got := len(slices.Collect(maps.Keys(names))); got != len(storetest.Cases()) {
		t.Errorf("%d names of %d cases", got, len(storetest.Cases()))
	}
}
