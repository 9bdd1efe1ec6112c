package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// Lines reads newline-delimited JSON: one JSON text a line, empty lines left out. The last line need not end. It also
// reads JSON text sequences (RFC 7464), whose records begin with a record separator. The bytes may be kept. An error
// of r ends the sequence as its last pair.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := lineReader{r: bufio.NewReader(r), tail: true}
		for {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			line = bytes.Trim(line, " \t\r\x1e")
			if len(line) > 0 && !yield(bytes.Clone(line), nil) {
				return
			}
		}
	}
}
