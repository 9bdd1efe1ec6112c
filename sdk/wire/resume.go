package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrChanged is given when a broken download cannot go on because the server now has other content.
var ErrChanged = errors.New("wire: the content changed on the server while it was downloaded")

// resumeTries is how many times in a row a download is taken up again without a single byte.
const resumeTries = 3

// Resume reads the body of a 200 answer to a GET and goes on where it broke: when reading fails, or ends before the
// announced length, it calls reopen with the headers Range and If-Range (RFC 9110 sections 14.2 and 13.1.5), which
// sends the same request with them and gives the answer. It does so only when the answer has a strong ETag or, in
// place of it, a Last-Modified date at least a second older than Date (section 8.8.2.2), the server does not refuse
// ranges, and net/http did not decompress the body. Otherwise, and when three answers in a row bring no byte, the
// reader gives the first error; an answer with other content gives [ErrChanged].
//
// The reader must be closed. It is not safe for concurrent use.
func Resume(resp *http.Response, reopen func(header http.Header) (*http.Response, error)) io.ReadCloser {
	r := &resumer{body: resp.Body, reopen: reopen, validator: validatorOf(resp), length: resp.ContentLength}
	if resp.Uncompressed {
		r.length = -1
	}
	return r
}

type resumer struct {
	body      io.ReadCloser
	pending   error // of the last read, which also gave bytes
	reopen    func(http.Header) (*http.Response, error)
	validator string // "" means that the download cannot be resumed
	length    int64  // of the whole content in bytes, -1 when it is not known
	offset    int64  // bytes given out
	tries     int    // since the last byte
}

func (r *resumer) Read(p []byte) (int, error) {
	for {
		n, err := 0, r.pending
		if err == nil {
			n, err = r.body.Read(p)
		}
		r.offset += int64(n)
		if n > 0 {
			r.tries, r.pending = 0, err
			return n, nil
		}
		if err == nil || len(p) == 0 {
			return 0, err
		}
		if errors.Is(err, io.EOF) {
			if r.offset >= r.length {
				return 0, io.EOF
			}
			err = io.ErrUnexpectedEOF
		}
		if r.pending = r.again(err); r.pending != nil {
			r.validator = "" // the error stays
			return 0, r.pending
		}
	}
}

// again replaces the body by one that begins at the offset. The error is the one to give to the reader.
func (r *resumer) again(cause error) error {
	if r.validator == "" || r.tries >= resumeTries {
		return cause
	}
	r.tries++
	if err := r.body.Close(); err != nil {
		cause = errors.Join(cause, err)
	}
	r.body = http.NoBody
	resp, err := r.reopen(http.Header{ //nolint:bodyclose // the body is read and closed as that of the reader
		"Range":    {"bytes=" + strconv.FormatInt(r.offset, 10) + "-"},
		"If-Range": {r.validator},
	})
	if err != nil {
		return errors.Join(cause, err)
	}
	r.body = resp.Body
	if err := r.accept(resp); err != nil {
		return errors.Join(err, cause)
	}
	return nil
}

// accept checks that an answer goes on with the same content at the offset.
func (r *resumer) accept(resp *http.Response) error {
	tag := resp.Header.Get("ETag")
	if tag != "" && strings.HasPrefix(r.validator, `"`) && tag != r.validator {
		return ErrChanged
	}
	switch resp.StatusCode {
	case http.StatusPartialContent:
		start, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || start != r.offset || resp.Uncompressed {
			return errors.New("wire: the answer to a range request is another range")
		}
		if r.length >= 0 && total >= 0 && total != r.length {
			return ErrChanged
		}
		return nil
	case http.StatusOK:
		if tag == "" {
			tag = resp.Header.Get("Last-Modified")
		}
		if tag != r.validator { // If-Range did not hold: other content
			return ErrChanged
		}
		if _, err := io.CopyN(io.Discard, resp.Body, r.offset); err != nil { // a server without ranges
			return fmt.Errorf("wire: download again up to the break: %w", err)
		}
		return nil
	default:
		return fmt.Errorf("wire: the answer to a range request has the status %d", resp.StatusCode)
	}
}

func (r *resumer) Close() error {
	return r.body.Close()
}

// contentRange reads "bytes 5-9/10"; total is -1 when it is given as an asterisk.
func contentRange(value string) (start, total int64, ok bool) {
	rest, ok := strings.CutPrefix(value, "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, size, ok := strings.Cut(rest, "/")
	if !ok {
		return 0, 0, false
	}
	first, _, ok := strings.Cut(span, "-")
	if !ok {
		return 0, 0, false
	}
	start, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	if size == "*" {
		return start, -1, true
	}
	total, err = strconv.ParseInt(size, 10, 64)
	return start, total, err == nil
}

// validatorOf gives the value for If-Range, "" when the answer cannot be resumed.
func validatorOf(resp *http.Response) string {
	if resp.StatusCode != http.StatusOK || resp.Uncompressed || resp.Header.Get("Accept-Ranges") == "none" {
		return ""
	}
	if tag := resp.Header.Get("ETag"); tag != "" {
		if strings.HasPrefix(tag, `"`) {
			return tag
		}
		return "" // weak: equal content need not be equal bytes
	}
	modified, err := http.ParseTime(resp.Header.Get("Last-Modified"))
	if err != nil {
		return ""
	}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil || date.Sub(modified) < time.Second {
		return ""
	}
	return resp.Header.Get("Last-Modified")
}
