package transport

import (
	"context"
	"sync"
	"time"
)

// timed is the timeout half of an attempt's context. The standard library's
// costs two contexts here, one for the call and one for the attempt; this is
// one timer for whichever is earlier, inside the attempt itself.
type timed struct {
	parent context.Context //nolint:containedctx // it is a context
	at     time.Time
	timer  *time.Timer
	unlink func() bool

	mu      sync.Mutex
	done    chan struct{}
	err     error
	expired bool
	waiting []*waiter
	stream  *responseBody
}

type waiter struct{ run func() }

func (t *timed) start(parent context.Context, at time.Time, timeout time.Duration) {
	t.parent, t.at = parent, at

	if parent.Done() != nil {
		t.unlink = context.AfterFunc(parent, func() { t.cancel(parent.Err(), false) })
	}

	if timeout != forever {
		t.hurry(timeout)
	}
}

// expire is what the timer runs.
func (t *timed) expire() {
	t.mu.Lock()
	stream := t.stream
	t.mu.Unlock()

	if stream == nil || stream.silent() {
		t.cancel(context.DeadlineExceeded, true)

		return
	}

	t.hurry(stream.idle)
}

// changeOver lets the timer watch a stream from now on, or nothing but the time
// if there is none. It reports false when it has gone off already.
func (t *timed) changeOver(stream *responseBody) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	t.stream = stream

	return !t.expired
}

func (t *timed) cancel(err error, expired bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.err != nil {
		return
	}

	t.err, t.expired = err, expired

	if t.done != nil {
		close(t.done)
	}

	for _, w := range t.waiting {
		go w.run()
	}

	t.waiting = nil
}

// end releases what the attempt holds. Its context counts as canceled.
func (t *timed) end() {
	t.hurry(forever)

	if t.unlink != nil {
		t.unlink()
	}

	t.cancel(context.Canceled, false)
}

// hurry sets the timer to run out in d, or never.
func (t *timed) hurry(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()

	switch {
	case t.err != nil:
	case d == forever:
		if t.timer != nil {
			t.timer.Stop()
		}
	case t.timer == nil:
		t.timer = time.AfterFunc(d, t.expire)
	default:
		t.timer.Reset(d)
	}
}

// detach drops the timeout. With nothing left to read the parent is let go of
// as well.
func (t *timed) detach(finished bool) {
	if finished {
		t.end()

		return
	}

	t.hurry(forever)
}

// timedOut reports whether the attempt ran out of time by itself.
func (t *timed) timedOut() bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.expired
}

// Deadline implements context.Context.
func (t *timed) Deadline() (time.Time, bool) { return t.at, !t.at.IsZero() }

// Done implements context.Context.
func (t *timed) Done() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.done == nil {
		t.done = make(chan struct{})
		if t.err != nil {
			close(t.done)
		}
	}

	return t.done
}

// Err implements context.Context.
func (t *timed) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.err
}

// AfterFunc runs f in its own goroutine once the context is done. Package
// context uses it, where it exists, instead of a goroutine for each context
// derived from this one.
func (t *timed) AfterFunc(f func()) func() bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	w := &waiter{run: f}

	if t.err != nil {
		go f()

		return func() bool { return false }
	}

	t.waiting = append(t.waiting, w)

	return func() bool { return t.forget(w) }
}

func (t *timed) forget(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	for i, have := range t.waiting {
		if have == w {
			t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)

			return true
		}
	}

	return false
}
