package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// Task is a long job under way: S is the type of its status document, R of its result. It is not safe for concurrent
// use.
type Task[S, R any] struct {
	Info ResponseInfo // of the last answer: of the start, then of the questions for the status

	client  *Client
	job     *Job
	poll    *Operation
	opts    []Option
	in      Input // target is the URL to ask next
	status  string
	result  string
	header  string        // that gave the status URL, and gives a new one
	after   time.Duration // wait that the last answer asked for
	wait    time.Duration // last one by backoff
	waits   int           // by backoff in a row
	word    string        // of the last status document
	seen    S
	value   R
	done    bool
	failed  error
	started bool // by this process, so that the first question can wait
}

// Start makes the call that starts a job. An answer that needs no waiting (a status other than 202 without a status
// URL) ends the job at once. The call is retried as any other; a job that was started twice is what its idempotency key
// prevents.
func Start[S, R any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (*Task[S, R], error) {
	x, err := c.send(ctx, op, in, opts)
	if err != nil {
		return nil, err
	}
	t := &Task[S, R]{client: c, job: op.Job, poll: op.pollOperation(op.Job), started: true}
	t.note(x)
	at, header, err := x.statusURL(op.Job, &in)
	switch {
	case err != nil:
		return nil, x.unreadable(fmt.Errorf("the job's status cannot be asked for: %w", err))
	case at == nil && x.info.StatusCode == http.StatusAccepted:
		return nil, x.unreadable(errNoStatus)
	case at == nil:
		return t, t.finish(x)
	}
	t.in.target, t.status, t.header = at.String(), at.String(), header
	end, err := x.resultURL(header, &in)
	if err != nil {
		return nil, x.unreadable(fmt.Errorf("the job's result cannot be asked for: %w", err))
	}
	if end != nil {
		t.result = end.String()
	}
	return t, nil
}

var (
	errNoStatus = errors.New("the job was accepted, but the answer has no URL for its status")
	errToken    = errors.New("this is not the token of a job")
)

// Resume takes a job up again by its token, in this process or another. The options are for all calls of the task. A
// token that leads to another origin than that of the operation is a [*ForeignURLError].
func Resume[S, R any](c *Client, op *Operation, token string, opts ...Option) (*Task[S, R], error) {
	origin, err := c.origin(context.Background(), op, opts)
	if err != nil {
		return nil, err
	}
	urls := strings.Fields(token)
	if len(urls) < 1 || len(urls) > 2 {
		return nil, errToken
	}
	for i, ref := range urls {
		at, err := sameOrigin(origin, origin, ref)
		if err != nil {
			return nil, err
		}
		urls[i] = at.String()
	}
	t := &Task[S, R]{client: c, job: op.Job, poll: op.pollOperation(op.Job), opts: opts, status: urls[0]}
	t.in.target = t.status
	if len(urls) == 2 {
		t.result = urls[1]
	}
	return t, nil
}

// Wait asks for the status of a job until it has ended, by an operation that reads it. It goes by the rules of
// [Task.Wait] and needs no token: after a crash, call it again.
func Wait[T any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (T, error) {
	t := &Task[T, T]{client: c, job: op.Job, poll: op, in: in}
	return t.Wait(ctx, opts...)
}

// Token is what [Resume] needs: the status URL and, after a space, the URL of the result where that is another one. It
// is "" for a job that ended at once.
func (t *Task[S, R]) Token() string { return strings.TrimSpace(t.status + " " + t.result) }

// Status is the last status document that came.
func (t *Task[S, R]) Status() S { return t.seen }

// Result is the result of the job; false while there is none.
func (t *Task[S, R]) Result() (R, bool) { return t.value, t.done && t.failed == nil }

// Poll asks for the status once, and fetches the result of a job that is done. It tells whether the job has ended; one
// that has ended badly gives an [*Error] with a [*JobError] inside, and will go on to do so.
func (t *Task[S, R]) Poll(ctx context.Context, opts ...Option) (bool, error) {
	for !t.done {
		x, err := t.client.send(ctx, t.poll, t.in, append(slices.Clip(t.opts), opts...))
		if err != nil {
			return false, err
		}
		t.note(x)
		more := false
		if x.seeOther() || t.result != "" && t.in.target == t.result {
			err = t.finish(x)
		} else {
			more, err = t.judge(x)
		}
		if err != nil || !more {
			return t.done, err
		}
	}
	return true, t.failed
}

// judge reads a status answer. True says that the result is still to be fetched.
func (t *Task[S, R]) judge(x *exchange) (bool, error) {
	var status S
	t.word = ""
	if x.decode([]any{&status}) == nil { // the body of a 202 is free, and that of a 200 may be the result
		t.seen = status
		t.word = text(selectPath(reflect.ValueOf(status), t.job.Status))
	}
	switch t.job.state(x.info.StatusCode, t.word) {
	case jobFailed:
		e := x.unreadable(&JobError{Status: t.word})
		said := readProblem(x.info.Body)
		e.Code, e.Message = said.code, x.set.redact(said.message)
		t.done, t.failed = true, e
		return false, e
	case jobRunning:
		return false, t.moved(x)
	case jobDone:
	}
	if ref := member(x.info.Body, t.job.ResultURL); ref != "" {
		at, err := x.resolve(&t.in, ref)
		if err != nil {
			return false, x.unreadable(fmt.Errorf("the job's result cannot be asked for: %w", err))
		}
		t.result = at.String()
	}
	if t.result == "" {
		return false, t.finish(x)
	}
	t.in.target = t.result
	return true, nil
}

// moved follows a status URL that a status answer replaces.
func (t *Task[S, R]) moved(x *exchange) error {
	ref := x.info.Header.Get(t.header)
	if t.header == "" || ref == "" {
		return nil
	}
	at, err := x.resolve(&t.in, ref)
	if err != nil {
		return x.unreadable(fmt.Errorf("the job's status cannot be asked for: %w", err))
	}
	t.in.target, t.status = at.String(), at.String()
	return nil
}

func (t *Task[S, R]) finish(x *exchange) error {
	var value R
	if err := x.decode([]any{&value}); err != nil {
		return err
	}
	t.value, t.done = value, true
	return nil
}

// note keeps what an answer says beside its body.
func (t *Task[S, R]) note(x *exchange) {
	t.Info = x.info
	t.after, _ = retry.After(x.info.Header, time.Now())
}

// pollBackoff spaces the questions of a server that names no wait.
var pollBackoff = retry.Backoff{Base: time.Second, Cap: 30 * time.Second, Decorrelated: true}

// Wait asks for the status until the job has ended, and gives its result. ctx and [WithDeadline] bound the whole wait, as
// one deadline; without either there is none. Each question is a call with its own retries, and a failure that outlasts them does not end the wait unless asking again is
// no use. Between two questions it waits as long as Retry-After says (RFC 9110 section 10.2.3), and up to a tenth longer,
// else from 1 s up to 30 s by backoff. When the next wait does not fit the deadline it returns at once with a
// [*JobUnfinishedError]. Wait may be called again.
func (t *Task[S, R]) Wait(ctx context.Context, opts ...Option) (R, error) {
	var none R
	set, err := t.client.settings(opts)
	if err != nil {
		return none, err
	}
	if set.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, set.deadline)
		defer cancel()
	}
	var lost error // why the last question was not answered
	for pause := t.started; ; pause = true {
		t.started = false
		if pause {
			delay := t.next()
			err := fits(ctx, delay)
			if err == nil {
				err = wait(ctx, delay)
			}
			if err != nil {
				return none, t.unfinished(errors.Join(err, lost))
			}
		}
		ended, err := t.Poll(ctx, opts...)
		switch {
		case ended && err == nil:
			return t.value, nil
		case ended:
			return none, err
		case err != nil && ctx.Err() != nil:
			return none, t.unfinished(err)
		case err != nil && !t.passing(err):
			return none, err
		}
		lost = err
	}
}

func (t *Task[S, R]) next() time.Duration {
	if t.after > 0 {
		t.waits, t.wait = 0, 0
		return t.after + time.Duration(jitter()*float64(t.after)/10)
	}
	t.wait = pollBackoff.Delay(t.waits, false, t.wait, jitter())
	t.waits++
	return t.wait
}

func (t *Task[S, R]) unfinished(err error) error {
	return &JobUnfinishedError{Token: t.Token(), Status: t.word, Err: err}
}

// passing tells that a question failed in a way that another one need not, and notes the wait that the server asked for.
func (t *Task[S, R]) passing(err error) bool {
	var te *transport.Error
	if !errors.As(err, &te) {
		return false
	}
	t.after = te.RetryAfter
	return slices.Contains([]transport.Reason{
		transport.ReasonAttempts, transport.ReasonDeadline, transport.ReasonRetryAfter, transport.ReasonBudget,
	}, te.Reason)
}
