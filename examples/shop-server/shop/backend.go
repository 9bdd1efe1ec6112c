package shop

import (
	"context"
	"maps"
	"sync"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// Backend keeps what the shop knows and, beside it, the idempotency records. It is safe for concurrent use.
type Backend interface {
	// Keys keeps the records. What a keyed request writes through Run is committed together with its record, as far as
	// the backend has transactions.
	Keys() idempotency.Store
	// Run runs f in a transaction: in that of the keyed request or the phase that ctx belongs to, or else in one of its
	// own, which is undone when f fails.
	Run(ctx context.Context, f func(tx Tx) error) error
}

// Tx reads and writes objects, which are JSON texts, by kind and identifier, and counters.
type Tx interface {
	// Get returns the object, or nil when there is none. Nobody else changes it until the transaction ends.
	Get(kind, id string) ([]byte, error)
	// Find returns the oldest object with the name, or nil.
	Find(kind, name string) ([]byte, error)
	// List returns the objects of a kind, the oldest first.
	List(kind string) ([][]byte, error)
	// Put stores an object. An object that is there already keeps its age and its name.
	Put(kind, id, name string, body []byte) error
	Delete(kind, id string) error
	// Add adds to a counter, which begins at 0, and returns its new value.
	Add(group, name string, n int64) (int64, error)
	// Counters returns all counters by group and name.
	Counters() (map[string]map[string]int64, error)
}

// memory is the backend of a shop that forgets everything when its process ends.
type memory struct {
	keys *idempotency.Memory

	mu       sync.Mutex
	objects  map[string]*table
	counters map[string]map[string]int64
}

type table struct {
	order  []string // identifiers, the oldest first
	bodies map[string][]byte
	names  map[string]string // name: identifier of the oldest object with it
}

// NewMemory makes an empty backend in memory.
func NewMemory() Backend {
	return &memory{keys: idempotency.NewMemory(nil), objects: map[string]*table{}, counters: map[string]map[string]int64{}}
}

func (m *memory) Keys() idempotency.Store { return m.keys }

// Run lets one transaction run at a time. There is no undo, because the shop writes at the very end of one.
func (m *memory) Run(_ context.Context, f func(tx Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(memoryTx{m})
}

type memoryTx struct{ m *memory }

func (tx memoryTx) table(kind string) *table {
	t := tx.m.objects[kind]
	if t == nil {
		t = &table{bodies: map[string][]byte{}, names: map[string]string{}}
		tx.m.objects[kind] = t
	}
	return t
}

func (tx memoryTx) Get(kind, id string) ([]byte, error) { return tx.table(kind).bodies[id], nil }

func (tx memoryTx) Find(kind, name string) ([]byte, error) {
	t := tx.table(kind)
	return t.bodies[t.names[name]], nil
}

func (tx memoryTx) List(kind string) ([][]byte, error) {
	t := tx.table(kind)
	var bodies [][]byte
	for _, id := range t.order {
		if body := t.bodies[id]; body != nil {
			bodies = append(bodies, body)
		}
	}
	return bodies, nil
}

func (tx memoryTx) Put(kind, id, name string, body []byte) error {
	t := tx.table(kind)
	if t.bodies[id] == nil {
		t.order = append(t.order, id)
		if _, taken := t.names[name]; !taken {
			t.names[name] = id
		}
	}
	t.bodies[id] = body
	return nil
}

func (tx memoryTx) Delete(kind, id string) error {
	delete(tx.table(kind).bodies, id)
	return nil
}

func (tx memoryTx) Add(group, name string, n int64) (int64, error) {
	counters := tx.m.counters[group]
	if counters == nil {
		counters = map[string]int64{}
		tx.m.counters[group] = counters
	}
	counters[name] += n
	return counters[name], nil
}

func (tx memoryTx) Counters() (map[string]map[string]int64, error) {
	copied := map[string]map[string]int64{}
	for group, counters := range tx.m.counters {
		copied[group] = maps.Clone(counters)
	}
	return copied, nil
}
