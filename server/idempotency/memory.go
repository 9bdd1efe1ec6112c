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
	records map[Scope]*Record
	queue   []*Record // in order of creation, for forgetting what has expired
}

// NewMemory makes an empty store. A nil clock means time.Now.
func NewMemory(clock func() time.Time) *Memory {
	if clock == nil {
		clock = time.Now
	}
	return &Memory{clock: clock, records: map[Scope]*Record{}}
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, req Request) (Claim, Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	m.forget(now)
	rec, ok := m.records[req.Scope]
	switch {
	case ok && m.live(rec, now):
		if !rec.abandoned(now) || !req.Resumable || rec.Fingerprint != req.Fingerprint {
			return nil, rec.view(now), nil
		}
	default:
		rec = &Record{Scope: req.Scope, Fingerprint: req.Fingerprint, State: InFlight, Created: now, Payload: req.Payload}
		m.queue = append(m.queue, rec)
		m.records[req.Scope] = rec
	}
	rec.Token, rec.LockedAt, rec.LeaseUntil = NewToken(), now, now.Add(req.Lease)
	return &memoryClaim{store: m, record: rec, token: rec.Token, lease: req.Lease, window: req.Window}, rec.view(now), nil
}

// Lookup implements Store.
func (m *Memory) Lookup(_ context.Context, scope Scope) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	rec, ok := m.records[scope]
	if !ok || !m.live(rec, now) {
		return Record{}, ErrNotFound
	}
	return rec.view(now), nil
}

func (m *Memory) live(rec *Record, now time.Time) bool {
	return rec.State == InFlight || now.Before(rec.Expires)
}

// forget drops at most two expired records from the head of the queue, so that the map does not grow past its window,
// and clears the queue of released ones when they are the most.
func (m *Memory) forget(now time.Time) {
	if len(m.queue) > 2*len(m.records)+64 {
		m.queue = slices.DeleteFunc(m.queue, func(rec *Record) bool { return !m.current(rec) })
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
func (m *Memory) current(rec *Record) bool { return m.records[rec.Scope] == rec }

func (m *Memory) drop(rec *Record) {
	if m.current(rec) {
		delete(m.records, rec.Scope)
	}
}

func (r *Record) abandoned(now time.Time) bool {
	return r.State == InFlight && !r.LeaseUntil.IsZero() && !now.Before(r.LeaseUntil)
}

func (r *Record) view(now time.Time) Record {
	out := *r
	out.Abandoned = r.abandoned(now)
	out.Steps = maps.Clone(r.Steps)
	return out
}

type memoryClaim struct {
	store         *Memory
	record        *Record
	token         Token
	lease, window time.Duration
}

func (c *memoryClaim) Record() Record {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	out := c.record.view(c.store.clock())
	out.Token = c.token // its own, also when another claim has followed
	return out
}

func (c *memoryClaim) Bind(ctx context.Context) context.Context { return ctx }
func (c *memoryClaim) Atomic() bool                             { return false }

// write changes the record if the claim still holds, or, for the answer, if it held to the end.
func (c *memoryClaim) write(change func(rec *Record, now time.Time), states ...State) error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	rec := c.record
	if !c.store.current(rec) || rec.Token != c.token || (rec.State != InFlight && !slices.Contains(states, rec.State)) {
		return ErrLost
	}
	change(rec, c.store.clock())
	return nil
}

func (c *memoryClaim) Renew(context.Context) error {
	return c.write(func(rec *Record, now time.Time) { rec.LeaseUntil = now.Add(c.lease) })
}

func (c *memoryClaim) Advance(ctx context.Context, name string, fn func(context.Context) ([]byte, error)) error {
	if err := c.write(func(*Record, time.Time) {}); err != nil {
		return err
	}
	result, err := fn(ctx)
	if err != nil {
		return err
	}
	return c.write(func(rec *Record, now time.Time) {
		if rec.Steps == nil {
			rec.Steps = map[string][]byte{}
		}
		rec.Steps[name], rec.RecoveryPoint = result, name
		rec.LeaseUntil = now.Add(c.lease)
	})
}

func (c *memoryClaim) Complete(_ context.Context, resp Response) error {
	return c.write(func(rec *Record, now time.Time) {
		rec.State, rec.Response, rec.Expires = Complete, resp, now.Add(c.window)
		rec.Payload, rec.Steps = nil, nil
	}, Complete)
}

func (c *memoryClaim) Fail(ctx context.Context, resp Response) error { return c.Complete(ctx, resp) }

func (c *memoryClaim) Release(context.Context) error {
	return c.write(func(rec *Record, now time.Time) {
		if rec.RecoveryPoint != "" {
			rec.LeaseUntil = now
			return
		}
		c.store.drop(rec)
	})
}
