package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// terminal is what is known of where the output goes. The zero value is a file or a pipe.
type terminal struct {
	live   bool // the cursor can be moved
	color  bool
	width  int
	height int
}

func terminalOf(f *os.File) terminal {
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || os.Getenv("TERM") == "dumb" {
		return terminal{}
	}
	return terminal{live: true, color: os.Getenv("NO_COLOR") == "", width: width, height: height}
}

// paint wraps text in a colour of the terminal.
func (t terminal) paint(color, text string) string {
	if !t.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Colours, as SGR parameters.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// screen shows calls as they end: on a terminal as a table that stands still with its newest rows and a bar below,
// elsewhere as lines.
type screen struct {
	out   io.Writer
	term  terminal
	total int
	all   bool
	begin time.Time

	mu      sync.Mutex
	rows    []string // newest last
	drawn   int      // lines that stand on the terminal
	drawnAt time.Time
	ended   int
	clean   int // without a fault
}

func newScreen(out io.Writer, term terminal, total int, all bool) *screen {
	s := &screen{out: out, term: term, total: total, all: all, begin: time.Now()}
	if !term.live {
		fmt.Fprintln(out, header())
	}
	return s
}

// The columns' widths; the last one takes what is left.
const columns = "%-10s  %8s  %-13s  %8s  %s"

func header() string {
	return fmt.Sprintf(columns, "call", "attempts", "key", "waited", "what happened")
}

// done takes a call that ended.
func (s *screen) done(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended++
	faultless := c.attempts == 1 && c.failure == nil
	if faultless {
		s.clean++
	}
	if faultless && !s.all {
		s.draw(false)
		return
	}
	row := s.row(c)
	if !s.term.live {
		fmt.Fprintln(s.out, row)
		return
	}
	s.rows = append(s.rows, row)
	s.draw(false)
}

func (s *screen) row(c *call) string {
	story := strings.Join(c.steps, " > ")
	if c.replayed {
		story += " (stored)"
	}
	if c.failure != nil {
		story += " FAILED: " + c.reason
	}
	waited := "-"
	if c.attempts > 1 {
		waited = fmt.Sprint(c.wait.Round(time.Millisecond))
	}
	row := fmt.Sprintf(columns, c.intent, strconv.Itoa(c.attempts), short(c.key), waited, story)
	row = s.fit(row)
	switch {
	case c.failure != nil:
		return s.term.paint(red, row)
	case c.replayed:
		return s.term.paint(yellow, row)
	default:
		return row
	}
}

// fit cuts a line that would not fit the terminal: a line that wraps would spoil the next drawing.
func (s *screen) fit(line string) string {
	if s.term.live && len(line) > s.term.width {
		return line[:s.term.width]
	}
	return line
}

// short is enough of a key to tell it from others.
func short(key string) string {
	if len(key) <= 11 {
		return key
	}
	return key[:8] + "..."
}

// draw puts the table over the one that stands there, ten times a second at most.
func (s *screen) draw(last bool) {
	if !s.term.live || !last && time.Since(s.drawnAt) < 100*time.Millisecond {
		return
	}
	s.drawnAt = time.Now()
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn)
	}
	height := min(16, max(3, s.term.height-8))
	rows := s.rows[max(0, len(s.rows)-height):]
	lines := append([]string{s.term.paint(bold, s.fit(header()))}, rows...)
	lines = append(lines, "", s.fit(s.bar()))
	for _, line := range lines {
		b.WriteString("\r\x1b[2K" + line + "\n")
	}
	s.drawn = len(lines)
	_, _ = io.WriteString(s.out, b.String())
}

// bar is the line that tells how far it is.
func (s *screen) bar() string {
	const width = 30
	filled := width * s.ended / max(1, s.total)
	return fmt.Sprintf("[%s%s] %d of %d calls, %d met a fault, %.1f s",
		strings.Repeat("=", filled), strings.Repeat(" ", width-filled), s.ended, s.total, s.ended-s.clean, time.Since(s.begin).Seconds())
}

// close leaves the table as it stands.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(true)
	if !s.term.live && !s.all {
		fmt.Fprintf(s.out, "... and %d calls that met no fault (-all shows them)\n", s.clean)
	}
}
