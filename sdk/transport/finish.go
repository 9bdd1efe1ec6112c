package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// finish reports the end of the call and hands its answer over.
func (c *call) finish() (*http.Response, error) {
	c.body.release()

	success := c.class() == retry.Success && c.last.err == nil && c.reason() == ReasonNone
	if c.guarded {
		c.t.guard.End(c.guardKey(), !success && !c.trouble.uncertain)
	}

	if success {
		if c.cfg.budget != nil {
			c.cfg.budget.Success(c.paid)
		}

		c.event(EventSuccess)
	} else {
		c.event(EventGiveUp)
	}

	if c.last.resp != nil {
		c.last.attempt.handOver(c.last.resp)

		return c.last.resp, nil
	}

	c.last.attempt.end()

	return nil, c.failure()
}

// failure is the error of a call whose last attempt had no answer.
func (c *call) failure() *Error {
	tr := c.failing()
	err := &Error{
		Operation:      c.name(),
		Attempts:       c.made(),
		IdempotencyKey: c.key[0],
		Reason:         tr.reason,
	}

	if a := tr.answer; a != nil {
		err.StatusCode, err.Header, err.Body, err.RetryAfter = a.status, a.header, a.body, a.after
	}

	cause := c.last.err
	if c.ctx.Err() != nil {
		err.Reason = ReasonCaller
		if cause = callerError(c.ctx); !errors.Is(c.last.err, c.ctx.Err()) {
			cause = joined(cause, c.last.err)
		}
	}

	if cause != nil && c.last.attempt.timedOut() && !errors.Is(cause, context.DeadlineExceeded) {
		cause = joined(context.DeadlineExceeded, cause)
	}

	err.Err = joined(cause, tr.stop)

	return err
}

// callerError keeps both why the context ended and the cause given for it.
func callerError(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}

	return joined(ctx.Err(), cause)
}

func (c *call) outcome(resp *http.Response) Outcome {
	outcome := Outcome{
		Operation:      c.name(),
		Attempts:       c.made(),
		IdempotencyKey: c.key[0],
		Replayed:       retry.Replayed(resp.Header),
	}

	if tr := c.trouble; tr != nil {
		outcome.Reason, outcome.RetryAfter, outcome.Err = tr.reason, tr.after, tr.stop
	}

	return outcome
}

const (
	// keptOfDrained is how much of a plain answer that is retried is kept for
	// the error, should no other answer come.
	keptOfDrained = 4 << 10
	// drainLimit and drainTime bound what saving a connection may cost.
	drainLimit = 256 << 10
	drainTime  = 250 * time.Millisecond
)

// drain reads the rest of an answer that is not wanted, so that its connection
// can be used again, and keeps what an error would show.
func (c *call) drain() *answer {
	resp, kept := c.last.resp, int64(keptOfDrained)
	if c.cfg.buffered() {
		kept = maxErrorBody
	}

	c.last.attempt.changeOver(nil)
	c.last.attempt.hurry(drainTime)

	var body bytes.Buffer

	_, err := io.CopyN(&body, resp.Body, kept)
	if err == nil {
		_, _ = io.CopyN(io.Discard, resp.Body, drainLimit)
	}

	_ = resp.Body.Close()

	return &answer{status: resp.StatusCode, header: resp.Header, body: body.Bytes(), after: c.trouble.after}
}
