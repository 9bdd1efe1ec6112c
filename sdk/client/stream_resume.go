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

	"github.com/retrysafe/retrysafe/sdk/budget"
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

// doneMark is the data by which many APIs end a stream without a word about it in their document. It is no JSON.
const doneMark = "[DONE]"

func (s *stream) ends(data []byte) bool {
	if s.how.End == "" {
		return string(data) == doneMark
	}
	return string(data) == s.how.End
}

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
	if s.op.repeatable() && (s.events == 0 || s.lastID != "") {
		in := s.in
		if s.lastID != "" {
			in.header = http.Header{"Last-Event-Id": {headerText(s.lastID)}}
		}
		next, err := s.resumes.again(ctx, x, in, s.retry)
		if err == nil {
			return next, nil
		}
		broken = fmt.Errorf("%w; it was not resumed: %w", broken, err)
	}
	return nil, x.unreadable(&StreamError{Events: s.events, LastEventID: s.lastID, Err: broken})
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
	errResumes = errors.New("the attempts of the call are used up")
	errTooLong = errors.New("the wait that the server asks for is too long")
)

// resumes counts how often something was taken up again since it last got further.
type resumes struct {
	made int
	wait time.Duration
}

// again waits and makes the call of x once more, for what is left: within the attempts of a call, after at least the wait
// that the server asked for, and paid as a retry. It gives up at once when the wait does not fit the context's deadline.
func (r *resumes) again(ctx context.Context, x *exchange, in Input, asked time.Duration) (*exchange, error) {
	if r.made+1 >= x.attempts() {
		return nil, errResumes
	}
	if asked > retry.DefaultRetryAfterLimit {
		return nil, errTooLong
	}
	r.wait = max(asked, retry.Backoff{}.Delay(r.made, r.made > 0, r.wait, jitter()))
	r.made++
	if err := fits(ctx, r.wait); err != nil {
		return nil, err
	}
	if err := x.pay(); err != nil {
		return nil, err
	}
	if err := wait(ctx, r.wait); err != nil {
		return nil, err
	}
	return x.again(ctx, in)
}

// attempts is how many attempts the call may make in all.
func (x *exchange) attempts() int {
	switch call := &x.op.Call; {
	case call.NoRetry:
		return 1
	case x.set.attempts > 0:
		return x.set.attempts
	case call.Attempts > 0:
		return call.Attempts
	}
	return retry.DefaultAttempts
}

// pay takes the price of one retry from the client's budget.
func (x *exchange) pay() error {
	if x.set.budget == nil {
		return nil
	}
	return x.set.budget.Withdraw(time.Now(), budget.Transient)
}

func jitter() float64 { return rand.Float64() } //nolint:gosec // spreading waits takes no secret

// fits tells whether a wait is over before the context is.
func fits(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if at, bounded := ctx.Deadline(); bounded && time.Until(at) <= d {
		return fmt.Errorf("the wait of %s does not fit: %w", d, context.DeadlineExceeded)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
