package pace_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/transport/pace"
)

// A client that is throttled slows down, and recovers.
func ExampleAdaptive() {
	start := time.Unix(0, 0)
	p := pace.NewAdaptive(start)

	for i := range 20 {
		p.Ended(start.Add(time.Duration(i)*100*time.Millisecond), false)
	}

	wait, _ := p.Reserve(start.Add(2 * time.Second))
	fmt.Println("before a throttle:", wait)

	p.Ended(start.Add(2*time.Second), true)
	fmt.Printf("at a throttle: %.1f of %.1f a second\n", p.Rate(), p.Measured())
	// Output:
	// before a throttle: 0s
	// at a throttle: 7.0 of 10.0 a second
}

// TestPacedClientStopsOverrunningItsServer: a server that takes 5 requests a
// second turns most of a burst away; a paced client gets through with fewer
// requests.
func TestPacedClientStopsOverrunningItsServer(t *testing.T) {
	t.Parallel()

	spent := func(opts ...transport.Option) int {
		requests := 0

		synctest.Test(t, func(t *testing.T) {
			base := &limited{perSecond: 5, from: time.Now()}
			opts := append(opts, transport.WithLogger(nil), transport.WithMaxAttempts(50), transport.WithBudget(nil), transport.WithDeadline(time.Hour))

			if opts[0] == nil {
				opts[0] = transport.WithPacing(pace.NewAdaptive(time.Now()))
			}

			rt := transport.New(base, opts...)

			for range 200 {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", nil)

				resp, err := rt.RoundTrip(req)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Fatal(resp, err)
				}

				_ = resp.Body.Close()
			}

			requests = base.requests
		})

		return requests
	}

	plain, paced := spent(transport.WithIdleTimeout(0)), spent(nil)
	t.Logf("200 calls took %d requests plain, %d paced", plain, paced)

	if paced >= plain {
		t.Errorf("paced %d, plain %d", paced, plain)
	}
}

// limited answers 429 above its rate.
type limited struct {
	perSecond int
	from      time.Time
	taken     int
	requests  int
}

func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	l.requests++

	if time.Since(l.from) >= time.Second {
		l.from, l.taken = time.Now(), 0
	}

	l.taken++
	if l.taken > l.perSecond {
		return retrytest.NewTransport(retrytest.Answer(http.StatusTooManyRequests)).RoundTrip(req)
	}

	return retrytest.NewTransport(retrytest.Answer(http.StatusOK)).RoundTrip(req)
}

func TestPaceThatDoesNotFitTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace.NewAdaptive(time.Now())
		p.Ended(time.Now(), true) // half a request a second from here on

		base := retrytest.NewTransport()
		rt := transport.New(base, transport.WithPacing(p), transport.WithDeadline(time.Second))
		start := time.Now()

		for i := range 2 {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", nil)

			resp, err := rt.RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
			}

			if (err != nil) != (i == 1) {
				t.Errorf("call %d: %v", i, err)
			}
		}

		if time.Since(start) != 0 || len(base.Requests()) != 1 {
			t.Errorf("took %s and %d requests", time.Since(start), len(base.Requests()))
		}
	})
}
