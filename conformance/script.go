package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// script is a server that plays the replies of a case, and a second one under another name for redirects.
type script struct {
	client   Client
	replies  []Reply
	listener net.Listener
	server   *http.Server

	mu       sync.Mutex
	requests []heard
	leaked   []string // names of credentials that reached the other host
}

// heard is an unsafe request.
type heard struct {
	at        time.Time
	key, body string
}

// credentials are the headers by which a caller shows who it is.
var credentials = []string{"Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"}

func newScript(ctx context.Context, client Client, replies []Reply) (*script, error) {
	if client.KeyHeader == "" {
		client.KeyHeader = "Idempotency-Key"
	}
	if client.Status == 0 {
		client.Status = http.StatusCreated
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &script{client: client, replies: replies, listener: listener}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

func (s *script) close() { _ = s.server.Close() }

func (s *script) url() string { return "http://" + s.listener.Addr().String() }

// elsewhere is the same port under another name, which is another host to a client.
func (s *script) elsewhere() string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return "http://localhost:" + port
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.HasPrefix(r.Host, "localhost") {
		s.overhear(r)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
		return
	}
	s.mu.Lock()
	reply := s.replies[min(len(s.requests), len(s.replies)-1)]
	s.requests = append(s.requests, heard{at: time.Now(), key: r.Header.Get(s.client.KeyHeader), body: string(body)})
	s.mu.Unlock()
	s.play(w, r, reply)
}

func (s *script) overhear(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range credentials {
		if r.Header.Get(name) != "" {
			s.leaked = append(s.leaked, name)
		}
	}
}

func (s *script) play(w http.ResponseWriter, r *http.Request, reply Reply) {
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	switch {
	case reply.Fault == "reset":
		reset(w)
	case reply.Fault == "cut":
		s.succeed(w, true)
	case reply.Fault == "elsewhere":
		w.Header().Set("Location", s.elsewhere()+r.URL.RequestURI())
		w.WriteHeader(reply.Status)
	case reply.OK:
		s.succeed(w, false)
	default:
		code := reply.Code
		if code == "" {
			code = "status_" + strconv.Itoa(reply.Status)
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(reply.Status)
		_, _ = fmt.Fprintf(w, `{"type":"about:blank","title":%q,"status":%d,"code":%q}`, http.StatusText(reply.Status), reply.Status, code)
	}
}

// succeed gives the answer of success, or announces all of it and breaks off.
func (s *script) succeed(w http.ResponseWriter, cut bool) {
	body := s.client.Body
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		body = body[:len(body)/2]
	}
	w.WriteHeader(s.client.Status)
	_, _ = w.Write(body)
	if cut {
		_ = http.NewResponseController(w).Flush()
		reset(w)
	}
}

// reset ends the connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// check collects everything that is not as expected.
func (s *script) check(want ClientExpect, succeeded bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	keys, bodies := map[string]int{}, map[string]int{}
	for _, r := range s.requests {
		keys[r.key]++
		bodies[r.body]++
	}
	n := len(s.requests)
	add(n == 0, "no POST, PUT, PATCH or DELETE came; the address is in the variable %s", EnvURL)
	if r := want.Requests; r != nil {
		add(n < r.Min || n > r.Max, "%d requests, expected %d to %d", n, r.Min, r.Max)
	}
	add(want.KeyOrOnce && n > 1 && (len(keys) > 1 || keys[""] > 0), "%d requests with %s: a repeat may have a second effect", n, s.keysSeen(keys))
	add(want.OneBody && len(bodies) > 1, "%d different bodies in %d requests", len(bodies), n)
	add(want.Keys > 0 && (len(keys) != want.Keys || keys[""] > 0), "%s, expected %d different ones", s.keysSeen(keys), want.Keys)
	if want.FirstGap > 0 && n > 1 {
		gap := s.requests[1].at.Sub(s.requests[0].at)
		add(gap.Milliseconds() < int64(want.FirstGap), "came again after %v, the server had asked for more", gap.Round(time.Millisecond))
	}
	add(want.Exit == "success" && !succeeded, "the program failed, expected success")
	add(want.Exit == "failure" && succeeded, "the program succeeded, expected failure")
	add(want.CredentialsStay && len(s.leaked) > 0, "%s reached the other host", strings.Join(s.leaked, ", "))
	return errors.Join(errs...)
}

// keysSeen counts keys and spells none.
func (s *script) keysSeen(keys map[string]int) string {
	none := keys[""]
	different := len(keys)
	if none > 0 {
		different--
	}
	text := strconv.Itoa(different) + " different keys"
	if none > 0 {
		text += " and " + strconv.Itoa(none) + " times none"
	}
	return text
}

// tell says what was seen.
func (s *script) tell() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	if n == 0 {
		return "no request"
	}
	return fmt.Sprintf("%d requests in %v", n, s.requests[n-1].at.Sub(s.requests[0].at).Round(time.Millisecond))
}
