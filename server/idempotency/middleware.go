package idempotency

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// settleTimeout bounds the write that keeps an answer. It runs on a context of its own: a client that hung up must
// not be able to keep its answer from being kept.
const settleTimeout = 10 * time.Second

// storeRetryAfter is the wait that is asked for when the store cannot be reached.
const storeRetryAfter = time.Second

// Middleware guards handlers with the store. It panics when the options do not validate, as http.ServeMux.Handle does
// on a bad pattern: a guard that is set up wrongly must not start.
//
// A claimed request runs to its end even when its client hangs up; a deadline on its context is kept. The handler's
// answer is held back until its record is kept.
func Middleware(store Store, opts Options) func(http.Handler) http.Handler {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	g := &guard{Options: opts.withDefaults(), store: store, allowed: replayable(opts.ReplayHeaders)}
	g.heart = heart{lease: g.Lease, emit: g.emit, calls: map[*call]struct{}{}}
	g.window = []string{strconv.FormatInt(int64(g.ReplayWindow/time.Second), 10)}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, next) })
	}
}

type guard struct {
	Options

	store   Store
	allowed map[string]bool
	window  []string     // value of windowHeader
	usual   atomic.Int64 // moving average of the handler's duration, ns
	heart   heart
}

func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		next.ServeHTTP(w, r)
		return
	}
	if again, ok := r.Context().Value(resumptionKey{}).(*resumption); ok {
		g.claim(w, r, next, g.resume(again), again.body)
		return
	}
	values := r.Header[g.Header]
	if len(values) == 0 && g.Key != KeyRequired {
		next.ServeHTTP(w, r)
		return
	}
	req, body, p, err := g.request(w, r, values)
	if err != nil {
		g.emit(r.Context(), req.Scope, Event{Kind: EventInvalid, Code: p.Code, Status: p.Status, Err: err})
		writeProblem(w, p, retry{never: true})
		return
	}
	w.Header()[windowHeader] = g.window
	g.claim(w, r, next, req, body)
}

func (g *guard) claim(w http.ResponseWriter, r *http.Request, next http.Handler, req Request, body []byte) {
	claim, rec, err := g.store.Claim(r.Context(), req)
	if err != nil {
		g.storeDown(w, r, req.Scope, err)
		return
	}
	if claim == nil {
		g.stand(w, r, req, rec)
		return
	}
	g.run(w, r, next, claim, &rec, body)
}

// resume asks for the claim of an abandoned request again.
func (g *guard) resume(again *resumption) Request {
	rec := again.record
	return Request{
		Scope: rec.Scope, Fingerprint: rec.Fingerprint, Lease: g.Lease, Window: g.ReplayWindow, Resumable: true, Payload: rec.Payload,
	}
}

// request reads what identifies the request. The problem is to be answered when there is an error.
func (g *guard) request(w http.ResponseWriter, r *http.Request, values []string) (Request, []byte, problem, error) {
	var req Request
	if p, err := g.key(&req, values); err != nil {
		return req, nil, p, err
	}
	if p, err := g.firstSent(r); err != nil {
		return req, nil, p, err
	}
	req.Scope.Operation = g.Operation(r)
	caller, err := g.Caller(r)
	if err == nil && caller == "" {
		err = errors.New("the caller has no name")
	}
	if err != nil {
		return req, nil, newProblem(http.StatusUnauthorized, CodeCallerUnknown, "the caller of a keyed request must be known"), err
	}
	req.Scope.Caller = caller
	body, p, err := g.read(w, r)
	if err != nil {
		return req, nil, p, err
	}
	if req.Fingerprint, err = g.Fingerprint(r, body); err != nil {
		return req, nil, newProblem(http.StatusBadRequest, CodeBodyUnreadable, "the request cannot be told from others: "+err.Error()), err
	}
	req.Lease, req.Window, req.Resumable = g.Lease, g.ReplayWindow, g.Resumable
	if g.Resumable {
		req.Payload = encodePayload(r, body)
	}
	return req, body, problem{}, nil
}

func (g *guard) key(req *Request, values []string) (problem, error) {
	switch {
	case len(values) == 0:
		return newProblem(http.StatusBadRequest, CodeKeyRequired, "this operation needs the header "+g.Header), errors.New("no key")
	case g.Key == KeyRefused:
		return newProblem(http.StatusBadRequest, CodeKeyRefused, "this operation takes no key: repeating it repeats its effect"), errors.New("key refused")
	}
	key, err := parseKey(values, g.KeyMin, g.KeyMax)
	req.Scope.Key = key
	if err == nil {
		return problem{}, nil
	}
	code := CodeKeyInvalid
	switch {
	case errors.Is(err, errKeyEmpty):
		code = CodeKeyEmpty
	case errors.Is(err, errKeyMultiple):
		code = CodeKeyMultiple
	case errors.Is(err, errKeyLong):
		code = CodeKeyTooLong
	case errors.Is(err, errKeyShort):
		code = CodeKeyTooShort
	}
	return newProblem(http.StatusBadRequest, code, err.Error()), err
}

// firstSent refuses what was first sent before any record that could tell was made.
func (g *guard) firstSent(r *http.Request) (problem, error) {
	if g.FirstSent == "" {
		return problem{}, nil
	}
	value := r.Header.Get(g.FirstSent)
	if value == "" {
		return problem{}, nil
	}
	sent, err := http.ParseTime(value)
	switch {
	case err != nil:
		return newProblem(http.StatusBadRequest, CodeKeyInvalid, "the header "+g.FirstSent+" is not an HTTP date"), err
	case g.age(sent) > g.ReplayWindow:
		return newProblem(http.StatusPreconditionFailed, CodeFirstSentExpired, "the request was first sent before the replay window; look up what became of it"),
			errors.New("first sent before the window")
	}
	return problem{}, nil
}

// read takes the whole body, whose length the client announced, as a rule.
func (g *guard) read(w http.ResponseWriter, r *http.Request) ([]byte, problem, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, problem{}, nil
	}
	var body []byte
	err := error(&http.MaxBytesError{Limit: g.MaxBody})
	switch n := r.ContentLength; {
	case n < 0:
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, g.MaxBody))
	case n <= g.MaxBody:
		body = make([]byte, n)
		_, err = io.ReadFull(r.Body, body)
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, newProblem(http.StatusRequestEntityTooLarge, CodeBodyTooLarge,
			"a keyed request may have a body of at most "+strconv.FormatInt(g.MaxBody, 10)+" bytes"), err
	case err != nil:
		return nil, newProblem(http.StatusBadRequest, CodeBodyUnreadable, "the body ended early"), err
	}
	return body, problem{}, nil
}

// reader is a body in memory.
type reader struct{ bytes.Reader }

func (*reader) Close() error { return nil }

// running is all that a claimed request needs while its handler runs, as one allocation.
type running struct {
	call    call
	body    reader
	answer  recorder
	ending  settlement
	bounded bounded
}

// run holds a claim: the handler runs, and its answer is kept before it is sent.
func (g *guard) run(w http.ResponseWriter, r *http.Request, next http.Handler, claim Claim, record *Record, body []byte) {
	started := g.Clock()
	kind := EventClaimed
	if record.RecoveryPoint != "" {
		kind = EventResumed
	}
	g.emit(r.Context(), record.Scope, Event{Kind: kind})

	x := new(running)
	x.call.outer, x.call.claim = detached{r.Context()}, claim
	defer x.call.end(nil)
	if !claim.Atomic() {
		x.call.pulse.scope = record.Scope
		g.heart.start(&x.call)
	}
	inner := r.WithContext(claim.Bind(&x.call)) //nolint:contextcheck // detached from the client on purpose
	x.body.Reset(body)
	inner.Body, inner.ContentLength = &x.body, int64(len(body))

	x.answer.start(w)
	x.bounded.start(x.call.outer, settleTimeout) //nolint:contextcheck // detached from the client on purpose
	s := &x.ending
	s.guard, s.call, s.answer, s.bounded, s.scope, s.print, s.panicked = g, &x.call, &x.answer, &x.bounded, record.Scope, record.Fingerprint, true
	s.serve(next, inner, started) //nolint:contextcheck // detached from the client on purpose
	if s.instead == nil {
		s.answer.send()
		return
	}
	s.instead(w, r)
}

func (g *guard) storeDown(w http.ResponseWriter, r *http.Request, scope Scope, err error) {
	g.emit(r.Context(), scope, Event{Kind: EventStoreError, Code: CodeStoreUnavailable, Status: http.StatusServiceUnavailable, Err: err})
	writeProblem(w, newProblem(http.StatusServiceUnavailable, CodeStoreUnavailable, "try again with the same key"), retry{after: storeRetryAfter})
}

func (g *guard) emit(ctx context.Context, scope Scope, e Event) { report(ctx, g.Hook, scope, e) }

// observe keeps a moving average of the handler's duration, an eighth of the weight on the newest. A race between two
// requests loses one sample, which does not matter here.
func (g *guard) observe(took time.Duration) {
	old := g.usual.Load()
	if old == 0 {
		g.usual.Store(int64(took))
		return
	}
	g.usual.Store(old + (int64(took)-old)/8)
}
