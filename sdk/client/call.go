package client

import (
	"context"
	"net/http"
	"slices"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// ResponseInfo is what is known of an answer beside its decoded body.
type ResponseInfo struct {
	StatusCode     int
	Header         http.Header
	Body           []byte // nil for streams and downloads
	RequestID      string
	IdempotencyKey string // "" when the operation takes none
	Attempts       int
	Replayed       bool // the server says that this is the stored answer of an earlier attempt
}

// Do makes a call whose success answer is decoded into a T. Generated methods call it with a pointer type, so that all
// of them share one instance.
//
//go:noinline
func Do[T any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (T, error) {
	var out T
	err := c.Into(ctx, op, in, opts, &out)
	return out, err
}

// Exec makes a call whose success answer has no body.
func (c *Client) Exec(ctx context.Context, op *Operation, in Input, opts []Option) error {
	_, err := c.send(ctx, op, in, opts)
	return err
}

// Into makes a call with several success answers: the one that came is decoded into the target of the same index.
// The last target serves all further answers.
func (c *Client) Into(ctx context.Context, op *Operation, in Input, opts []Option, targets ...any) error {
	x, err := c.send(ctx, op, in, opts)
	if err != nil {
		return err
	}
	return x.decode(targets)
}

// exchange is one call under way.
type exchange struct {
	client  *Client
	op      *Operation
	set     *settings
	resp    *http.Response // its body is open for streams and downloads only
	outcome transport.Outcome
	info    ResponseInfo
}

// send makes the call and gives back a 2xx answer.
func (c *Client) send(ctx context.Context, op *Operation, in Input, opts []Option) (*exchange, error) {
	set, err := c.settings(opts)
	x := &exchange{client: c, op: op, set: set}
	if err != nil {
		return nil, x.failed(err)
	}
	ctx, err = x.keyed(ctx, op, &in)
	if err != nil {
		return nil, x.failed(err)
	}
	req, err := c.build(ctx, op, &in, set)
	if err != nil {
		return nil, x.failed(err)
	}
	return x, x.sendRequest(req)
}

// again makes the call once more with another input, for the rest of a stream or of a download.
func (x *exchange) again(ctx context.Context, in Input) (*exchange, error) {
	next := &exchange{client: x.client, op: x.op, set: x.set}
	req, err := x.client.build(ctx, x.op, &in, x.set)
	if err != nil {
		return nil, next.failed(err)
	}
	return next, next.sendRequest(req)
}

// sendRequest authenticates and sends req, and reads the answer.
func (x *exchange) sendRequest(req *http.Request) error {
	presented, err := x.client.authenticate(req.Context(), x.op, x.set, req)
	if err != nil {
		return x.failed(err)
	}
	carried := sent{credentials: presented}
	if rule := x.op.Call.Key; rule != nil {
		carried.key = rule.Header
	}
	if x.set.dry != nil {
		*x.set.dry = req
		return ErrDryRun
	}
	return x.exchange(req, carried)
}

func (x *exchange) exchange(req *http.Request, carried sent) error {
	ctx := context.WithValue(req.Context(), sentKey{}, carried)
	opts := append([]transport.Option{transport.WithOperation(&x.op.Call)}, x.set.transport...)
	if refresh := x.set.refresh(x.client.security(x.op)); refresh != nil { //nolint:bodyclose // a hook that only looks at the answer
		opts = append(opts, transport.WithRefresh(refresh))
	}
	resp, err := x.roundTrip(req.WithContext(transport.WithCall(ctx, opts...))) //nolint:bodyclose // ReadBody closes it, a stream is its reader's
	if err != nil {
		return x.failed(err)
	}
	x.resp = resp
	x.outcome, _ = transport.OutcomeOf(resp)
	x.info = ResponseInfo{
		StatusCode: resp.StatusCode, Header: resp.Header, RequestID: requestID(resp.Header),
		IdempotencyKey: x.outcome.IdempotencyKey, Attempts: x.outcome.Attempts, Replayed: x.outcome.Replayed,
	}
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	if !ok || !x.op.Call.Stream {
		x.info.Body, err = transport.ReadBody(resp)
	}
	if x.set.info != nil {
		*x.set.info = x.info
	}
	switch {
	case err != nil:
		return x.unreadable(err)
	case !ok:
		return x.rejected()
	}
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// roundTrip runs the middleware of the call around net/http's client, which follows redirects above the transport.
func (x *exchange) roundTrip(req *http.Request) (*http.Response, error) {
	if len(x.set.around) == 0 {
		return x.client.http.Do(req)
	}
	var rt http.RoundTripper = roundTripper(x.client.http.Do)
	for _, m := range slices.Backward(x.set.around) {
		rt = m(rt)
	}
	return rt.RoundTrip(req)
}

// keyed settles the idempotency key as far as it is this package's: event-derived ones, and those that travel in the
// query or in the body, where the transport cannot put them.
func (x *exchange) keyed(ctx context.Context, op *Operation, in *Input) (context.Context, error) {
	rule := op.Call.Key
	if rule == nil {
		return ctx, nil
	}
	if rule.Header != "" {
		if source := in.Event.source(); source != nil {
			x.set.transport = append(x.set.transport, transport.WithEventKey(source))
		}
		return ctx, nil
	}
	key, err := x.makeKey(ctx, in)
	if err != nil {
		return ctx, err
	}
	x.set.key = key
	x.set.transport = append(x.set.transport, transport.WithIdempotencyKey(key))
	setKey(in.Key, key)
	return ctx, nil
}
