package spec

import (
	"fmt"
	"strings"
)

// Position is a place in an input file; Line and Col start at 1, 0 is unknown.
type Position struct {
	File string
	Line int
	Col  int
}

// String gives file:line:col, or as much of it as is known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
}

// Diagnostic is one thing that the user should know about the document.
type Diagnostic struct {
	Pos     Position
	Code    string // short stable name of the kind: dangling-ref, duplicate-operation-id ...
	Message string // what is wrong, what was assumed, what to do
}

// String gives the diagnostic on one line.
func (d Diagnostic) String() string {
	place := d.Pos.String()
	if place != "" {
		place += ": "
	}
	return place + d.Message + " [" + d.Code + "]"
}

// Error is a document, a config or a tree that cannot be used: every place that has to be mended.
type Error struct {
	Diagnostics []Diagnostic
}

// Error gives one line for each place.
func (e *Error) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Errorf makes an [Error] of one place.
func Errorf(pos Position, code, format string, args ...any) *Error {
	return &Error{Diagnostics: []Diagnostic{{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...)}}}
}
