package client

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Streaming says what the document knows of a stream beside the type of its events.
type Streaming struct {
	// End is the data of the event, or the text of the line, that ends the stream: [DONE]. A stream that should have
	// one and ends without it is broken. Empty: the stream ends with its connection, or at a [DONE] all the same.
	End string
	// Endless says that the stream has no end of its own, so that an orderly end is a break as well.
	Endless bool
}

// StreamEvent is one server-sent event with its data decoded.
type StreamEvent[T any] struct {
	ID   string // last event id as of this event
	Name string // event type, message when the server names none
	Data T      // zero when the event has no data or cannot be decoded
	Raw  []byte // the data as it came
}

// EventError says that one event of a stream, or one line, is not what the document declares. The stream itself is
// intact: a loop that goes on gets the event after it.
type EventError struct {
	ID, Name string // of a server-sent event
	Number   int    // place in the stream, from 1, over all its connections
	Raw      []byte // the data as it came
	Err      error
}

func (e *EventError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("line %d cannot be decoded: %v", e.Number, e.Err)
	}
	return fmt.Sprintf("event %d (%s, id %q) cannot be decoded: %v", e.Number, e.Name, e.ID, e.Err)
}

func (e *EventError) Unwrap() error { return e.Err }

// StreamError says that a stream broke and where.
type StreamError struct {
	Events      int    // events or lines handed out before the break
	LastEventID string // what a new stream may go on after, "" when the server gives no ids
	Err         error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("the stream broke after %d events: %v", e.Events, e.Err)
}

func (e *StreamError) Unwrap() error { return e.Err }

// Stream makes a call answered by server-sent events, read by the rules of the HTML standard, section 9.2. It begins
// when the loop begins, and leaving the loop closes the connection.
//
// A stream that breaks is opened again with Last-Event-ID when the operation may be repeated and nothing is lost by it:
// the server gives its events ids, or no event has come yet. The server's retry time is honoured, a status of 204 ends
// the stream, reconnects without an event in between are bounded by the attempts of a call, and each is paid from the
// client's budget. Otherwise the break is the last thing that the loop gets, as a [*StreamError] inside the [*Error].
// Silence is a break after the transport's idle timeout. A loop may go on after an [*EventError].
func Stream[T any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[StreamEvent[T], error] {
	return func(yield func(StreamEvent[T], error) bool) {
		s := newStream(c, op, in)
		err := s.run(ctx, opts, func(x *exchange) (bool, error) {
			if err := x.expectEvents(); err != nil {
				return true, err
			}
			return readEvents(s, x, yield)
		})
		if err != nil {
			yield(StreamEvent[T]{}, err)
		}
	}
}

// NDJSON makes a call answered by one JSON text a line, or by a JSON text sequence (RFC 7464). It goes by the rules of
// [Stream], but lines have no ids: a stream that breaks is opened again only while no line has come.
func NDJSON[T any](ctx context.Context, c *Client, op *Operation, in Input, opts []Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s := newStream(c, op, in)
		err := s.run(ctx, opts, func(x *exchange) (bool, error) { return readLines(s, x, yield) })
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// readEvents hands out the events of one connection. True says that there is nothing more to do; the error is why the
// connection ended, nil for an orderly end.
func readEvents[T any](s *stream, x *exchange, yield func(StreamEvent[T], error) bool) (bool, error) {
	events := wire.NewEventReader(x.resp.Body)
	events.LastEventID = s.lastID
	for {
		event, err := events.Next()
		s.lastID = events.LastEventID
		if events.Retry > 0 {
			s.retry = events.Retry
		}
		if err != nil {
			return false, err
		}
		if s.ends(event.Data) {
			return true, nil
		}
		s.progress()
		out := StreamEvent[T]{ID: event.ID, Name: event.Type, Raw: event.Data}
		if len(event.Data) > 0 {
			err = eventData(event.Data, &out.Data)
		}
		if err != nil {
			var none T
			out.Data = none
			err = x.unreadable(&EventError{ID: out.ID, Name: out.Name, Number: s.events, Raw: out.Raw, Err: err})
		}
		if !yield(out, err) {
			return true, nil
		}
	}
}

func readLines[T any](s *stream, x *exchange, yield func(T, error) bool) (bool, error) {
	for line, err := range wire.Lines(x.resp.Body) {
		if err != nil {
			return false, err
		}
		if s.ends(line) {
			return true, nil
		}
		s.progress()
		var item T
		if err = eventData(line, &item); err != nil {
			var none T
			item = none
			err = x.unreadable(&EventError{Number: s.events, Raw: line, Err: err})
		}
		if !yield(item, err) {
			return true, nil
		}
	}
	return false, io.EOF
}

// eventData decodes JSON; a target that is text or bytes takes the data as it is.
func eventData(data []byte, target any) error {
	if raw, ok := target.(*[]byte); ok {
		*raw = data
		return nil
	}
	if reflect.TypeOf(target).Elem().Kind() == reflect.String {
		setText(target, string(data))
		return nil
	}
	return wire.Unmarshal(data, target)
}

const (
	eventStreamType = "text/event-stream"
	maxForeignBody  = 64 << 10 // of an answer that is something else, kept for the error
)

// expectEvents refuses an answer that is no event stream, which would read as a stream without events.
func (x *exchange) expectEvents() error {
	got := x.resp.Header.Get("Content-Type")
	if got == "" || wire.MatchType(eventStreamType, got) || x.resp.StatusCode == http.StatusNoContent {
		return nil
	}
	x.info.Body, _ = io.ReadAll(io.LimitReader(x.resp.Body, maxForeignBody))
	return x.unreadable(&DecodeError{Want: eventStreamType, Got: got})
}
