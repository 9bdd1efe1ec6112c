package transport_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/sdk/retrytest"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

// once hides everything of a reader but Read.
func once(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

func upload(t *testing.T, url string, body io.Reader) *http.Request {
	t.Helper()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	if err != nil {
		t.Fatal(err)
	}

	return req
}

func TestStreamedBodyThatWasNotTouchedIsSentLater(t *testing.T) {
	t.Parallel()

	// Nothing listens at first: the body is still whole when something does.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	addr := listener.Addr().String()
	_ = listener.Close()

	var (
		mu   sync.Mutex
		srv  *httptest.Server
		body string
	)

	hook := func(_ ctxt, e transport.Event) {
		if e.Kind != transport.EventRetry || srv != nil {
			return
		}

		again, err := net.Listen("tcp", addr)
		if err != nil {
			return
		}

		srv = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			read, _ := io.ReadAll(r.Body)

			mu.Lock()
			defer mu.Unlock()

			body = string(read)
		}))
		_ = srv.Listener.Close()
		srv.Listener = again
		srv.Start()
	}

	rt := transport.New(newBase(t), quiet, quick, transport.WithHook(hook), transport.WithMaxAttempts(5))
	got := do(t, rt, upload(t, "http://"+addr, once("the whole of it")))

	if srv == nil {
		t.Skip("the port was taken in between")
	}

	srv.Close()
	check(t, "status", got.status, 200)
	check(t, "body", body, "the whole of it")
}

func TestStreamedBodyIsBufferedWhenAsked(t *testing.T) {
	t.Parallel()

	base := retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(200))
	rt := transport.New(base, quiet, quick, transport.WithBodyBuffer(64))
	got := do(t, rt, upload(t, "http://api.test/", once("small")))
	seen := base.Requests()

	check(t, "status", got.status, 200)
	check(t, "first", seen[0].Body, "small")
	check(t, "second", seen[1].Body, "small")

	long := strings.Repeat("x", 65)
	base = retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(200))
	rt = transport.New(base, quiet, quick, transport.WithBodyBuffer(64))
	got = do(t, rt, upload(t, "http://api.test/", once(long)))

	check(t, "above the bound: requests", len(base.Requests()), 1)
	check(t, "above the bound: body", base.Requests()[0].Body, long)
	check(t, "above the bound: reason", got.reason(), transport.ReasonBody)
}

func TestStreamedBodyIsClosed(t *testing.T) {
	t.Parallel()

	for _, step := range []retrytest.Step{retrytest.Answer(200), retrytest.Answer(503), retrytest.Reset(), retrytest.Refuse()} {
		body := &closing{Reader: once("x")}
		rt := transport.New(retrytest.NewTransport(step), quiet, quick)
		_ = do(t, rt, upload(t, "http://api.test/", body))

		check(t, "closed", body.closed, 1)
	}
}

type closing struct {
	io.Reader
	closed int
}

func (c *closing) Close() error {
	c.closed++

	return nil
}

func TestExpectContinue(t *testing.T) {
	t.Parallel()

	var (
		mu     sync.Mutex
		bodies []string
		calls  int
	)

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()

		calls++

		if calls == 1 {
			// Refused before the body was asked for.
			w.WriteHeader(http.StatusTooManyRequests)

			return
		}

		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
	}))
	defer srv.Close()

	base := newBase(t)
	base.ExpectContinueTimeout = 5 * time.Second
	rt := transport.New(base, quiet, quick)
	big := strings.Repeat("y", 1<<16)
	req := upload(t, srv.URL, bytes.NewReader([]byte(big)))
	req.Header.Set("Expect", "100-continue")

	got := do(t, rt, req)

	mu.Lock()
	defer mu.Unlock()

	check(t, "status", got.status, 200)
	check(t, "calls", calls, 2)
	check(t, "bodies", len(bodies), 1)
	check(t, "body", bodies[0] == big, true)
}

func TestBodyIsEncodedOnce(t *testing.T) {
	t.Parallel()

	opened := 0
	req := upload(t, "http://api.test/", strings.NewReader(payload))
	get := req.GetBody
	req.GetBody = func() (io.ReadCloser, error) {
		opened++

		return get()
	}

	base := retrytest.NewTransport(retrytest.Answer(503), retrytest.Answer(200))
	_ = do(t, transport.New(base, quiet, quick), req)

	check(t, "opened again", opened, 1)
	check(t, "second body", base.Requests()[1].Body, payload)
}

func TestUpgradedConnectionIsHandedOver(t *testing.T) {
	t.Parallel()

	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, _ := http.NewResponseController(w).Hijack()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		_, _ = rw.WriteString(line)
		_ = rw.Flush()
		_ = conn.Close()
	}))
	defer srv.Close()

	req := request(t, http.MethodGet, srv.URL)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")

	resp, err := transport.New(newBase(t), quiet).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}

	both, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatal("the connection cannot be written to")
	}

	_, _ = io.WriteString(both, "hello\n")
	said, _ := io.ReadAll(both)
	_ = both.Close()

	check(t, "echo", string(said), "hello\n")
}
