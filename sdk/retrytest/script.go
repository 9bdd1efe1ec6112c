package retrytest

import (
	"slices"
	"sync"
)

// script hands out steps and keeps what arrived. It is safe for concurrent
// use.
type script struct {
	mu       sync.Mutex
	steps    []Step
	requests []Request
}

func (s *script) next(r Request) Step {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.requests = append(s.requests, r)

	switch len(s.steps) {
	case 0:
		return Answer(200)
	case 1:
		return s.steps[0]
	}

	step := s.steps[0]
	s.steps = s.steps[1:]

	return step
}

// Requests returns what arrived so far, in order.
func (s *script) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.requests)
}

// Play replaces the steps that are left.
func (s *script) Play(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.steps = steps
}
