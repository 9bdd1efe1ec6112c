package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retry"
)

// errNoResend stops net/http from sending a body again behind the call's back,
// after the connection broke without an answer.
var errNoResend = fmt.Errorf("the connection closed before an answer: %w", io.ErrUnexpectedEOF)

// errUnprocessed ends an attempt whose stream the server would not process, so
// that the call decides about the next one.
var errUnprocessed = fmt.Errorf("http2: the server did not process the request: %w", retry.ErrUnprocessed)

var errBodyInUse = errors.New("transport: the last attempt still holds the request's body")

// requestBody is where the attempts take their bodies from.
type requestBody struct {
	get    func() (io.ReadCloser, error)
	shared *sharedBody
	used   bool
}

func (b *requestBody) init(req *http.Request) {
	switch {
	case req.Body == nil || req.Body == http.NoBody:
	case req.GetBody != nil:
		b.get = req.GetBody
	default:
		b.shared = newShared(req.Body)
	}
}

// buffer reads a body that cannot be sent twice into memory, up to limit.
func (b *requestBody) buffer(limit int64) error {
	if b.shared == nil || b.shared.seeker != nil || limit <= 0 {
		return nil
	}

	head, err := io.ReadAll(io.LimitReader(b.shared.body, limit+1))
	if err != nil {
		return fmt.Errorf("transport: reading the request's body: %w", err)
	}

	if int64(len(head)) > limit {
		b.shared.body = &rewound{
			Reader: io.MultiReader(bytes.NewReader(head), b.shared.body),
			Closer: b.shared.body,
		}

		return nil
	}

	_ = b.shared.body.Close()
	b.shared = nil
	b.get = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(head)), nil }

	return nil
}

// replayable reports whether another attempt could send the same body.
func (b *requestBody) replayable() bool {
	return b.shared == nil || b.shared.replayable()
}

// attach gives an attempt's request its body.
func (b *requestBody) attach(req *http.Request, a *attempt) error {
	switch {
	case b.shared != nil:
		reader, err := b.shared.open()
		if err != nil {
			return err
		}

		req.Body, req.GetBody = reader, nil
	case b.get != nil:
		if b.used || req.GetBody == nil {
			body, err := b.get()
			if err != nil {
				return fmt.Errorf("transport: opening the request's body again: %w", err)
			}

			req.Body = body
		}

		b.used = true
		req.GetBody = a.getBody
		a.replayable = safeMethod(req.Method) || hasKeyHeader(req.Header)
	case !a.call.safe && (safeMethod(req.Method) || hasKeyHeader(req.Header)):
		// net/http would send this again by itself. It leaves requests alone
		// whose body it cannot get anew, even an empty one.
		req.Body, req.GetBody, req.ContentLength = io.NopCloser(http.NoBody), nil, 0
	}

	return nil
}

// safeMethod and hasKeyHeader are what net/http goes by when it sends a request
// again by itself.
func safeMethod(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}

	return false
}

func hasKeyHeader(header http.Header) bool {
	return header["Idempotency-Key"] != nil || header["X-Idempotency-Key"] != nil
}

// getBody is what net/http calls to send the body again by itself. Where
// nothing was written yet that is free; where the server did not process the
// stream (HTTP/2) it is counted; everything else is left to the call.
func (a *attempt) getBody() (io.ReadCloser, error) {
	allowed, counts := a.trace.Load().resendable(a.replayable)
	if !allowed {
		return nil, errNoResend
	}

	if counts && !a.call.mayResend() {
		return nil, errUnprocessed
	}

	return a.call.body.get()
}

// release closes a shared body once nobody reads it.
func (b *requestBody) release() {
	if b.shared != nil {
		b.shared.release()
	}
}

// sharedBody is a body that exists once: a file, which can be rewound, or a
// stream, which cannot. net/http closes what it is given, also after it has
// answered, so every attempt gets a view of it and the body itself is closed
// at the end.
type sharedBody struct {
	body   io.ReadCloser
	seeker io.Seeker
	offset int64

	mu       sync.Mutex
	read     bool
	closed   chan struct{}
	released bool
}

func newShared(body io.ReadCloser) *sharedBody {
	s := &sharedBody{body: body}

	if seeker, ok := body.(io.Seeker); ok {
		if at, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.offset = seeker, at
		}
	}

	return s
}

func (s *sharedBody) replayable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.seeker != nil || !s.read
}

// patience is how long the last attempt may take to let go of the body.
const patience = time.Second

// open returns a view from the start.
func (s *sharedBody) open() (io.ReadCloser, error) {
	if s.closed != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()

		select {
		case <-s.closed:
		case <-timer.C:
			return nil, errBodyInUse
		}
	}

	if s.seeker != nil && s.read {
		if _, err := s.seeker.Seek(s.offset, io.SeekStart); err != nil {
			return nil, fmt.Errorf("transport: rewinding the request's body: %w", err)
		}
	}

	s.closed = make(chan struct{})

	return &view{shared: s, once: sync.Once{}, closed: s.closed}, nil
}

func (s *sharedBody) release() {
	s.mu.Lock()
	s.released = true
	s.mu.Unlock()

	if s.closed == nil {
		_ = s.body.Close()

		return
	}

	select {
	case <-s.closed:
		_ = s.body.Close()
	default:
	}
}

// view is one attempt's view of a shared body.
type view struct {
	shared *sharedBody
	once   sync.Once
	closed chan struct{}
}

// Read implements io.Reader.
func (v *view) Read(p []byte) (int, error) {
	select {
	case <-v.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}

	v.shared.mu.Lock()
	v.shared.read = true
	v.shared.mu.Unlock()

	return v.shared.body.Read(p)
}

// Close implements io.Closer.
func (v *view) Close() error {
	v.once.Do(func() {
		v.shared.mu.Lock()
		released := v.shared.released
		v.shared.mu.Unlock()

		close(v.closed)

		if released {
			_ = v.shared.body.Close()
		}
	})

	return nil
}
