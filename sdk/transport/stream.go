package transport

import (
	"fmt"
	"io"
	"time"
)

// responseBody is the body of an answer that was handed to the caller. It
// keeps the attempt's context alive until it is read or closed, and ends it
// when the server falls silent.
type responseBody struct {
	body    io.ReadCloser
	attempt *attempt
	idle    time.Duration
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	if b.idle != forever {
		b.attempt.hurry(b.idle)
	}

	n, err := b.body.Read(p)

	b.attempt.hurry(forever)

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
