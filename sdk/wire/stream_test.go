package wire_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

func events(r io.Reader) (out []string, err error) {
	for e, err := range wire.Events(r) {
		if err != nil {
			return out, err
		}
		out = append(out, e.Type+"|"+e.ID+"|"+string(e.Data))
	}
	return out, nil
}

// The rules of the HTML standard, section 9.2.6, its four examples among them.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stream string
		want         []string
	}{
		{"three lines", "data: YHOO\ndata: +2\ndata: 10\n\n", []string{"message||YHOO\n+2\n10"}},
		{"the standard's blocks with ids", ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", []string{"message|1|first event", "message||second event", "message|| third event"}},
		{"data without a value", "data\n\ndata\ndata\n\ndata:", []string{"message||", "message||\n"}},
		{"one space is dropped", "data:test\n\ndata: test\n\n", []string{"message||test", "message||test"}},
		{"types", "event: add\ndata: 1\n\nevent: remove\ndata: 2\n\ndata: 3\n\n", []string{"add||1", "remove||2", "message||3"}},
		{"a type without data is forgotten", "event: add\n\ndata: 1\n\n", []string{"message||1"}},
		{"the id stays", "id: 7\ndata: 1\n\ndata: 2\n\nid: 8\n\ndata: 3\n\n", []string{"message|7|1", "message|7|2", "message|8|3"}},
		{"an id with a NUL is ignored", "id: 7\ndata: 1\n\nid: 8\x009\ndata: 2\n\n", []string{"message|7|1", "message|7|2"}},
		{"CR, LF and CRLF", "data: a\rdata: b\r\ndata: c\n\rdata: d\r\r", []string{"message||a\nb\nc", "message||d"}},
		{"CRLF only", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"message||a", "message||b"}},
		{"one byte order mark", "\ufeffdata: a\n\n\ufeffdata: b\n\n", []string{"message||a"}},
		{"comments and unknown fields", ":\n: hi\nfoo: bar\nData: no\ndata : no\ndata: a\n:x\n\n", []string{"message||a"}},
		{"an event without its end is dropped", "data: a\n\ndata: b\n", []string{"message||a"}},
		{"colons in data", "data: a: b:c\n\n", []string{"message||a: b:c"}},
		{"not UTF-8", "data: a\xffb\n\n", []string{"message||a\ufffdb"}},
		{"nothing", "", nil},
		{"empty lines", "\n\n\r\n", nil},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream))} {
			if got, err := events(r); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
			}
		}
	}
}

func TestEventReaderForReconnect(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	r := wire.NewEventReader(io.MultiReader(strings.NewReader("retry: 1500\nid: 1\ndata: a\n\nid: 2\n\nretry: 2x\nretry:\n:\nretry: 99999999999999999999\nid: 3\ndata: b\n"), iotest.ErrReader(broken)))
	e, err := r.Next()
	if err != nil || string(e.Data) != "a" || r.LastEventID != "1" || r.Retry != 1500*time.Millisecond {
		t.Errorf("%+v, %v, %+v", e, err, r)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	// The block with id 2 was whole though it had no data; the one with id 3 was not.
	if r.LastEventID != "2" || r.Retry != 1500*time.Millisecond {
		t.Errorf("last event ID %q, retry %v", r.LastEventID, r.Retry)
	}
	if _, err := events(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// An event is handed out when its empty line is there, even if the server then says nothing.
func TestEventsDoNotWaitForMore(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, "data: a"+end) }()
		e, err := wire.NewEventReader(r).Next()
		if err != nil || string(e.Data) != "a" {
			t.Errorf("%q: %q, %v", end, e.Data, err)
		}
		_ = r.Close()
	}
}

func TestStreamBounds(t *testing.T) {
	t.Parallel()
	endless := func() io.Reader { return io.MultiReader(strings.NewReader("data: "), filler{}) }
	if _, err := events(endless()); !errors.Is(err, wire.ErrEventTooLarge) {
		t.Errorf("a line: %v", err)
	}
	half := "data: " + strings.Repeat("x", wire.MaxEventSize*2/3) + "\n"
	if _, err := events(strings.NewReader(half + half)); !errors.Is(err, wire.ErrEventTooLarge) {
		t.Errorf("an event: %v", err)
	}
	for _, err := range wire.Lines(endless()) {
		if !errors.Is(err, wire.ErrEventTooLarge) {
			t.Errorf("a line of JSON: %v", err)
		}
	}
}

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLines(t *testing.T) {
	t.Parallel()
	var got []string
	for line, err := range wire.Lines(strings.NewReader("{\"a\":1}\n\n \t\r\n[2]\r\n\x1e{\"b\":3}\n\"a\rb\"\n4")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	if want := []string{`{"a":1}`, `[2]`, `{"b":3}`, "\"a\rb\"", `4`}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	broken := errors.New("reset")
	n := 0
	for line, err := range wire.Lines(io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(broken))) {
		if n++; n == 2 && (!errors.Is(err, broken) || line != nil) {
			t.Errorf("%q, %v", line, err)
		}
	}
	if n != 2 {
		t.Errorf("%d lines", n)
	}
	for range wire.Lines(strings.NewReader("1\n2\n")) {
		break // stops without a second line
	}
	for range wire.Events(strings.NewReader("data: 1\n\ndata: 2\n\n")) {
		break
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("id: 1\nevent: a\ndata: x\r\ndata: y\r\r: c\nretry: 5\n\n"))
	f.Add([]byte("\ufeffdata\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := events(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		bytewise, err := events(iotest.OneByteReader(strings.NewReader(string(data))))
		if err != nil || !reflect.DeepEqual(whole, bytewise) {
			t.Fatalf("%q: %q at once, %q byte by byte", data, whole, bytewise)
		}
		// All three line ends mean the same.
		lf := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n")
		same, err := events(strings.NewReader(lf))
		if err != nil || !reflect.DeepEqual(whole, same) {
			t.Fatalf("%q: %q, with line feeds %q", data, whole, same)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n[2]\r\n\x1e3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for line, err := range wire.Lines(strings.NewReader(string(data))) {
			if err != nil || len(line) == 0 || strings.Contains(string(line), "\n") {
				t.Fatalf("%q, %v", line, err)
			}
		}
	})
}
