package idempotency

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is a store in the process's own memory: for tests, and for a single process that may forget its records when
// it ends. Safe for concurrent use.
type Memory struct {
	clock func() time.Time

	mu      sync.Mutex
	records map[memoryID]*memoryRecord
	queue   []*memoryRecord // in order of creation, for forgetting what has expired
}

// memoryID names a scope: half of its digest, since a map without pointers in its keys costs the collector less.
type memoryID [16]byte

func memoryName(scope Scope) memoryID {
	digest := scope.Digest()
	return memoryID(digest[:16])
}

// memoryRecord is small once it is complete: most records of a store that has run for a while are, and what they hold
// is one block of bytes, into which the collector need not look.
type memoryRecord struct {
	id      memoryID
	claim   *Record // while in flight
	answer  packed  // from completion on
	expires time.Time
}

func (r *memoryRecord) full(scope Scope) Record {
	if r.claim != nil {
		return *r.claim
	}
	rec := r.answer.unpack()
	rec.Scope, rec.Expires = scope, r.expires
	return rec
}

func (r *memoryRecord) token() Token {
	if r.claim != nil {
		return r.claim.Token
	}
	return r.answer.token()
}

func (r *memoryRecord) created() time.Time {
	if r.claim != nil {
		return r.claim.Created
	}
	return r.answer.created()
}

// NewMemory makes an empty store. A nil clock means time.Now.
func NewMemory(clock func() time.Time) *Memory {
	if clock == nil {
		clock = time.Now
	}
	return &Memory{clock: clock, records: map[memoryID]*memoryRecord{}}
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, req Request) (Claim, Record, error) {
	id := memoryName(req.Scope)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	m.forget(now)
	rec, ok := m.records[id]
	live := ok && m.live(rec, now)
	if live && (!req.Resumable || !rec.abandoned(now) || rec.claim.Fingerprint != req.Fingerprint) {
		return nil, rec.view(req.Scope, now), nil
	}
	c := &memoryClaim{store: m, scope: req.Scope, token: NewToken(), lease: req.Lease, window: req.Window}
	if live {
		c.held = *rec.claim
	} else {
		rec = &memoryRecord{id: id}
		c.held = Record{Scope: req.Scope, Fingerprint: req.Fingerprint, State: InFlight, Created: now, Payload: req.Payload}
		m.queue = append(m.queue, rec)
		m.records[id] = rec
	}
	c.held.Token, c.held.LockedAt, c.held.LeaseUntil = c.token, now, now.Add(req.Lease)
	c.record, rec.claim = rec, &c.held
	return c, rec.view(req.Scope, now), nil
}

// Lookup implements Store.
func (m *Memory) Lookup(_ context.Context, scope Scope) (Record, error) {
	id := memoryName(scope)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	rec, ok := m.records[id]
	if !ok || !m.live(rec, now) {
		return Record{}, ErrNotFound
	}
	return rec.view(scope, now), nil
}

func (m *Memory) live(rec *memoryRecord, now time.Time) bool {
	return rec.claim != nil || now.Before(rec.expires)
}

// forget drops at most two expired records from the head of the queue, so that the map does not grow past its window,
// and clears the queue of released ones when they are the most.
func (m *Memory) forget(now time.Time) {
	if len(m.queue) > 2*len(m.records)+64 {
		m.queue = slices.DeleteFunc(m.queue, func(rec *memoryRecord) bool { return !m.current(rec) })
	}
	for range 2 {
		if len(m.queue) == 0 || (m.current(m.queue[0]) && m.live(m.queue[0], now)) {
			return
		}
		m.drop(m.queue[0])
		m.queue[0] = nil
		m.queue = m.queue[1:]
	}
}

// current says that the record has not been released or replaced.
func (m *Memory) current(rec *memoryRecord) bool { return m.records[rec.id] == rec }

func (m *Memory) drop(rec *memoryRecord) {
	if m.current(rec) {
		delete(m.records, rec.id)
	}
}

func (r *memoryRecord) abandoned(now time.Time) bool {
	return r.claim != nil && !now.Before(r.claim.LeaseUntil)
}

func (r *memoryRecord) view(scope Scope, now time.Time) Record {
	out := r.full(scope)
	out.Abandoned = r.abandoned(now)
	out.Steps = maps.Clone(out.Steps)
	return out
}

type memoryClaim struct {
	store         *Memory
	record        *memoryRecord
	scope         Scope
	token         Token
	lease, window time.Duration
	held          Record // what record.claim points to while this claim is the one in force
}

func (c *memoryClaim) Record() Record {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	out := c.record.view(c.scope, c.store.clock())
	out.Token = c.token // its own, also when another claim has followed
	return out
}

func (c *memoryClaim) Bind(ctx context.Context) context.Context { return ctx }
func (c *memoryClaim) Atomic() bool                             { return false }

// write changes the record if the claim still holds and the record is in flight, or, for the answer, whatever its state.
func (c *memoryClaim) write(final bool, change func(rec *memoryRecord, now time.Time)) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	rec := c.record
	if !c.store.current(rec) || rec.token() != c.token || (rec.claim == nil && !final) {
		return ErrLost
	}
	change(rec, c.store.clock())
	return nil
}

func (c *memoryClaim) Renew(context.Context) error {
	return c.write(false, func(rec *memoryRecord, now time.Time) { rec.claim.LeaseUntil = now.Add(c.lease) })
}

func (c *memoryClaim) Advance(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) error {
	if err := c.write(false, func(*memoryRecord, time.Time) {}); err != nil {
		return err
	}
	result, err := fn(ctx)
	if err != nil {
		return err
	}
	return c.write(false, func(r *memoryRecord, now time.Time) {
		rec := r.claim
		if rec.Steps == nil {
			rec.Steps = map[string][]byte{}
		}
		rec.Steps[name], rec.RecoveryPoint = result, name
		rec.LeaseUntil = now.Add(c.lease)
	})
}

func (c *memoryClaim) Complete(_ context.Context, resp Response) error {
	return c.write(true, func(r *memoryRecord, now time.Time) {
		rec := r.full(c.scope)
		rec.Response = resp
		r.claim, r.answer, r.expires = nil, pack(&rec), now.Add(c.window)
	})
}

func (c *memoryClaim) Fail(ctx context.Context, resp Response) error { return c.Complete(ctx, resp) }

func (c *memoryClaim) Release(context.Context) error {
	return c.write(false, func(rec *memoryRecord, now time.Time) {
		if rec.claim.RecoveryPoint != "" {
			rec.claim.LeaseUntil = now
			return
		}
		c.store.drop(rec)
	})
}
