package sqlstore

import (
	"fmt"
	"net/http"
	"strings"
)

// lines joins what would split a line. net/http does the same when it writes a header, so that nothing is lost.
var lines = strings.NewReplacer("\r", " ", "\n", " ")

// encodeHeader writes the lines of an HTTP header, one for each value: what a person can read in the table, and what
// costs a replay less to read than JSON.
func encodeHeader(h http.Header) []byte {
	size := 0
	for name, values := range h {
		for _, value := range values {
			size += len(name) + len(value) + len(": \n")
		}
	}
	b := make([]byte, 0, size)
	for name, values := range h {
		for _, value := range values {
			b = append(append(b, name...), ": "...)
			if strings.ContainsAny(value, "\r\n") {
				value = lines.Replace(value)
			}
			b = append(append(b, value...), '\n')
		}
	}
	return b
}

// decodeHeader reads what encodeHeader wrote.
func decodeHeader(text []byte) (http.Header, error) {
	if len(text) == 0 {
		return nil, nil //nolint:nilnil // no header is an answer
	}
	rest := string(text)
	n := strings.Count(rest, "\n")
	header, all := make(http.Header, n), make([]string, n)
	for i := range all {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("column header: no colon in the line %q", line)
		}
		if values, ok := header[name]; ok {
			header[name] = append(values, value)
			continue
		}
		all[i] = value
		header[name] = all[i : i+1 : i+1]
	}
	return header, nil
}
