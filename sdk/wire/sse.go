package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"
)

// MaxEventSize is the size in bytes that one event or one line of a stream may have.
const MaxEventSize = 16 << 20

// ErrEventTooLarge is given when an event or a line of a stream is larger than [MaxEventSize].
var ErrEventTooLarge = fmt.Errorf("wire: an event of the stream is larger than %d bytes", MaxEventSize)

// Event is one server-sent event.
type Event struct {
	ID   string // the last event ID of the stream so far; it goes into Last-Event-ID on reconnect
	Type string // "message" when the server names none
	Data []byte // lines joined by a line feed; the caller may keep it
}

// Events reads server-sent events by the rules of the HTML standard (section 9.2.6, "Interpreting an event stream")
// until r ends. An event that is not finished by an empty line is dropped, as the standard says. An error of r ends
// the sequence as its last pair. Use [EventReader] to reconnect.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		er := NewEventReader(r)
		for {
			e, err := er.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// EventReader reads server-sent events one by one and knows what a reconnect needs. It is not safe for concurrent use.
type EventReader struct {
	LastEventID string        // value for the header Last-Event-ID; "" is none
	Retry       time.Duration // wait that the server asked for before a reconnect; 0 is none

	lines lineReader
	first bool
}

// NewEventReader gives a reader of the stream r.
func NewEventReader(r io.Reader) *EventReader {
	return &EventReader{lines: lineReader{r: bufio.NewReader(r), cr: true}, first: true}
}

// Next gives the next event, and io.EOF at the end of the stream.
func (er *EventReader) Next() (Event, error) {
	var data []byte
	var kind string
	id := er.LastEventID
	hasData := false
	for {
		line, err := er.lines.next()
		if err != nil {
			return Event{}, err
		}
		if er.first {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
			er.first = false
		}
		if len(line) == 0 {
			er.LastEventID = id
			if hasData {
				return Event{ID: id, Type: typeOr(kind), Data: data[:len(data)-1]}, nil
			}
			kind = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = validUTF8(bytes.TrimPrefix(value, []byte(" ")))
		switch string(field) {
		case "data":
			if len(data)+len(value) >= MaxEventSize {
				return Event{}, ErrEventTooLarge
			}
			data = append(append(data, value...), '\n')
			hasData = true
		case "event":
			kind = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id = string(value)
			}
		case "retry":
			er.setRetry(value)
		}
	}
}

func typeOr(kind string) string {
	if kind == "" {
		return "message"
	}
	return kind
}

// setRetry takes a wait in milliseconds, of digits only.
func (er *EventReader) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil && ms <= int64((1<<63-1)/time.Millisecond) {
		er.Retry = time.Duration(ms) * time.Millisecond
	}
}

// validUTF8 replaces bytes that are not UTF-8 by U+FFFD, as the standard decodes the stream.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return unquoteInvalid(b)
}

func unquoteInvalid(b []byte) []byte {
	out := make([]byte, 0, len(b)+utf8.UTFMax)
	for len(b) > 0 {
		ch, n := utf8.DecodeRune(b)
		out = utf8.AppendRune(out, ch)
		b = b[n:]
	}
	return out
}

// lineReader reads lines that end in LF or CRLF, and with cr also in CR alone. A line that ended in CR is handed out
// before the next byte is read: a server may be silent for long after it.
type lineReader struct {
	r      *bufio.Reader
	cr     bool
	skipLF bool
	tail   bool // hand out a last line without an end
	buf    []byte
}

// next gives the next line without its end; it is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.buf = l.buf[:0]
	for {
		if _, err := l.r.Peek(1); err != nil {
			if l.tail && len(l.buf) > 0 && errors.Is(err, io.EOF) {
				return l.buf, nil
			}
			return nil, err
		}
		chunk, _ := l.r.Peek(l.r.Buffered()) // what is there cannot fail
		if l.skipLF {
			l.skipLF = false
			if chunk[0] == '\n' {
				_, _ = l.r.Discard(1)
				continue
			}
		}
		end := l.end(chunk)
		if len(l.buf)+end > MaxEventSize {
			return nil, ErrEventTooLarge
		}
		l.buf = append(l.buf, chunk[:end]...)
		if end == len(chunk) {
			_, _ = l.r.Discard(end)
			continue
		}
		l.skipLF = chunk[end] == '\r'
		_, _ = l.r.Discard(end + 1)
		return l.buf, nil
	}
}

// end gives the index of the first line end in the chunk, or the chunk's length.
func (l *lineReader) end(chunk []byte) int {
	n := len(chunk)
	if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
		n = i
	}
	if l.cr {
		if i := bytes.IndexByte(chunk[:n], '\r'); i >= 0 {
			n = i
		}
	}
	return n
}
