package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// call is what one call of the SDK went through, filled by the transport's hook. Only the call's goroutine uses it.
type call struct {
	intent   string
	attempts int
	key      string
	wait     time.Duration
	steps    []string // how each attempt ended
	reason   string   // why there was no further attempt
	took     time.Duration
	replayed bool
	failure  error
}

type callKey struct{}

// tally adds up over all calls.
type tally struct {
	mu      sync.Mutex
	retries map[string]int // by cause
	waited  time.Duration
	budget  budget.State
}

// hook is the transport's hook.
func (t *tally) hook(ctx context.Context, event transport.Event) {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return
	}
	c.attempts, c.key, c.took = event.Attempt, event.IdempotencyKey, event.Elapsed
	switch event.Kind {
	case transport.EventAttempt:
		c.steps = append(c.steps, cause(event))
	case transport.EventRetry:
		c.wait += event.Wait
		t.add(cause(event), event.Wait)
	case transport.EventGiveUp:
		c.reason = string(event.Reason)
	case transport.EventSuccess:
	}
	t.mu.Lock()
	t.budget = event.Budget
	t.mu.Unlock()
}

func (t *tally) add(cause string, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retries[cause]++
	t.waited += wait
}

// cause names the end of an attempt in a word or two.
func cause(event transport.Event) string {
	var timeout net.Error
	switch err := event.Err; {
	case err == nil:
		return strconv.Itoa(event.StatusCode)
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // as it is, it comes from reading the body; wrapped, from waiting for the head
		return "cut short"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "no answer"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	default:
		return "error"
	}
}
