package keys

import (
	"context"
	"strconv"
	"sync"
)

type scopeKey struct{}

type scope struct {
	id string

	mu    sync.Mutex
	calls map[string]int
}

// WithRequest returns a context for the work that one incoming request or
// message causes; id names it and is the same when it is delivered again. The
// n-th call of an operation under the context gets a key made of id, the
// operation and n, so the work must make its calls of one operation in the
// same order each time. Calls of one operation that run side by side need
// [Event] instead.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, scopeKey{}, &scope{
		id:    id,
		mu:    sync.Mutex{},
		calls: make(map[string]int),
	})
}

// Request returns the source that [WithRequest] put into ctx, and whether
// there is one.
func Request(ctx context.Context) (Source, bool) {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok {
		return nil, false
	}

	return s.next, true
}

func (s *scope) next(_ context.Context, call Call) (string, error) {
	s.mu.Lock()
	s.calls[call.Operation]++
	n := s.calls[call.Operation]
	s.mu.Unlock()

	if s.id == "" {
		return "", ErrEmptyPart
	}

	head := call.Operation
	if head == "" {
		head = "request"
	}

	return derive(head, []string{s.id, strconv.Itoa(n)}, call.Rule)
}
