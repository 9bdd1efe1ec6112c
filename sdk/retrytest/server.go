package retrytest

import (
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// Server is a server on the loopback interface that answers by script, over
// real connections. It is closed when its test ends.
type Server struct {
	script

	// URL is its address, without a slash at the end.
	URL string

	conns atomic.Int64
	stop  chan struct{}
}

// NewServer starts a Server that plays steps.
func NewServer(tb testing.TB, steps ...Step) *Server {
	tb.Helper()

	s := &Server{script: script{steps: steps}, stop: make(chan struct{})}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	srv.Start()
	s.URL = srv.URL

	tb.Cleanup(func() {
		close(s.stop)
		srv.CloseClientConnections()
		srv.Close()
	})

	return s
}

// Connections returns how many connections were made to the server.
func (s *Server) Connections() int { return int(s.conns.Load()) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	step := s.next(Request{
		Method: r.Method,
		Path:   r.URL.RequestURI(),
		Host:   r.Host,
		Header: r.Header.Clone(),
		Body:   string(body),
		At:     time.Now(),
	})

	if !s.wait(r, step) {
		return
	}

	switch step.fault {
	case faultReset:
		abort(w, true)
	case faultDrop, faultRefuse:
		abort(w, false)
	case faultNone, faultCut, faultStall:
		s.answer(w, step)
	}
}

// wait lets the step's delay pass. It returns false when nobody waits for the
// answer any more.
func (s *Server) wait(r *http.Request, step Step) bool {
	var due <-chan time.Time

	if step.fault != faultStall {
		timer := time.NewTimer(step.delay)
		defer timer.Stop()

		due = timer.C
	}

	select {
	case <-due:
		return true
	case <-r.Context().Done():
	case <-s.stop:
	}

	return false
}

func (s *Server) answer(w http.ResponseWriter, step Step) {
	maps.Copy(w.Header(), step.header)

	if step.fault != faultCut {
		w.WriteHeader(step.status)
		_, _ = io.WriteString(w, step.body)

		return
	}

	w.Header().Set("Content-Length", strconv.Itoa(len(step.body)))
	w.WriteHeader(step.status)
	_, _ = io.WriteString(w, step.body[:len(step.body)/2])

	_ = http.NewResponseController(w).Flush()

	abort(w, false)
}

// abort closes the connection, with a reset if wanted.
func abort(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}

	_ = conn.Close()
}
