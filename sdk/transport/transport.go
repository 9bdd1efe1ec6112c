package transport

import (
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/keys"
)

// guardedKeys is how many keys a Transport remembers.
const guardedKeys = 4096

// Transport is an http.RoundTripper whose calls are retried where that is
// safe. It is safe for concurrent use. Keep one for as long as the program
// talks to a server: connections, the budget and the guard against reused keys
// live in it.
type Transport struct {
	cfg   config
	base  http.RoundTripper
	guard *keys.Guard
}

// New returns a Transport that makes its attempts through base. A nil base is
// a clone of http.DefaultTransport that keeps more idle connections to a host.
func New(base http.RoundTripper, opts ...Option) *Transport {
	if base == nil {
		base = tuned()
	}

	t := &Transport{
		cfg: config{
			retryAfterLimit: none,
			budget:          budget.NewTokenBucket(budget.BucketConfig{}),
			logger:          slog.Default(),
			random:          rand.Float64,
		},
		base:  base,
		guard: keys.NewGuard(guardedKeys),
	}

	for _, opt := range opts {
		opt.apply(&t.cfg)
	}

	t.cfg.next = wrap(base, t.cfg.middleware)

	return t
}

const (
	idlePerHost  = 32
	dialTimeout  = 5 * time.Second
	tlsTimeout   = 5 * time.Second
	tcpKeepAlive = 30 * time.Second
)

func tuned() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}

	base = base.Clone()
	base.MaxIdleConnsPerHost = idlePerHost
	base.TLSHandshakeTimeout = tlsTimeout
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: tcpKeepAlive}
	base.DialContext = counted(dialer.DialContext)

	return base
}

func wrap(rt http.RoundTripper, middleware []func(http.RoundTripper) http.RoundTripper) http.RoundTripper {
	for _, around := range slices.Backward(middleware) {
		rt = around(rt)
	}

	return rt
}

// RoundTrip implements http.RoundTripper. It returns the last answer when the
// last attempt got one, whatever its status, and an [*Error] when it got none.
// [OutcomeOf] tells what led to an answer. The request is not changed.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := &call{t: t, cfg: &t.cfg, req: req, ctx: req.Context()}

	if err := c.begin(); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}

		return nil, c.refused(err)
	}

	if c.attemptOnce(&c.first, c.start) { //nolint:contextcheck // the call holds the request's context
		c.loop()
	}

	return c.finish()
}

// CloseIdleConnections closes the connections of the base that are not in
// use, if the base knows how to. http.Client.CloseIdleConnections calls it; a
// failing call never does.
func (t *Transport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
