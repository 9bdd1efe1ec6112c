package idempotency

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"
)

// EventKind says what happened to a keyed request or to its record.
type EventKind string

// The kinds of events. Their names suit a metric's label.
const (
	EventClaimed    EventKind = "claimed"     // the handler is about to run
	EventResumed    EventKind = "resumed"     // an abandoned claim was taken over
	EventCompleted  EventKind = "completed"   // the answer is kept
	EventReleased   EventKind = "released"    // the key is free again: nothing took effect
	EventReplayed   EventKind = "replayed"    // a kept answer was given
	EventInProgress EventKind = "in_progress" // a rival was told to wait
	EventMismatch   EventKind = "mismatch"    // the key came back with another payload
	EventInvalid    EventKind = "invalid"     // the key, the body or the caller was refused
	EventUnknown    EventKind = "unknown"     // a worker left without a word: the outcome is unknown
	EventLost       EventKind = "lost"        // alarm: a worker finished after its claim had passed on; look for a double effect
	EventDropped    EventKind = "dropped"     // the answer was over the bound and is not kept
	EventStoreError EventKind = "store_error" // the store could not be asked or written
	EventOrphaned   EventKind = "orphaned"    // the reaper deleted a record that never finished
	EventReaped     EventKind = "reaped"      // the reaper deleted records
	EventExpired    EventKind = "expired"     // a key came back after its window and runs as new
)

// Event is one observation. It never holds the key, which is a bearer of meaning between a client and its server.
type Event struct {
	Kind      EventKind
	Caller    string
	Operation string
	// KeyDigest is the first 8 bytes of the scope's SHA-256 in hexadecimal: enough to follow one key through a log.
	KeyDigest string
	// Code is the problem that was answered, if one was.
	Code Code
	// Status is the HTTP status that was kept or given, if any.
	Status int
	// Age is how long the request took (completed, released, lost), how old the claim in force is (in progress,
	// unknown) or how old the record was (replayed). Zero when it is not known.
	Age time.Duration
	// Count is the number of records, for reaped.
	Count int
	// Err is the cause, for store_error, lost and invalid.
	Err error
}

// Hook receives every event. It runs on the request's own goroutine: keep it short, and safe for concurrent use.
type Hook func(ctx context.Context, e Event)

// Hooks runs several hooks in order. Nil ones are left out.
func Hooks(hooks ...Hook) Hook {
	return func(ctx context.Context, e Event) {
		for _, h := range hooks {
			if h != nil {
				h(ctx, e)
			}
		}
	}
}

// LogHook writes events to the logger: alarms (lost, unknown, orphaned, store_error) as errors, refusals as warnings,
// the rest at debug level.
func LogHook(logger *slog.Logger) Hook {
	return func(ctx context.Context, e Event) {
		level := slog.LevelDebug
		switch e.Kind {
		case EventLost, EventUnknown, EventOrphaned, EventStoreError:
			level = slog.LevelError
		case EventMismatch, EventInvalid, EventDropped:
			level = slog.LevelWarn
		case EventClaimed, EventResumed, EventCompleted, EventReleased, EventReplayed, EventInProgress, EventReaped, EventExpired:
		}
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := []slog.Attr{slog.String("operation", e.Operation), slog.String("key", e.KeyDigest)}
		if e.Code != "" {
			attrs = append(attrs, slog.String("code", string(e.Code)))
		}
		if e.Status != 0 {
			attrs = append(attrs, slog.Int("status", e.Status))
		}
		if e.Age != 0 {
			attrs = append(attrs, slog.Duration("age", e.Age))
		}
		if e.Count != 0 {
			attrs = append(attrs, slog.Int("count", e.Count))
		}
		if e.Err != nil {
			attrs = append(attrs, slog.Any("err", e.Err))
		}
		logger.LogAttrs(ctx, level, "idempotency "+string(e.Kind), attrs...)
	}
}

func report(ctx context.Context, hook Hook, scope Scope, e Event) {
	if hook == nil {
		return
	}
	e.Caller, e.Operation = scope.Caller, scope.Operation
	if scope.Key != "" {
		e.KeyDigest = keyDigest(scope)
	}
	hook(ctx, e)
}

func keyDigest(s Scope) string {
	d := s.Digest()
	return hex.EncodeToString(d[:8])
}
