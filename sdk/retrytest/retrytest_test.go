package retrytest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// The whole test of a program that calls an API: the network drops the first
// answer, and the program still gets one.
func ExampleNewTransport() {
	network := retrytest.NewTransport(
		retrytest.Drop(),
		retrytest.Answer(http.StatusOK).Text("hello"))
	client := &http.Client{Transport: transport.New(network, transport.WithLogger(nil))}

	resp, err := client.Get("https://api.test/greeting")
	if err != nil {
		fmt.Println(err)

		return
	}
	defer resp.Body.Close()

	body, _ := io.ReadAll(resp.Body)
	fmt.Println(string(body), "after", len(network.Requests()), "requests")
	// Output: hello after 2 requests
}

// network is what both kinds of script offer.
type network interface {
	Requests() []retrytest.Request
	Play(steps ...retrytest.Step)
}

func TestEveryFailureOnBothKinds(t *testing.T) {
	t.Parallel()

	fake := retrytest.NewTransport()
	loopback := retrytest.NewServer(t)

	for _, kind := range []struct {
		name   string
		script network
		client *http.Client
		url    string
	}{
		{"transport", fake, &http.Client{Transport: fake}, "http://api.test"},
		{"server", loopback, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, loopback.URL},
	} {
		for _, tc := range []struct {
			name string
			step retrytest.Step
			want error
		}{
			{"reset", retrytest.Reset(), syscall.ECONNRESET},
			{"drop", retrytest.Drop(), io.EOF},
			{"cut", retrytest.Cut("1234"), io.ErrUnexpectedEOF},
			{"stall", retrytest.Stall(), context.DeadlineExceeded},
			{"answer", retrytest.Answer(418).With("X-Kind", "teapot").Text("short").After(time.Millisecond), nil},
		} {
			t.Run(kind.name+"/"+tc.name, func(t *testing.T) {
				kind.script.Play(tc.step)

				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()

				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, kind.url+"/x?y=1", nil)
				before := len(kind.script.Requests())

				resp, err := kind.client.Do(req)
				if err == nil {
					var body []byte

					body, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()

					if tc.want == nil && (string(body) != "short" || resp.StatusCode != 418 || resp.Header.Get("X-Kind") != "teapot") {
						t.Errorf("got %d %q", resp.StatusCode, body)
					}
				}

				if !errors.Is(err, tc.want) {
					t.Errorf("got %v, want %v", err, tc.want)
				}

				seen := kind.script.Requests()[before:]
				if len(seen) != 1 || seen[0].Path != "/x?y=1" {
					t.Errorf("seen %+v", seen)
				}
			})
		}
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()

	resp, err := (&http.Client{Transport: retrytest.NewTransport(retrytest.Refuse())}).Get("http://api.test/")
	if err == nil {
		_ = resp.Body.Close()
	}

	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Error(err)
	}
}

func TestFakeTimeJumps(t *testing.T) {
	t.Parallel()

	began := time.Now()

	retrytest.FakeTime(t, func(t *testing.T) {
		network := retrytest.NewTransport(retrytest.Answer(429).With("Retry-After", "25"), retrytest.Answer(200))
		start := time.Now()

		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", nil)

		resp, err := transport.New(network, transport.WithLogger(nil)).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}

		_ = resp.Body.Close()

		if got := time.Since(start); got != 25*time.Second {
			t.Errorf("the wait was %s", got)
		}
	})

	if time.Since(began) > 20*time.Second {
		t.Error("the test waited for real")
	}
}
