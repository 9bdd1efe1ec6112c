package keys

import (
	"container/list"
	"errors"
	"sync"
)

// ErrReused is returned when a key was already used in this process for a
// request with another content. Sending it would at best be refused by the
// server and at worst be answered with the result of the other request.
var ErrReused = errors.New("keys: this idempotency key already names another request")

// Guard remembers which request each key named, within one process, and
// refuses a key that would name a second one. Its memory is bounded: the key
// used longest ago is forgotten first. It is safe for concurrent use.
type Guard struct {
	limit int

	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List
}

type guarded struct {
	key         string
	fingerprint uint64
	active      int
}

// NewGuard returns a guard that remembers up to limit keys, each about 200
// bytes.
func NewGuard(limit int) *Guard {
	return &Guard{
		limit:   max(limit, 1),
		mu:      sync.Mutex{},
		entries: make(map[string]*list.Element),
		order:   list.New(),
	}
}

// Begin notes that a call uses key for the request with the given fingerprint.
// It returns [ErrReused] when the key names another request. Each Begin without
// an error is followed by one End.
func (g *Guard) Begin(key string, fingerprint uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()

	if elem, ok := g.entries[key]; ok {
		entry := elem.Value.(*guarded) //nolint:forcetypeassert // the list holds nothing else
		if entry.fingerprint != fingerprint {
			return ErrReused
		}

		entry.active++

		g.order.MoveToFront(elem)

		return nil
	}

	g.entries[key] = g.order.PushFront(&guarded{key: key, fingerprint: fingerprint, active: 1})

	if g.order.Len() > g.limit {
		g.drop(g.order.Back())
	}

	return nil
}

// End notes that a call with key is over. rejected says that the server
// definitely did nothing with it; the key is then forgotten once no other call
// uses it, so that a corrected request may take it.
func (g *Guard) End(key string, rejected bool) {
	g.mu.Lock()
	defer g.mu.Unlock()

	elem, ok := g.entries[key]
	if !ok {
		return
	}

	entry := elem.Value.(*guarded) //nolint:forcetypeassert // the list holds nothing else
	entry.active--

	if rejected && entry.active <= 0 {
		g.drop(elem)
	}
}

// Len returns how many keys are remembered.
func (g *Guard) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()

	return g.order.Len()
}

func (g *Guard) drop(elem *list.Element) {
	entry := g.order.Remove(elem).(*guarded) //nolint:forcetypeassert // the list holds nothing else
	delete(g.entries, entry.key)
}
