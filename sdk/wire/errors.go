package wire

import (
	"errors"
	"strconv"
	"strings"
)

// ErrNotReplayable is returned when a body is opened a second time and its content can be neither opened again nor
// rewound.
var ErrNotReplayable = errors.New("wire: the body was read once and cannot be opened again")

// The places of a parameter, as ParamError names them.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inCookie = "cookie"
	inBody   = "body"
)

// ParamError says which parameter or body property could not be written or read, and why. It never holds the value.
type ParamError struct {
	In     string // path, query, header, cookie or body
	Name   string // name on the wire
	Reason string
	Err    error // the cause, if another package refused the value; its text is not part of Error
}

func (e *ParamError) Error() string {
	return "wire: " + e.In + " parameter " + strconv.Quote(e.Name) + ": " + e.Reason
}

// Unwrap gives the cause.
func (e *ParamError) Unwrap() error { return e.Err }

// DecodeError says where in a JSON text decoding stopped, and why. Error never prints a value of the text, since it
// may be a secret.
type DecodeError struct {
	Path   string // of the value: items[3].price; "" is the text itself
	Offset int64  // in bytes from the start of the text that was being read
	Reason string // such as: want integer, got string
	Err    error  // the cause when a type's own method refused the value; its text is not part of Error

	trail trail
}

func (e *DecodeError) Error() string {
	var b strings.Builder
	b.WriteString("wire: decode JSON")
	if e.Path != "" {
		b.WriteString(" at ")
		b.WriteString(e.Path)
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	b.WriteString(" (offset ")
	b.WriteString(strconv.FormatInt(e.Offset, 10))
	b.WriteString(")")
	return b.String()
}

// Unwrap gives the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// EncodeError says which value could not be written as JSON, and why.
type EncodeError struct {
	Path   string // of the value: items[3].price; "" is the value itself
	Reason string
	Err    error // the cause when a type's own method failed

	trail trail
}

func (e *EncodeError) Error() string {
	at := ""
	if e.Path != "" {
		at = " at " + e.Path
	}
	return "wire: encode JSON" + at + ": " + e.Reason
}

// Unwrap gives the cause.
func (e *EncodeError) Unwrap() error { return e.Err }

// trail collects the path of a value from the inside out while an error goes up.
type trail struct{ segments []string }

// underMember notes that err happened under the member.
func underMember(err error, name string) error {
	return under(err, memberSegment(name))
}

// underIndex notes that err happened under the element.
func underIndex(err error, i int) error {
	return under(err, "["+strconv.Itoa(i)+"]")
}

func under(err error, segment string) error {
	switch e := err.(type) { //nolint:errorlint // the outermost error is the one that goes up
	case *DecodeError:
		e.trail.segments = append(e.trail.segments, segment)
	case *EncodeError:
		e.trail.segments = append(e.trail.segments, segment)
	}
	return err
}

// sealPath turns the trail of err into its Path.
func sealPath(err error) error {
	switch e := err.(type) { //nolint:errorlint // the outermost error is the one that goes up
	case *DecodeError:
		e.Path, e.trail = e.trail.path(e.Path), trail{}
	case *EncodeError:
		e.Path, e.trail = e.trail.path(e.Path), trail{}
	}
	return err
}

// pathEnds is how many segments of a long path are shown at either end.
const pathEnds = 16

func (t trail) path(tail string) string {
	var b strings.Builder
	for i := len(t.segments) - 1; i >= 0; i-- {
		if i == len(t.segments)-1-pathEnds && i > pathEnds {
			b.WriteString(".…")
			i = pathEnds
		}
		segment := t.segments[i]
		if b.Len() > 0 && segment[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(segment)
	}
	if b.Len() > 0 && tail != "" && tail[0] != '[' {
		b.WriteByte('.')
	}
	return b.String() + tail
}

// memberSegment writes plain names bare and all others quoted in brackets.
func memberSegment(name string) string {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	if name == "" {
		return `[""]`
	}
	return name
}
