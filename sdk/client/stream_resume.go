package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// stream is where a stream stands over its connections.
type stream struct {
	client  *Client
	op      *Operation
	in      Input
	how     Streaming
	events  int
	lastID  string
	retry   time.Duration // wait that the server asked for before a reconnect
	resumes resumes
}

func newStream(c *Client, op *Operation, in Input) *stream {
	s := &stream{client: c, op: op, in: in}
	if op.Streaming != nil {
		s.how = *op.Streaming
	}
	return s
}

func (s *stream) ends(data []byte) bool { return s.how.End != "" && string(data) == s.how.End }

func (s *stream) progress() {
	s.events++
	s.resumes.made = 0
}

// run reads one connection after the other. It gives back the error that ended the stream and has not been handed out.
func (s *stream) run(ctx context.Context, opts []Option, read func(*exchange) (done bool, err error)) error {
	x, err := s.client.send(ctx, s.op, s.in, opts)
	for err == nil {
		done, ended := s.read(x, read)
		if done {
			return ended
		}
		if errors.Is(ended, io.EOF) {
			if x.resp.StatusCode == http.StatusNoContent || s.how == (Streaming{}) {
				return nil
			}
			ended = io.ErrUnexpectedEOF
		}
		x, err = s.reconnect(ctx, x, ended)
	}
	return err
}

// read closes the connection however the loop is left.
func (s *stream) read(x *exchange, read func(*exchange) (bool, error)) (bool, error) {
	defer func() { _ = x.resp.Body.Close() }()
	return read(x)
}

// reconnect opens the stream again behind the last event.
func (s *stream) reconnect(ctx context.Context, x *exchange, broken error) (*exchange, error) {
	err := errLost
	if s.op.repeatable() && (s.events == 0 || s.lastID != "") {
		err = s.resumes.pause(ctx, s.retry)
	}
	if err != nil {
		return nil, x.unreadable(s.broken(broken, err))
	}
	in := s.in
	if s.lastID != "" {
		in.header = http.Header{"Last-Event-Id": {headerText(s.lastID)}}
	}
	next, err := s.resumes.again(ctx, x, in)
	if err != nil {
		return nil, x.unreadable(s.broken(broken, err))
	}
	return next, nil
}

func (s *stream) broken(broken, stop error) error {
	if !errors.Is(stop, errLost) {
		broken = fmt.Errorf("%w; it was not resumed: %w", broken, stop)
	}
	return &StreamError{Events: s.events, LastEventID: s.lastID, Err: broken}
}

// headerText keeps an event id, which may be any line, from ending the header.
func headerText(id string) string {
	return strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(id)
}

// repeatable tells that making the call twice does nothing twice (RFC 9110 section 9.2.2).
func (op *Operation) repeatable() bool {
	if op.Call.Idempotency != transport.ByMethod {
		return op.Call.Idempotency == transport.Idempotent
	}
	switch op.Call.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

var (
	errLost    = errors.New("going on would lose or repeat a part")
	errResumes = errors.New("it broke again and again without getting further")
	errTooLong = errors.New("the wait that the server asks for is too long")
)

// resumes counts how often something was taken up again since it last got further.
type resumes struct {
	made int
	wait time.Duration
}

// pause waits before a resume: at least as long as the server asks, and by backoff. It gives up at once when the wait
// does not fit the context's deadline.
func (r *resumes) pause(ctx context.Context, asked time.Duration) error {
	if r.made >= retry.DefaultAttempts-1 {
		return errResumes
	}
	if asked > retry.DefaultRetryAfterLimit {
		return errTooLong
	}
	r.wait = max(asked, retry.Backoff{}.Delay(r.made, r.made > 0, r.wait, jitter()))
	r.made++
	return wait(ctx, r.wait)
}

// again makes the call for what is left.
func (r *resumes) again(ctx context.Context, x *exchange, in Input) (*exchange, error) {
	return x.again(ctx, in)
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // spreading waits takes no secret

// wait sleeps, or says at once that the sleep does not fit the context's deadline.
func wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if at, bounded := ctx.Deadline(); bounded && time.Until(at) <= d {
		return fmt.Errorf("the wait of %s does not fit: %w", d, context.DeadlineExceeded)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
