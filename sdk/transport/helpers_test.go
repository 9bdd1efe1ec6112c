package transport_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/retry"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

const payload = `{"name":"a"}`

// quick are waits that a test on a real network can afford.
var quick = transport.WithBackoff(retry.Backoff{
	Base: 5 * time.Millisecond, ThrottleBase: 5 * time.Millisecond, Cap: 40 * time.Millisecond, Min: time.Millisecond,
})

func worst() float64 { return 1 }

// quiet keeps the retries of tests out of their output.
var quiet = transport.WithLogger(slog.New(slog.DiscardHandler))

// ended is how a call ended, whichever way.
type ended struct {
	status  int
	body    string
	err     error
	outcome transport.Outcome
}

func (e ended) attempts() int {
	var te *transport.Error
	if errors.As(e.err, &te) {
		return te.Attempts
	}

	return e.outcome.Attempts
}

func (e ended) reason() transport.Reason {
	var te *transport.Error
	if errors.As(e.err, &te) {
		return te.Reason
	}

	return e.outcome.Reason
}

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()

	var body io.Reader
	if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		body = strings.NewReader(payload)
	}

	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}

	return req
}

func do(t *testing.T, rt http.RoundTripper, req *http.Request) ended {
	t.Helper()

	client := &http.Client{Transport: rt}

	return finish(client.Do(req))
}

func finish(resp *http.Response, err error) ended {
	if err != nil {
		return ended{err: err}
	}

	outcome, _ := transport.OutcomeOf(resp)
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()

	return ended{status: resp.StatusCode, body: string(body), err: err, outcome: outcome}
}

func bucket() *budget.TokenBucket { return budget.NewTokenBucket(budget.BucketConfig{}) }

func left(b budget.Budget) int { return b.State(time.Now()).Available }

func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()

	if got != want {
		t.Errorf("%s: got %.200s, want %.200s", what, fmt.Sprint(got), fmt.Sprint(want))
	}
}

// Withdraw implements budget.Budget.
func (l *ledger) Withdraw(now time.Time, kind budget.Kind) error {
	err := l.Budget.Withdraw(now, kind)
	if err == nil {
		l.note()
	}

	return err
}

// Charge implements budget.Budget.
func (l *ledger) Charge(now time.Time, kind budget.Kind) {
	l.Budget.Charge(now, kind)
	l.note()
}

func (l *ledger) note() {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.paid++
}

func silent() *log.Logger { return log.New(io.Discard, "", 0) }
