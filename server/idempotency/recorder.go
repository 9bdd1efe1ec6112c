package idempotency

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"time"
)

// recorder holds the handler's answer back until its record is kept: a client must not see an answer that a retry
// could contradict. Flush and Hijack are therefore refused with an error that matches http.ErrNotSupported, and Unwrap
// is left out on purpose, since it would let http.ResponseController go around that.
type recorder struct {
	w       http.ResponseWriter
	header  http.Header // what the handler edits
	sent    http.Header // as it was at WriteHeader; the same map until somebody asks for it again
	status  int
	body    bytes.Buffer
	hasBody bool
	split   bool
}

func (r *recorder) start(w http.ResponseWriter) { r.w, r.header = w, make(http.Header) }

func (r *recorder) Header() http.Header {
	if r.status != 0 && !r.split {
		r.header, r.split = r.sent.Clone(), true // what is set from now on comes too late, unless it is a trailer
	}
	return r.header
}

func (r *recorder) WriteHeader(status int) {
	switch {
	case r.status != 0:
		return
	case status < 100 || status > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %d", status)) // as net/http does
	case status < 200 && status != http.StatusSwitchingProtocols:
		maps.Copy(r.w.Header(), r.header) // 103 Early Hints and its like belong to the moment
		r.w.WriteHeader(status)
		return
	}
	r.status = status
	r.sent = r.header
	r.hasBody = status != http.StatusNoContent && status != http.StatusNotModified && status >= 200
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if !r.hasBody {
		return 0, http.ErrBodyNotAllowed
	}
	return r.body.Write(p)
}

func (r *recorder) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// FlushError is what http.ResponseController.Flush calls.
func (r *recorder) FlushError() error {
	return fmt.Errorf("the answer is held until its record is kept: %w", http.ErrNotSupported)
}

// Hijack refuses, because the bytes on a hijacked connection could not be replayed.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, fmt.Errorf("a keyed answer cannot be hijacked: %w", http.ErrNotSupported)
}

func (r *recorder) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(r.w).SetReadDeadline(t)
}

func (r *recorder) SetWriteDeadline(t time.Time) error {
	return http.NewResponseController(r.w).SetWriteDeadline(t)
}

func (r *recorder) EnableFullDuplex() error {
	return http.NewResponseController(r.w).EnableFullDuplex()
}

// finish gives an answer to a handler that wrote nothing, as net/http does.
func (r *recorder) finish() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if r.hasBody && r.body.Len() > 0 && r.sent.Get("Content-Type") == "" && r.sent.Get("Content-Encoding") == "" {
		r.sent.Set("Content-Type", http.DetectContentType(r.body.Bytes()))
	}
}

// response is the answer as it is kept.
func (r *recorder) response(allowed map[string]bool, limit int, resource string) Response {
	resp := Response{Status: r.status, Header: keepReplayable(r.sent, allowed), ResourceID: resource}
	if r.body.Len() > limit {
		resp.Dropped = true
	} else {
		resp.Body = r.body.Bytes()
	}
	return resp
}

// send passes the whole answer on, cookies and all.
func (r *recorder) send() {
	maps.Copy(r.w.Header(), r.sent)
	r.w.WriteHeader(r.status)
	_, _ = r.w.Write(r.body.Bytes()) // the client may be gone
	for name, values := range r.header {
		if len(name) > len(http.TrailerPrefix) && name[:len(http.TrailerPrefix)] == http.TrailerPrefix {
			r.w.Header()[name] = values
		}
	}
}
