package retrytest

import (
	"maps"
	"net/http"
	"time"
)

type fault uint8

const (
	faultNone fault = iota
	faultRefuse
	faultReset
	faultDrop
	faultCut
	faultStall
)

// Step says what happens to one request. Make it with [Answer] or one of the
// failures, and refine it with the methods, which return a changed copy.
type Step struct {
	status int
	header http.Header
	body   string
	delay  time.Duration
	fault  fault
}

// Answer is an answer with the given status and an empty body.
func Answer(status int) Step { return Step{status: status} }

// Refuse is a connection that cannot be made: nothing is sent. A [Server]
// cannot do that; close it instead.
func Refuse() Step { return Step{fault: faultRefuse} }

// Reset is a connection that is reset after the request was read.
func Reset() Step { return Step{fault: faultReset} }

// Drop is a connection that is closed after the request was read, as by a
// server that stops.
func Drop() Step { return Step{fault: faultDrop} }

// Cut is an answer of 200 whose body ends half way.
func Cut(body string) Step {
	return Step{status: http.StatusOK, body: body, fault: faultCut}
}

// Stall is a server that reads the request and never answers.
func Stall() Step { return Step{fault: faultStall} }

// Text returns the step with a body.
func (s Step) Text(body string) Step {
	s.body = body

	return s
}

// With returns the step with a header.
func (s Step) With(name, value string) Step {
	s.header = maps.Clone(s.header)
	if s.header == nil {
		s.header = make(http.Header)
	}

	s.header.Set(name, value)

	return s
}

// After returns the step delayed by d.
func (s Step) After(d time.Duration) Step {
	s.delay = d

	return s
}

// Request is a request as it arrived.
type Request struct {
	Method string
	// Path is the path with the query, if there was one.
	Path   string
	Host   string
	Header http.Header
	Body   string
	// At is when it arrived.
	At time.Time
}
