package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

func streamOp(method string, how *Streaming) *Operation {
	return &Operation{
		Call:      transport.Operation{ID: "watchOrders", Method: method, Path: "/order-events", Stream: true},
		Accept:    "text/event-stream",
		Streaming: how,
	}
}

// scriptedBody gives its parts one by one, then err.
type scriptedBody struct {
	parts  []string
	err    error
	closed chan struct{}
}

func (b *scriptedBody) Read(p []byte) (int, error) {
	if len(b.parts) == 0 {
		return 0, b.err
	}
	n := copy(p, b.parts[0])
	if b.parts[0] = b.parts[0][n:]; b.parts[0] == "" {
		b.parts = b.parts[1:]
	}
	return n, nil
}

func (b *scriptedBody) Close() error {
	if b.closed != nil {
		close(b.closed)
	}
	return nil
}

var errReset = errors.New("read: connection reset by peer")

// script is a server whose n-th answer is the n-th body; a nil body is an answer of 204.
type script struct {
	bodies  []*scriptedBody
	lastIDs []string
	waits   []time.Duration
	last    time.Time
	kind    string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.lastIDs = append(s.lastIDs, strings.Join(req.Header["Last-Event-Id"], ","))
	s.waits = append(s.waits, time.Since(s.last).Round(time.Millisecond))
	s.last = time.Now()
	if len(s.bodies) == 0 {
		return flowAnswer(req, http.StatusNotFound, nil, `{"code":"gone"}`), nil
	}
	body := s.bodies[0]
	s.bodies = s.bodies[1:]
	if body == nil {
		return flowAnswer(req, http.StatusNoContent, nil, ""), nil
	}
	resp := flowAnswer(req, http.StatusOK, http.Header{"Content-Type": {s.kind}}, "")
	resp.Body, resp.ContentLength = body, -1
	return resp, nil
}

// watch runs a stream to its end and writes down what it gave.
func watch(t *testing.T, op *Operation, s *script, opts ...Option) (got []string, end error) {
	t.Helper()
	if s.kind == "" {
		s.kind = "text/event-stream; charset=utf-8"
	}
	s.last = time.Now()
	c := flowClientAt(t, append(opts, WithTransport(s))...)
	for event, err := range Stream[order](t.Context(), c, op, Input{}, nil) {
		if err != nil {
			end = err
			continue
		}
		got = append(got, event.ID+" "+event.Name+" "+event.Data.ID)
	}
	return got, end
}

func event(id string) string {
	return "id: " + id + "\nevent: order\ndata: {\"ID\":\"o" + id + "\"}\n\n"
}

func TestStreamEnds(t *testing.T) {
	tests := []struct {
		name string
		how  *Streaming
		body *scriptedBody
		want []string
	}{
		{"with its connection", nil, &scriptedBody{parts: []string{event("1"), ": ping\n\n", event("2")}, err: io.EOF}, []string{"1 order o1", "2 order o2"}},
		{"at the declared event", &Streaming{End: "[DONE]"}, &scriptedBody{parts: []string{event("1"), "data: [DONE]\n\n", event("2")}, err: io.EOF}, []string{"1 order o1"}},
		{"at an event that the document does not name", nil, &scriptedBody{parts: []string{event("1"), "data: [DONE]\n\n", event("2")}, err: io.EOF}, []string{"1 order o1"}},
		{"without a status body", nil, nil, nil},
		{"without data", nil, &scriptedBody{parts: []string{"event: ping\ndata\n\n"}, err: io.EOF}, []string{" ping "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{bodies: []*scriptedBody{tt.body}}
			if tt.body != nil {
				tt.body.closed = make(chan struct{})
			}
			got, err := watch(t, streamOp(http.MethodGet, tt.how), s)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			if tt.body != nil {
				<-tt.body.closed
			}
		})
	}
}

func TestStreamReconnects(t *testing.T) {
	broken := func(parts ...string) *scriptedBody { return &scriptedBody{parts: parts, err: errReset} }
	ended := func(parts ...string) *scriptedBody { return &scriptedBody{parts: parts, err: io.EOF} }
	tests := []struct {
		name    string
		how     *Streaming
		bodies  []*scriptedBody
		want    []string
		lastIDs []string
	}{
		{"after a reset", nil, []*scriptedBody{broken(event("1")), ended(event("2"))}, []string{"1 order o1", "2 order o2"}, []string{"", "1"}},
		{
			"within an event", nil,
			[]*scriptedBody{broken(event("1"), "id: 2\ndata: {\"I"), ended(event("2"))},
			[]string{"1 order o1", "2 order o2"},
			[]string{"", "1"},
		},
		{"before the first event", nil, []*scriptedBody{broken(), ended(event("1"))}, []string{"1 order o1"}, []string{"", ""}},
		{
			"that ends without its last event", &Streaming{End: "[DONE]"},
			[]*scriptedBody{ended(event("1")), ended(event("2"), "data: [DONE]\n\n")},
			[]string{"1 order o1", "2 order o2"},
			[]string{"", "1"},
		},
		{
			"that has no end, until 204", &Streaming{Endless: true},
			[]*scriptedBody{ended(event("1")), ended(event("2")), nil},
			[]string{"1 order o1", "2 order o2"},
			[]string{"", "1", "2"},
		},
		{
			"over and over, as long as it gets further", nil,
			[]*scriptedBody{broken(event("1")), broken(event("2")), broken(event("3")), broken(event("4")), ended(event("5"))},
			[]string{"1 order o1", "2 order o2", "3 order o3", "4 order o4", "5 order o5"},
			[]string{"", "1", "2", "3", "4"},
		},
		{
			"and keeps the id that no new event replaced", nil,
			[]*scriptedBody{broken(event("1")), broken(": hello\n\n"), ended("data: {}\n\n")},
			[]string{"1 order o1", "1 message "},
			[]string{"", "1", "1"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{bodies: tt.bodies}
				got, err := watch(t, streamOp(http.MethodGet, tt.how), s)
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("got %q, %v; want %q", got, err, tt.want)
				}
				if !slices.Equal(s.lastIDs, tt.lastIDs) {
					t.Errorf("Last-Event-ID %q, want %q", s.lastIDs, tt.lastIDs)
				}
			})
		})
	}
}

func TestStreamHonoursTheRetryTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{bodies: []*scriptedBody{
			{parts: []string{"retry: 3000\n\n", event("1")}, err: errReset},
			{parts: []string{event("2")}, err: errReset},
			{parts: []string{event("3")}, err: io.EOF},
		}}
		if got, err := watch(t, streamOp(http.MethodGet, nil), s); err != nil || len(got) != 3 {
			t.Fatalf("got %q, %v", got, err)
		}
		for _, wait := range s.waits[1:] {
			if wait < 3*time.Second || wait > 4*time.Second {
				t.Errorf("reconnected after %s, the server asked for 3 s", wait)
			}
		}
	})
}

func TestStreamThatCannotGoOn(t *testing.T) {
	tests := []struct {
		name     string
		method   string
		bodies   []*scriptedBody
		requests int
		events   int
		lastID   string
		is       error
	}{
		{
			name: "an operation that may not be repeated", method: http.MethodPost,
			bodies: []*scriptedBody{{parts: []string{event("1")}, err: errReset}}, requests: 1, events: 1, lastID: "1", is: errReset,
		},
		{
			name: "events without ids", method: http.MethodGet,
			bodies: []*scriptedBody{{parts: []string{"data: {}\n\n"}, err: errReset}}, requests: 1, events: 1, is: errReset,
		},
		{
			name: "no event any more", method: http.MethodGet,
			bodies:   []*scriptedBody{{parts: []string{event("1")}, err: errReset}, {err: errReset}, {err: errReset}, {err: errReset}},
			requests: 3, events: 1, lastID: "1", is: errReset,
		},
		{
			name: "a server that has forgotten", method: http.MethodGet,
			bodies: []*scriptedBody{{parts: []string{event("1")}, err: errReset}}, requests: 2, events: 1, lastID: "1", is: errReset,
		},
		{
			name: "a wait that nobody can wait for", method: http.MethodGet,
			bodies:   []*scriptedBody{{parts: []string{"retry: 86400000\n", event("1")}, err: errReset}},
			requests: 1, events: 1, lastID: "1", is: errTooLong,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{bodies: tt.bodies}
				_, err := watch(t, streamOp(tt.method, nil), s)
				var apiErr *Error
				var broken *StreamError
				if !errors.As(err, &apiErr) || !errors.As(err, &broken) || !errors.Is(err, tt.is) {
					t.Fatalf("the stream ended with %v", err)
				}
				if apiErr.StatusCode != http.StatusOK || broken.Events != tt.events || broken.LastEventID != tt.lastID {
					t.Errorf("status %d, %d events, last id %q", apiErr.StatusCode, broken.Events, broken.LastEventID)
				}
				if len(s.lastIDs) != tt.requests {
					t.Errorf("%d requests, want %d", len(s.lastIDs), tt.requests)
				}
			})
		})
	}
}

func TestTruncatedStreamIsNoEnd(t *testing.T) {
	s := &script{bodies: []*scriptedBody{{parts: []string{event("1")}, err: io.EOF}}}
	_, err := watch(t, streamOp(http.MethodPost, &Streaming{End: "[DONE]"}), s)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a stream without its last event ended with %v", err)
	}
}

func TestStreamGoesOnAfterAnEventThatCannotBeDecoded(t *testing.T) {
	s := &script{bodies: []*scriptedBody{{
		parts: []string{event("1"), "id: 2\nevent: order\ndata: {\"ID\":7}\n\n", "data: <html>\n\n", event("4")}, err: io.EOF,
	}}, kind: "text/event-stream"}
	c := flowClientAt(t, WithTransport(s))
	var got []string
	for event, err := range Stream[order](t.Context(), c, streamOp(http.MethodPost, nil), Input{}, nil) {
		var bad *EventError
		if errors.As(err, &bad) {
			got = append(got, fmt.Sprintf("bad %d %s %s %s", bad.Number, bad.ID, bad.Name, bad.Raw))
			if string(event.Raw) != string(bad.Raw) || event.Data.ID != "" {
				t.Errorf("beside the error: %+v", event)
			}
			continue
		}
		got = append(got, event.ID)
	}
	if want := []string{"1", `bad 2 2 order {"ID":7}`, "bad 3 2 message <html>", "4"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStreamOfSomethingElse(t *testing.T) {
	body := &scriptedBody{parts: []string{`<html>log in</html>`}, err: io.EOF}
	_, err := watch(t, streamOp(http.MethodGet, nil), &script{bodies: []*scriptedBody{body}, kind: "text/html"})
	var apiErr *Error
	var decode *DecodeError
	if !errors.As(err, &apiErr) || !errors.As(err, &decode) || decode.Got != "text/html" || string(apiErr.Body) != "<html>log in</html>" {
		t.Errorf("got %v", err)
	}
}

func TestStreamOfTexts(t *testing.T) {
	type named string
	s := func() *script {
		return &script{bodies: []*scriptedBody{{parts: []string{"data: a\ndata: b\n\n"}, err: io.EOF}}, kind: "text/event-stream"}
	}
	op := streamOp(http.MethodGet, nil)
	for e, err := range Stream[named](t.Context(), flowClientAt(t, WithTransport(s())), op, Input{}, nil) {
		if err != nil || e.Data != "a\nb" {
			t.Errorf("text %q, %v", e.Data, err)
		}
	}
	for e, err := range Stream[[]byte](t.Context(), flowClientAt(t, WithTransport(s())), op, Input{}, nil) {
		if err != nil || string(e.Data) != "a\nb" {
			t.Errorf("bytes %q, %v", e.Data, err)
		}
	}
	for _, err := range Stream[json.RawMessage](t.Context(), flowClientAt(t, WithTransport(s())), op, Input{}, nil) {
		if err == nil {
			t.Error("text that is no JSON was taken as JSON")
		}
	}
}

// The server's side of a stream ends when the loop is left, and when the context ends.
func TestStreamIsClosedEarly(t *testing.T) {
	for _, how := range []string{"break", "cancel"} {
		t.Run(how, func(t *testing.T) {
			gone := make(chan struct{})
			c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, event("1"))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				close(gone)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			for _, err := range Stream[order](ctx, c, streamOp(http.MethodGet, nil), Input{}, nil) {
				if last = err; err != nil {
					continue
				}
				if how == "break" {
					break
				}
				cancel()
			}
			if how == "cancel" && !errors.Is(last, context.Canceled) {
				t.Errorf("the stream ended with %v", last)
			}
			<-gone
		})
	}
}

func TestSilentStreamIsABreak(t *testing.T) {
	requests := 0
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "text/event-stream")
		if requests > 1 {
			_, _ = io.WriteString(w, event("2"))
			return
		}
		_, _ = io.WriteString(w, "retry: 1\n\n"+event("1"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, WithTransportOptions(transport.WithIdleTimeout(20*time.Millisecond)))
	got := 0
	for _, err := range Stream[order](t.Context(), c, streamOp(http.MethodGet, nil), Input{}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got++
	}
	if got != 2 || requests != 2 {
		t.Errorf("%d events over %d connections", got, requests)
	}
}

func linesOp(how *Streaming) *Operation {
	op := streamOp(http.MethodGet, how)
	op.Accept = "application/x-ndjson"
	return op
}

func TestNDJSON(t *testing.T) {
	broken := func(parts ...string) *scriptedBody { return &scriptedBody{parts: parts, err: errReset} }
	ended := func(parts ...string) *scriptedBody { return &scriptedBody{parts: parts, err: io.EOF} }
	tests := []struct {
		name     string
		how      *Streaming
		bodies   []*scriptedBody
		want     []string
		err      error
		requests int
	}{
		{"lines", nil, []*scriptedBody{ended("{\"ID\":\"1\"}\n\n{\"ID\"", ":\"2\"}")}, []string{"{1}", "{2}"}, nil, 1},
		{"a broken line", nil, []*scriptedBody{ended("{\"ID\":\"1\"}\n{]\n{\"ID\":\"3\"}\n")}, []string{"{1}", "bad 2 {]", "{3}"}, nil, 1},
		{"a declared end", &Streaming{End: "[DONE]"}, []*scriptedBody{ended("{\"ID\":\"1\"}\n[DONE]\n")}, []string{"{1}"}, nil, 1},
		{"no declared end", &Streaming{End: "[DONE]"}, []*scriptedBody{ended("{\"ID\":\"1\"}\n")}, []string{"{1}"}, io.ErrUnexpectedEOF, 1},
		{"a break before the first line", nil, []*scriptedBody{broken(), ended("{\"ID\":\"1\"}\n")}, []string{"{1}"}, nil, 2},
		{"a break after a line", nil, []*scriptedBody{broken("{\"ID\":\"1\"}\n")}, []string{"{1}"}, errReset, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{bodies: tt.bodies, kind: "application/x-ndjson"}
				c := flowClientAt(t, WithTransport(s))
				var got []string
				var last error
				for item, err := range NDJSON[order](t.Context(), c, linesOp(tt.how), Input{}, nil) {
					var bad *EventError
					switch {
					case errors.As(err, &bad):
						got = append(got, fmt.Sprintf("bad %d %s", bad.Number, bad.Raw))
					case err != nil:
						last = err
					default:
						got = append(got, fmt.Sprint(item))
					}
				}
				if !slices.Equal(got, tt.want) || !errors.Is(last, tt.err) || len(s.lastIDs) != tt.requests {
					t.Errorf("got %q, %v after %d requests", got, last, len(s.lastIDs))
				}
			})
		})
	}
}

func TestStreamThatNeverBegins(t *testing.T) {
	c := flowClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"type":"https://errors.example.com/forbidden","title":"No."}`)
	})
	n := 0
	check := func(err error) {
		n++
		var apiErr *Error
		if !errors.As(err, &apiErr) || apiErr.Code != "forbidden" {
			t.Errorf("got %v", err)
		}
	}
	for _, err := range Stream[order](t.Context(), c, streamOp(http.MethodGet, nil), Input{}, nil) {
		check(err)
	}
	for _, err := range NDJSON[order](t.Context(), c, linesOp(nil), Input{}, nil) {
		check(err)
	}
	if n != 2 {
		t.Errorf("%d errors", n)
	}
}

func TestLastEventIDIsOneHeaderLine(t *testing.T) {
	if got := headerText("a\r\nX-Evil: 1\x00"); got != "aX-Evil: 1" {
		t.Errorf("got %q", got)
	}
}
