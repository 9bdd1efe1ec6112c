// Package shop is the reference API of openapi.yaml as a server in memory: it keeps customers, orders, payments and
// refunds, counts every effect so that a test can compare it with what was meant, and fails on demand.
//
// Its types are written by hand rather than taken from the SDK, so that the SDK is tested against the document and not
// against itself.
package shop

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// Options of a [Shop]; the zero value is a shop without faults.
type Options struct {
	// Faults decides what goes wrong with a request. Nil: only what the X-Shop-Fault header asks for.
	Faults Plan
	// Stall is how long a stalled request hangs when its client does not leave earlier. Default 30 s.
	Stall time.Duration
	// Backend keeps everything. Default: in memory, see [NewMemory].
	Backend Backend
	// Processor takes the money of payments. Default: that of a [Bank] of the shop's own.
	Processor Processor
	// Lease is how long the claim of a payment outlives its worker. Default 30 s.
	Lease time.Duration
	// Events gets what the idempotency middleware does. Nil: nobody listens.
	Events idempotency.Hook
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// TokenUses is how many requests a token from POST /oauth/token is good for; then it is answered 401. Other tokens
	// are good for ever. Default: no bound.
	TokenUses int
	// Hook gets each webhook event with its signature headers; see [Sign]. Nil: none are made.
	Hook func(header http.Header, body []byte)
	// HookSecret signs webhook events, whsec_ and base64.
	HookSecret string
}

// Shop is the server. It is an [http.Handler] and safe for concurrent use.
type Shop struct {
	handler  http.Handler
	opts     Options
	backend  Backend
	requests atomic.Int64
	tokens   tokens

	mu   sync.Mutex
	wake chan struct{} // closed and replaced when an order event is added
}

// New makes a shop; a backend without products gets a catalogue. It fails when the backend does.
func New(ctx context.Context, opts Options) (*Shop, error) {
	if opts.Stall <= 0 {
		opts.Stall = 30 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Backend == nil {
		opts.Backend = NewMemory()
	}
	if opts.Processor == nil {
		opts.Processor = NewBank().Charge
	}
	s := &Shop{opts: opts, backend: opts.Backend, wake: make(chan struct{})}
	s.handler = s.withFaults(s.withRequestID(s.routes(authorized)))
	return s, s.run(ctx, (*unit).stock)
}

// ServeHTTP answers requests below / and below /v1/.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	s.handler.ServeHTTP(w, r)
}

// Guarded is the shop without faults and credentials, for [idempotency.Completer]: it goes on with payments whose
// process has died and whose client does not come back.
func (s *Shop) Guarded() http.Handler {
	return s.routes(func(next http.Handler, _ ...func(*http.Request) bool) http.Handler { return next })
}

// Requests is how many requests arrived, those among them that a fault swallowed.
func (s *Shop) Requests() int64 { return s.requests.Load() }

// Listener is a shop that listens on a loopback port.
type Listener struct {
	*Shop

	// URL is the base URL for clients, with /v1.
	URL    string
	server *http.Server
}

// Start serves a new shop on a free loopback port over HTTP/1.1 and unencrypted HTTP/2.
func Start(opts Options) (*Listener, error) {
	return StartTLS(opts, nil)
}

// StartTLS is [Start] over TLS when config is not nil.
func StartTLS(opts Options, config *tls.Config) (*Listener, error) {
	s, err := New(context.Background(), opts)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := NewServer(s)
	server.TLSConfig = config
	l := &Listener{Shop: s, URL: "http://" + listener.Addr().String() + "/v1", server: server}
	serve := server.Serve
	if config != nil {
		l.URL = strings.Replace(l.URL, "http:", "https:", 1)
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	go func() { _ = serve(listener) }()
	return l, nil
}

// NewServer is an HTTP server around handler that speaks HTTP/1.1 and HTTP/2, the latter without TLS too.
func NewServer(handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{Handler: handler, Protocols: protocols, ReadHeaderTimeout: 10 * time.Second}
}

// Effects is the counts at this moment. It panics when the backend fails, which one in memory does not.
func (l *Listener) Effects() Effects {
	effects, err := l.Shop.Effects(context.Background())
	if err != nil {
		panic(err)
	}
	return effects
}

// Close ends the server and its connections.
func (l *Listener) Close() error { return l.server.Close() }
