package transport_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// TestEndedContextSendsNothing gives the base no chance to overlook that the caller has left.
func TestEndedContextSendsNothing(t *testing.T) {
	sent := 0
	rt := transport.New(roundTripper(func(*http.Request) (*http.Response, error) {
		sent++

		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
	}))
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.example/", nil)
	if err != nil {
		t.Fatal(err)
	}

	_, err = rt.RoundTrip(req)

	var failed *transport.Error
	if !errors.As(err, &failed) || failed.Reason != transport.ReasonCaller || failed.Attempts != 0 ||
		!errors.Is(err, context.Canceled) || !errors.Is(err, cause) || sent != 0 {
		t.Errorf("%d sent, got %v", sent, err)
	}
}
