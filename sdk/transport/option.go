package transport

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport/pace"
)

// Option changes how calls are made. The same option works for a Transport
// ([New]) and for one call ([WithCall]); the call's wins.
type Option interface{ apply(c *config) }

type optionFunc func(c *config)

func (f optionFunc) apply(c *config) { f(c) }

// none marks a limit that is switched off, apart from one that nobody set.
const none = -1

type config struct {
	attempts        int
	deadline        time.Duration
	attemptTimeout  time.Duration
	idleTimeout     time.Duration
	retryAfterLimit time.Duration
	backoff         retry.Backoff
	budget          budget.Budget
	key             string
	keySource       keys.Source
	eventKey        keys.Source
	keyed           []string
	operation       *Operation
	logger          *slog.Logger
	hook            Hook
	refresh         func(ctx context.Context, req *http.Request, resp *http.Response) (bool, error)
	middleware      []func(next http.RoundTripper) http.RoundTripper
	timeLeftHeader  string
	attemptHeader   string
	credentials     []string
	bufferLimit     int64
	random          func() float64
	pace            *pace.Adaptive
	next            http.RoundTripper // the base inside the middleware
}

type callOptions struct{}

// WithCall returns a context whose requests use opts on top of the options
// given to [New]. Options of an outer WithCall stay in force unless opts
// override them.
func WithCall(ctx context.Context, opts ...Option) context.Context {
	if outer, ok := ctx.Value(callOptions{}).([]Option); ok {
		opts = append(slices.Clip(outer), opts...)
	}

	return context.WithValue(ctx, callOptions{}, opts)
}

// WithMaxAttempts sets how many attempts a call makes in all; 1 means no
// retries, and less than 1 counts as 1. Default 3.
func WithMaxAttempts(n int) Option {
	return optionFunc(func(c *config) { c.attempts = max(n, 1) })
}

// WithDeadline bounds the whole call, waits and all attempts together. The
// context's deadline holds as well, the earlier one decides. Default 30 s; 0
// leaves the context's alone.
func WithDeadline(d time.Duration) Option {
	return optionFunc(func(c *config) { c.deadline = orNone(d) })
}

// WithAttemptTimeout bounds one attempt, within the deadline. An attempt that
// runs out is retried. Default 10 s; 0 means no bound but the deadline.
func WithAttemptTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) { c.attemptTimeout = orNone(d) })
}

// WithIdleTimeout bounds the silence between two reads of a body that is
// handed to the caller. Default 60 s; 0 means no bound.
func WithIdleTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) { c.idleTimeout = orNone(d) })
}

func orNone(d time.Duration) time.Duration {
	if d <= 0 {
		return none
	}

	return d
}

// WithBackoff sets the waits between attempts. A zero field keeps the
// operation's value or the default.
func WithBackoff(b retry.Backoff) Option {
	return optionFunc(func(c *config) { c.backoff = b })
}

// WithBudget sets the retry budget; nil switches it off. Give several clients
// the same one to let them share it. Default: a token bucket of the
// Transport's own.
func WithBudget(b budget.Budget) Option {
	return optionFunc(func(c *config) { c.budget = b })
}

// WithIdempotencyKey sets the key of a call. It wins over every other source.
// The key is validated and nothing is sent when it is not fit.
func WithIdempotencyKey(key string) Option {
	return optionFunc(func(c *config) { c.key = key })
}

// WithKeySource sets where keys come from, in place of the operation's event,
// the context's request scope and random UUIDs.
func WithKeySource(source keys.Source) Option {
	return optionFunc(func(c *config) { c.keySource = source })
}

// WithEventKey sets the key that the operation derives from its event. The
// caller's key and key source win over it.
func WithEventKey(source keys.Source) Option {
	return optionFunc(func(c *config) { c.eventKey = source })
}

// WithKeyedMethods names methods whose requests get an Idempotency-Key and are
// retried on the strength of it, for use without an [Operation]. Name a method
// only if the server honours the key on it. Default: none.
func WithKeyedMethods(methods ...string) Option {
	return optionFunc(func(c *config) { c.keyed = methods })
}

// WithOperation sets what is known about the operation that is called.
func WithOperation(op *Operation) Option { return op }

// WithRetryAfterLimit sets the longest wait that a server may ask for; when it
// asks for more, its answer is returned at once. Default 60 s.
func WithRetryAfterLimit(d time.Duration) Option {
	return optionFunc(func(c *config) { c.retryAfterLimit = max(d, 0) })
}

// WithLogger sets where each retry is logged, at level Warn; nil switches it
// off. Default: slog.Default().
func WithLogger(logger *slog.Logger) Option {
	return optionFunc(func(c *config) { c.logger = logger })
}

// WithHook sets a function that is told of each attempt, retry, end. Nil:
// none, the default.
func WithHook(hook Hook) Option {
	return optionFunc(func(c *config) { c.hook = hook })
}

// WithRefresh sets a function that is called after the first 401 of a call. It
// puts fresh credentials on req, which the following attempts are made from,
// and reports whether there are any.
func WithRefresh(refresh func(ctx context.Context, req *http.Request, resp *http.Response) (bool, error)) Option {
	return optionFunc(func(c *config) { c.refresh = refresh })
}

// WithAttemptMiddleware adds a function around every attempt, for example one
// that signs the request. The one added first is the outermost.
func WithAttemptMiddleware(middleware func(next http.RoundTripper) http.RoundTripper) Option {
	return optionFunc(func(c *config) {
		c.middleware = append(slices.Clip(c.middleware), middleware)
	})
}

// WithTimeLeftHeader sends, in the named header, how many milliseconds are left
// of the attempt. Relative, so that clocks need not agree. Default: not sent.
func WithTimeLeftHeader(name string) Option {
	return optionFunc(func(c *config) { c.timeLeftHeader = name })
}

// WithAttemptHeader sends the number of the attempt, from 1, in the named
// header. Default: not sent.
func WithAttemptHeader(name string) Option {
	return optionFunc(func(c *config) { c.attemptHeader = name })
}

// WithCredentialHeaders names headers that hold credentials, besides
// Authorization. They never go to another host when a redirect is followed.
func WithCredentialHeaders(names ...string) Option {
	return optionFunc(func(c *config) { c.credentials = names })
}

// WithBodyBuffer lets bodies that cannot be sent twice be read into memory
// first, up to limit bytes; longer ones are sent once. Default: no buffering.
func WithBodyBuffer(limit int64) Option {
	return optionFunc(func(c *config) { c.bufferLimit = limit })
}

// WithRandom sets the source of the jitter, values in [0, 1), safe for
// concurrent use. For tests. Default: math/rand/v2.
func WithRandom(random func() float64) Option {
	return optionFunc(func(c *config) { c.random = random })
}

// WithPacing holds attempts back, first ones too, to a rate that falls when the
// server throttles. Default: none.
func WithPacing(p *pace.Adaptive) Option {
	return optionFunc(func(c *config) { c.pace = p })
}
