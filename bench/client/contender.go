package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// The limits that every contender gets, in the form it has for them.
const (
	deadline       = 30 * time.Second
	attemptTimeout = 10 * time.Second
	attempts       = 3
)

const keyHeader = "Idempotency-Key"

// does says which parts of the job a contender does as it is set up here.
type does struct {
	retries  bool // failed attempts are repeated
	deadline bool // one limit over the whole call
	attempt  bool // one limit over each attempt
	byHand   bool // the limits are net/http's, written around the client
	key      bool // a POST carries an idempotency key of its own
}

// rival reports whether the contender itself retries and limits an attempt's time: the bars ask ours to be below it.
func (d does) rival() bool { return d.retries && d.attempt && !d.byHand }

// limited is how the table shows a limit.
func (d does) limited(has bool) string {
	if has && d.byHand {
		return "by hand"
	}

	return yes(has)
}

// send makes one call: request made, sent, answer read to its end and closed. A nil body makes it a GET, any other a POST.
type send func(body []byte) error

// contender is one client in one configuration.
type contender struct {
	name string
	does does
	// make builds the client on base, the network, for calls to url.
	make func(base http.RoundTripper, url string) send
}

// contenders returns the field, the baselines first and ours last.
func contenders() []contender {
	var all []contender
	for _, group := range [][]contender{netHTTP(), retryableHTTP(), cenkalti(), failsafe(), restyV3(), azcoreRetry(), awsRetry(), ours()} {
		all = append(all, group...)
	}

	return all
}

// finish reads an answer to its end, as each caller must.
func finish(resp *http.Response, err error) error {
	if err != nil {
		return err
	}

	_, err = io.Copy(io.Discard, resp.Body)
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}

	return err
}

// within runs do under the deadline.
func within(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()

	return do(ctx)
}

// stamp puts a key on the request of a client that makes none by itself.
func stamp(header http.Header, body []byte) {
	if body != nil {
		header.Set(keyHeader, uuid.NewString())
	}
}

// methodOf is the method that a body stands for.
func methodOf(body []byte) string {
	if body == nil {
		return http.MethodGet
	}

	return http.MethodPost
}
