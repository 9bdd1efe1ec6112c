package transport

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// responseBody is the body of an answer that was handed to the caller. It
// keeps the attempt's context alive until it is read or closed, and ends it
// when the server falls silent.
//
// The silence is noticed by the attempt's own timer, which looks whether a read
// began before it was last set and still lasts. So a read costs no timer, and
// the silence that ends a body lasts at least the idle time and at most twice
// that.
type responseBody struct {
	body    io.ReadCloser
	attempt *attempt
	idle    time.Duration

	reads   atomic.Uint64
	reading atomic.Bool
	seen    uint64
}

// begin puts the idle time in the place of the attempt's. It reports false when
// the attempt ran out just before.
func (b *responseBody) begin(a *attempt) bool {
	b.attempt = a
	b.idle = limit(a.call.cfg.idleTimeout, 0, DefaultIdleTimeout)

	return a.changeOver(b)
}

// handOver gives the body to the caller.
func (b *responseBody) handOver(resp *http.Response) {
	b.body = resp.Body
	resp.Body = b

	switch {
	case b.idle == forever:
		b.attempt.hurry(forever)
	case b.idle < b.attempt.call.timeout:
		b.attempt.hurry(b.idle)
	}
}

// silent reports, when the timer goes off, whether the server has said nothing
// since it last did, while somebody waited for it.
func (b *responseBody) silent() bool {
	reads := b.reads.Load()
	silent := b.reading.Load() && reads == b.seen
	b.seen = reads

	return silent
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	b.reads.Add(1)
	b.reading.Store(true)

	n, err := b.body.Read(p)

	b.reading.Store(false)

	if err != nil {
		if b.attempt.timedOut() {
			err = fmt.Errorf("transport: the body was silent for %s: %w", b.idle, err)
		}

		b.attempt.end()
	}

	return n, err
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	err := b.body.Close()
	b.attempt.end()

	return err
}
