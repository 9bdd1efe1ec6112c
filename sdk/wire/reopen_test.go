package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// seekOnly hides ReadAt, so that two bodies share one position.
type seekOnly struct{ r *strings.Reader }

func (s seekOnly) Read(p []byte) (int, error)                { return s.r.Read(p) }
func (s seekOnly) Seek(off int64, whence int) (int64, error) { return s.r.Seek(off, whence) }

// TestLostBodyDoesNotDisturbTheNext reads on from the body of a lost attempt while the next one is sent, as net/http does.
func TestLostBodyDoesNotDisturbTheNext(t *testing.T) {
	const content = "0123456789abcdef"
	for name, r := range map[string]io.Reader{
		"reader at":   strings.NewReader(content),
		"seeker only": seekOnly{strings.NewReader(content)},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := Multipart(struct {
				File *File `json:"file"`
			}{FromReader("a.txt", r)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !body.Replayable {
				t.Fatal("a seekable file is not replayable")
			}
			whole := sendBody(t, body, nil)
			lost, err := body.Open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(lost, make([]byte, len(whole)/2)); err != nil {
				t.Fatal(err)
			}
			if got := sendBody(t, body, lost); got != whole {
				t.Errorf("the next attempt sent\n%q\nwant\n%q", got, whole)
			}
		})
	}
}

// sendBody reads a body byte by byte and, between the bytes, from the lost one.
func sendBody(t *testing.T, body *Body, lost io.Reader) string {
	t.Helper()
	open, err := body.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	var out strings.Builder
	one := make([]byte, 1)
	for {
		n, err := open.Read(one)
		out.Write(one[:n])
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if lost != nil {
			if _, err := lost.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) {
				t.Fatal(err)
			}
		}
	}
}
