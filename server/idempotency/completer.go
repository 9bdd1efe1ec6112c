package idempotency

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Defaults of Completer.
const (
	DefaultCompleterEvery = 10 * time.Second
	DefaultCompleterGrace = 30 * time.Second
	sweepLimit            = 100
)

// Completer pushes abandoned requests to their end when their client does not come back: it sends the kept request
// through the handler again, and the handler resumes at its last recovery point. It may run on every replica at once,
// since each run takes the record over like any other claim.
type Completer struct {
	// Store holds the records. Required.
	Store Sweeper
	// Handler is the guarded handler, routing included and authentication not: Middleware takes the caller from the
	// record. Required.
	Handler http.Handler
	// Restore puts what the handler expects of its caller into the context, as authentication does. Nil: nothing.
	Restore func(ctx context.Context, rec Record) (context.Context, error)
	// Every is the pause between two passes. Defaults to 10 s.
	Every time.Duration
	// Grace is how long a lease must be over, so that a client that retries goes first. Defaults to 30 s.
	Grace time.Duration
	// Hook receives a store_error event for each pass or record that failed. Nil: none.
	Hook Hook
}

// Report is what background work did, for people.
type Report struct {
	Passes    int
	Completed int // abandoned requests that now have an answer
	Remaining int // abandoned requests that could not be finished
	Reaped    int // finished records deleted
	Orphans   []Orphan
	Errors    int
	LastError error
}

// Orphan is a record that was deleted without ever having had an answer.
type Orphan struct {
	Caller, Operation, KeyDigest, RecoveryPoint string
	Created                                     time.Time
}

// String is one line, and one more for each orphan.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d passes: %d completed, %d could not be finished, %d reaped, %d never finished, %d errors",
		r.Passes, r.Completed, r.Remaining, r.Reaped, len(r.Orphans), r.Errors)
	if r.LastError != nil {
		b.WriteString(", the last: " + r.LastError.Error())
	}
	for _, o := range r.Orphans {
		point := o.RecoveryPoint
		if point == "" {
			point = "the start"
		}
		fmt.Fprintf(&b, "\n  never finished: %s of %s, key %s, claimed %s, stopped after %s",
			o.Operation, o.Caller, o.KeyDigest, o.Created.UTC().Format(time.RFC3339), point)
	}
	return b.String()
}

func failed(r *Report, err error) {
	r.Errors++
	r.LastError = err
}

// Run works until ctx ends and returns what it did.
func (c Completer) Run(ctx context.Context) Report {
	var total Report
	repeat(ctx, c.Every, DefaultCompleterEvery, func() { c.pass(ctx, &total) })
	return total
}

// Once makes one pass.
func (c Completer) Once(ctx context.Context) Report {
	var r Report
	c.pass(ctx, &r)
	return r
}

func repeat(ctx context.Context, every, byDefault time.Duration, pass func()) {
	orDefault(&every, byDefault)
	for sleep(ctx, every) {
		pass()
	}
}

func (c Completer) pass(ctx context.Context, r *Report) {
	r.Passes++
	grace := c.Grace
	orDefault(&grace, DefaultCompleterGrace)
	records, err := c.Store.Abandoned(ctx, grace, sweepLimit)
	if err != nil {
		failed(r, err)
		report(ctx, c.Hook, Scope{}, Event{Kind: EventStoreError, Err: err})
		return
	}
	for _, rec := range records {
		if ctx.Err() != nil {
			return
		}
		if err := c.finish(ctx, rec); err != nil {
			r.Remaining++
			failed(r, err)
			report(ctx, c.Hook, rec.Scope, Event{Kind: EventStoreError, Err: err})
			continue
		}
		r.Completed++
	}
}

// finish runs the request again and checks that it now has an answer.
func (c Completer) finish(ctx context.Context, rec Record) error {
	r, body, err := decodePayload(rec.Payload)
	if err != nil {
		return err
	}
	ctx = context.WithValue(ctx, resumptionKey{}, &resumption{record: rec, body: body})
	if c.Restore != nil {
		if ctx, err = c.Restore(ctx, rec); err != nil {
			return fmt.Errorf("restore the caller of %s: %w", rec.Scope.Operation, err)
		}
	}
	w := &recorder{}
	w.start(discardWriter{})
	if err := quietly(func() { c.Handler.ServeHTTP(w, r.WithContext(ctx)) }); err != nil {
		return fmt.Errorf("%s: %w", rec.Scope.Operation, err)
	}
	now, err := c.Store.Lookup(ctx, rec.Scope)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil // released: nothing took effect, and nobody waits for it
	case err != nil:
		return err
	case now.State != Complete && now.Abandoned:
		w.finish()
		return fmt.Errorf("%s: stopped after %q, answered %d", rec.Scope.Operation, now.RecoveryPoint, w.status)
	}
	return nil
}

// quietly turns a panic into an error: there is no connection to close here.
func quietly(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the handler panicked: %v", v)
		}
	}()
	f()
	return nil
}

// resumption tells Middleware that a completer, and not a client, sends the request.
type resumption struct {
	record Record
	body   []byte
}

type resumptionKey struct{}

type discardWriter struct{}

func (discardWriter) Header() http.Header         { return http.Header{} }
func (discardWriter) Write(p []byte) (int, error) { return len(p), nil }
func (discardWriter) WriteHeader(int)             {}
