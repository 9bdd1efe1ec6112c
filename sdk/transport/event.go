package transport

import (
	"context"
	"log/slog"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

// Hook is told what a call does. It runs on the call's goroutine, so it must
// be quick, and calls run side by side, so it must be safe for concurrent use.
type Hook func(ctx context.Context, event Event)

// EventKind says what an [Event] is about.
type EventKind uint8

const (
	// EventAttempt means: an attempt ended, well or not.
	EventAttempt EventKind = iota
	// EventRetry means: another attempt follows after Wait.
	EventRetry
	// EventGiveUp means: the call failed; Reason says why there is no further
	// attempt.
	EventGiveUp
	// EventSuccess means: the call succeeded.
	EventSuccess
)

// String returns the name of the kind.
func (k EventKind) String() string {
	switch k {
	case EventAttempt:
		return "attempt"
	case EventRetry:
		return "retry"
	case EventGiveUp:
		return "give up"
	case EventSuccess:
		return "success"
	}

	return "invalid kind"
}

// Event is one step of a call. It holds neither query nor body.
type Event struct {
	Kind EventKind
	// Operation is the operation's ID, or the method and path without one.
	Operation string
	Method    string
	Host      string
	// Attempt is the number of attempts so far, from 1, resends that
	// net/http made by itself included. Resends says how many those were.
	Attempt, Resends int
	// StatusCode is that of the last answer, 0 when the attempt had none.
	StatusCode int
	// Err is why the attempt had no answer, nil when it had one.
	Err error
	// Class is what the attempt's end means.
	Class retry.Class
	// Wait is the time until the next attempt, for EventRetry.
	Wait time.Duration
	// Reason says why there is no next attempt, for EventGiveUp.
	Reason Reason
	// Elapsed is the time since the call began.
	Elapsed time.Duration
	// IdempotencyKey is the call's key, empty without one.
	IdempotencyKey string
	// Budget is the retry budget after this step; zero without a budget.
	Budget budget.State
}

func (c *call) event(kind EventKind) {
	if c.cfg.hook == nil {
		return
	}

	c.cfg.hook(c.ctx, c.describe(kind))
}

func (c *call) describe(kind EventKind) Event {
	event := Event{
		Kind:           kind,
		Operation:      c.name(),
		Method:         c.req.Method,
		Host:           c.req.URL.Host,
		Attempt:        c.made(),
		Resends:        c.resent(),
		StatusCode:     c.last.status(),
		Err:            c.last.err,
		Class:          c.class(),
		Wait:           0,
		Reason:         ReasonNone,
		Elapsed:        time.Since(c.start),
		IdempotencyKey: c.key[0],
		Budget:         budget.State{Available: 0, Capacity: 0, Refused: 0},
	}

	switch kind {
	case EventRetry:
		event.Wait = c.trouble.wait
	case EventGiveUp:
		event.Reason = c.reason()
	case EventAttempt, EventSuccess:
	}

	if c.cfg.budget != nil {
		event.Budget = c.cfg.budget.State(time.Now())
	}

	return event
}

// logRetry writes the one line that each retry leaves.
func (c *call) logRetry() {
	if c.cfg.logger == nil || !c.cfg.logger.Enabled(c.ctx, slog.LevelWarn) {
		return
	}

	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs,
		slog.String("operation", c.name()),
		slog.Int("attempt", c.made()),
		slog.String("cause", c.cause()),
		slog.Duration("wait", c.trouble.wait),
	)

	if c.cfg.budget != nil {
		attrs = append(attrs, slog.Int("budget", c.cfg.budget.State(time.Now()).Available))
	}

	if c.key[0] != "" {
		attrs = append(attrs, slog.String("key", shorten(c.key[0])))
	}

	c.cfg.logger.LogAttrs(c.ctx, slog.LevelWarn, "retrying", attrs...)
}

const shownOfKey = 8

// shorten keeps enough of a key to find it, and no more.
func shorten(key string) string {
	if len(key) <= shownOfKey {
		return key
	}

	return key[:shownOfKey] + "..."
}
