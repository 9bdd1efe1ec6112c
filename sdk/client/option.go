package client

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/keys"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// Option changes a client, or one call when it is handed to a method. An option of a call wins over the client's.
type Option interface{ apply(s *settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// Middleware wraps a round tripper: it may look at and change the request, the answer, or answer itself.
type Middleware = func(next http.RoundTripper) http.RoundTripper

// settings is what options fill. A call works on a copy, so options replace maps and slices and never write into them.
type settings struct {
	forCall     bool
	err         error
	baseURL     string
	variables   map[string]string
	header      http.Header
	query       url.Values
	product     string
	credentials map[string]credential
	client      *http.Client
	env         func(string) string
	transport   []transport.Option
	around      []Middleware
	info        *ResponseInfo
	dry         **http.Request
	progress    func(sent, total int64)
	deadline    time.Duration
	attempts    int           // 0: not set
	budget      budget.Budget // nil: none
	budgetGiven bool
	key         string
	source      keys.Source
}

func (s *settings) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *settings) clientOnly(option string) bool {
	if s.forCall {
		s.fail(fmt.Errorf("%s configures a client, not one call", option))
	}
	return !s.forCall
}

func (s *settings) callOnly(option string) bool {
	if !s.forCall {
		s.fail(fmt.Errorf("%s is for one call, not for a client", option))
	}
	return s.forCall
}

func throughTransport(opts ...transport.Option) Option {
	return optionFunc(func(s *settings) { s.transport = append(slices.Clip(s.transport), opts...) })
}

// WithBaseURL sends everything to this URL instead of the document's servers; it may have a path and {variables}.
// Default: the environment variable <PREFIX>_BASE_URL, then the first server.
func WithBaseURL(base string) Option {
	return optionFunc(func(s *settings) { s.baseURL = base })
}

// WithServerVariable sets one variable of the server's URL. A value outside its enum is an error of New or of the call.
func WithServerVariable(name, value string) Option {
	return optionFunc(func(s *settings) {
		s.variables = maps.Clone(s.variables)
		if s.variables == nil {
			s.variables = map[string]string{}
		}
		s.variables[name] = value
	})
}

// WithHTTPClient sends through h: its transport carries the attempts, its cookie jar and redirect policy are kept, its
// Timeout bounds a whole call with all attempts. It is for New only. Default: a tuned clone of http.DefaultTransport.
func WithHTTPClient(h *http.Client) Option {
	return optionFunc(func(s *settings) {
		if s.clientOnly("WithHTTPClient") {
			s.client = h
		}
	})
}

// WithTransport carries the attempts on rt. It is for New only.
func WithTransport(rt http.RoundTripper) Option {
	return optionFunc(func(s *settings) {
		if s.clientOnly("WithTransport") {
			s.client = &http.Client{Transport: rt}
		}
	})
}

// WithEnv reads environment variables through lookup instead of os.Getenv; nil reads none. It is for New only.
func WithEnv(lookup func(name string) string) Option {
	if lookup == nil {
		lookup = func(string) string { return "" }
	}
	return optionFunc(func(s *settings) {
		if s.clientOnly("WithEnv") {
			s.env = lookup
		}
	})
}

// WithHeader sets a header on every request, over what the operation sets.
func WithHeader(name, value string) Option {
	return optionFunc(func(s *settings) {
		s.header = s.header.Clone()
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Set(name, value)
	})
}

// WithQuery adds a query parameter to every request.
func WithQuery(name, value string) Option {
	return optionFunc(func(s *settings) {
		q := maps.Clone(s.query)
		if q == nil {
			q = url.Values{}
		}
		q[name] = append(slices.Clip(q[name]), value)
		s.query = q
	})
}

// WithUserAgent puts product (acme-shop/2.1) before the SDK's own in the User-Agent header.
func WithUserAgent(product string) Option {
	return optionFunc(func(s *settings) { s.product = product })
}

// WithMiddleware wraps each call: m runs once however many attempts and redirects there are. The first one given is the
// outermost.
func WithMiddleware(m ...Middleware) Option {
	return optionFunc(func(s *settings) { s.around = append(slices.Clip(s.around), m...) })
}

// WithAttemptMiddleware wraps each attempt, inside the retries: the place for request signing and for tracing spans.
func WithAttemptMiddleware(m Middleware) Option {
	return throughTransport(transport.WithAttemptMiddleware(m))
}

// WithResponse fills info with what is known of the answer, whether the call succeeds or fails. It is for one call.
func WithResponse(info *ResponseInfo) Option {
	return optionFunc(func(s *settings) {
		if s.callOnly("WithResponse") {
			s.info = info
		}
	})
}

// ErrDryRun is what a call with [WithDryRun] returns.
var ErrDryRun = errors.New("dry run: the request was built and not sent")

// WithDryRun builds the request, stores it in req and returns [ErrDryRun] without sending. It is for one call.
func WithDryRun(req **http.Request) Option {
	return optionFunc(func(s *settings) {
		if s.callOnly("WithDryRun") {
			s.dry = req
		}
	})
}

// WithUploadProgress calls f as the request body goes out, from the goroutine that sends; a new attempt begins again at
// 0. The total is -1 when it is not known.
func WithUploadProgress(f func(sent, total int64)) Option {
	return optionFunc(func(s *settings) { s.progress = f })
}

// WithIdempotencyKey sends key with one call in place of a made one: store it with the intent, and a call after a crash
// is the same call. With an operation that takes no key the call fails before anything is sent.
func WithIdempotencyKey(key string) Option {
	return optionFunc(func(s *settings) {
		if s.callOnly("WithIdempotencyKey") {
			s.key = key
			s.transport = append(slices.Clip(s.transport), transport.WithIdempotencyKey(key))
		}
	})
}

// WithKeySource makes keys in place of the operation's event, the context's request scope and random UUIDs.
func WithKeySource(source keys.Source) Option {
	return optionFunc(func(s *settings) {
		s.source = source
		s.transport = append(slices.Clip(s.transport), transport.WithKeySource(source))
	})
}

// WithMaxAttempts bounds the attempts of a call, the first one included. Default 3.
func WithMaxAttempts(n int) Option {
	return optionFunc(func(s *settings) {
		s.attempts = n
		s.transport = append(slices.Clip(s.transport), transport.WithMaxAttempts(n))
	})
}

// WithDeadline bounds a call with all attempts and waits. Default 30 s, or the context's if that is earlier.
func WithDeadline(d time.Duration) Option {
	return optionFunc(func(s *settings) {
		s.deadline = d
		s.transport = append(slices.Clip(s.transport), transport.WithDeadline(d))
	})
}

// WithAttemptTimeout bounds one attempt. Default 10 s, at most what is left of the deadline.
func WithAttemptTimeout(d time.Duration) Option {
	return throughTransport(transport.WithAttemptTimeout(d))
}

// WithBackoff sets the waits between attempts. Default: full jitter from 50 ms (1 s after a throttle) up to 20 s.
func WithBackoff(b retry.Backoff) Option { return throughTransport(transport.WithBackoff(b)) }

// WithBudget sets what retries may cost; nil switches the budget off. Default: a bucket of 500 tokens of this client.
func WithBudget(b budget.Budget) Option {
	return optionFunc(func(s *settings) {
		s.budget, s.budgetGiven = b, true
		s.transport = append(slices.Clip(s.transport), transport.WithBudget(b))
	})
}

// WithRetryAfterLimit bounds the wait that a server may ask for; a longer one ends the call at once. Default 60 s.
func WithRetryAfterLimit(d time.Duration) Option {
	return throughTransport(transport.WithRetryAfterLimit(d))
}

// WithLogger logs retries at Warn. Default slog.Default().
func WithLogger(l *slog.Logger) Option { return throughTransport(transport.WithLogger(l)) }

// WithHook reports every attempt and decision.
func WithHook(h transport.Hook) Option { return throughTransport(transport.WithHook(h)) }

// WithTransportOptions passes further options of package transport on.
func WithTransportOptions(opts ...transport.Option) Option { return throughTransport(opts...) }
