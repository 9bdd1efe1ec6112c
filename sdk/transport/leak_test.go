package transport_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// watched is a context that counts who waits for its end.
type watched struct {
	context.Context
	waiting *atomic.Int64
}

// AfterFunc is what package context registers with.
func (w watched) AfterFunc(func()) func() bool {
	w.waiting.Add(1)

	return func() bool {
		w.waiting.Add(-1)

		return true
	}
}

// Value hides the contexts below, so that AfterFunc is used.
func (w watched) Value(key any) any {
	if _, known := key.(interface{ known() }); known {
		return w.Context.Value(key)
	}

	return nil
}

func TestCallLetsGoOfTheCallersContext(t *testing.T) {
	t.Parallel()

	for name, step := range map[string]retrytest.Step{
		"success": retrytest.Answer(200).Text("ok"),
		"no body": retrytest.Answer(204),
		"failure": retrytest.Answer(503).Text("busy"),
		"error":   retrytest.Reset(),
	} {
		for _, op := range []*transport.Operation{nil, {ID: "op"}, {ID: "op", Stream: true}} {
			ctx, cancel := context.WithCancel(t.Context())
			parent := watched{Context: ctx, waiting: &atomic.Int64{}}
			rt := transport.New(retrytest.NewTransport(step), quiet, quick)

			if op != nil {
				rt = transport.New(retrytest.NewTransport(step), quiet, quick, transport.WithOperation(op))
			}

			req, _ := http.NewRequestWithContext(parent, http.MethodGet, "http://api.test/", nil)
			_ = finish(rt.RoundTrip(req))

			check(t, name+": still waiting", parent.waiting.Load(), 0)
			cancel()
		}
	}
}
