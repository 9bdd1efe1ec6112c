// Package fakeserver is an HTTP handler that stands in for an API in the tests of programs that use its SDK: each
// operation gets the answer that the API's document shows, or the answers of a script, failures among them. Generated
// packages hand out one for their API.
package fakeserver

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Operation is one operation with the answer that it gets when there is no script for it. One that can answer with
// several content types stands in a list once for each; the request's Accept header chooses.
type Operation struct {
	ID, Method, Path string // Path is a template: /orders/{order_id}
	Status           int
	Header           map[string]string // beside Content-Type
	Type, Body       string            // an event stream that is asked for what comes after an event ends with 204
	Further          *Further          // nil: the answer is the same whatever the query asks for
}

// Further is the answer for the pages behind the first one, in a list whose answers do not tell where it ends.
type Further struct {
	Param string // query parameter that carries the place in the list
	First string // its value for the first page, which may also be left out
	Body  string
}

// Answer is one scripted answer. Its zero value is a 200 without a body.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Drop   bool // the connection is closed without an answer, after the request was read
}

// Request is one request as it came.
type Request struct {
	Operation string // id; "" when no operation has such a method and path
	Method    string
	URL       string // path and query
	Header    http.Header
	Body      string
}

// Handler answers requests. It is safe for concurrent use.
type Handler struct {
	operations []Operation
	mu         sync.Mutex
	scripts    map[string][]Answer
	requests   []Request
}

// New gives a handler for these operations.
func New(operations []Operation) *Handler {
	return &Handler{operations: operations, scripts: map[string][]Answer{}}
}

// Script puts answers to the next requests for an operation, by its id in the API's document; afterwards it is answered
// as before. It panics when there is no such operation: a test with a misspelt id would show nothing.
func (h *Handler) Script(operation string, answers ...Answer) {
	if !slices.ContainsFunc(h.operations, func(op Operation) bool { return op.ID == operation }) {
		panic("fakeserver: the API has no operation " + strconv.Quote(operation))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.scripts[operation] = append(h.scripts[operation], answers...)
}

// Requests gives what has come so far, for one operation, or for all with "".
func (h *Handler) Requests(operation string) []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	if operation == "" {
		return slices.Clone(h.requests)
	}
	var list []Request
	for _, r := range h.requests {
		if r.Operation == operation {
			list = append(list, r)
		}
	}
	return list
}

// ServeHTTP answers one request: by the script, by the operation, or with 404 when it is for neither.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	op := h.find(r.Method, r.URL.EscapedPath(), r.Header.Get("Accept"))
	answer := h.take(op, Request{Method: r.Method, URL: r.URL.RequestURI(), Header: r.Header.Clone(), Body: string(body)})
	if answer.Drop {
		panic(http.ErrAbortHandler)
	}
	for name, values := range answer.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if answer.Status == 0 {
		answer.Status = http.StatusOK
	}
	w.WriteHeader(answer.Status)
	if answer.Body != "" {
		_, _ = io.WriteString(w, answer.Body) // a client that is gone is no fault of the fake's
	}
}

// take notes the request and gives its answer.
func (h *Handler) take(op *Operation, r Request) Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if op != nil {
		r.Operation = op.ID
	}
	h.requests = append(h.requests, r)
	switch script := h.scripts[r.Operation]; {
	case op == nil:
		return Answer{Status: http.StatusNotFound, Body: "no operation has " + r.Method + " " + r.URL}
	case len(script) > 0:
		h.scripts[r.Operation] = script[1:]
		return script[0]
	}
	return op.answer(&r)
}

// answer is what the operation gives without a script.
func (op *Operation) answer(r *Request) Answer {
	answer := Answer{Status: op.Status, Body: op.Body, Header: http.Header{}}
	for name, value := range op.Header {
		answer.Header.Set(name, value)
	}
	if op.Type != "" {
		answer.Header.Set("Content-Type", op.Type)
	}
	if op.Type == "text/event-stream" && r.Header.Get("Last-Event-ID") != "" {
		return Answer{Status: http.StatusNoContent}
	}
	if more := op.Further; more != nil {
		_, query, _ := strings.Cut(r.URL, "?")
		values, err := url.ParseQuery(query)
		if place := values.Get(more.Param); err == nil && place != "" && place != more.First {
			answer.Body = more.Body
		}
	}
	return answer
}

// find gives the operation for a path; of several, the one with the most literal parts, as routers do it, and then the
// one whose answer is what the request prefers.
func (h *Handler) find(method, path, accept string) *Operation {
	preferred, _, _ := strings.Cut(accept, ",")
	var best *Operation
	rank := -1
	for i := range h.operations {
		op := &h.operations[i]
		literals, ok := match(op.Path, path)
		own := 2 * literals
		if op.Type != "" && op.Type == strings.TrimSpace(preferred) {
			own++
		}
		if ok && op.Method == method && own > rank {
			best, rank = op, own
		}
	}
	return best
}

// match holds a path against a template and counts the parts that are equal letter by letter.
func match(template, path string) (literals int, ok bool) {
	template, _, _ = strings.Cut(template, "?")
	template, _, _ = strings.Cut(template, "#")
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return 0, false
	}
	for i := range want {
		switch {
		case want[i] == got[i], want[i] == unescaped(got[i]):
			literals++
		case !fits(want[i], got[i]):
			return 0, false
		}
	}
	return literals, true
}

func unescaped(part string) string {
	if s, err := url.PathUnescape(part); err == nil {
		return s
	}
	return part
}

// fits holds one part of a path against one that has {parameters}.
func fits(template, part string) bool {
	before, rest, found := strings.Cut(template, "{")
	if !found || !strings.HasPrefix(part, before) {
		return false
	}
	_, after, _ := strings.Cut(rest, "}")
	part = part[len(before):]
	if strings.Contains(after, "{") { // two parameters in one part: near enough
		return part != ""
	}
	return len(part) > len(after) && strings.HasSuffix(part, after)
}
