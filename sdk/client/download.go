package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

// Download is a binary answer on its way, an io.ReadCloser. Read it to the end or not, then close it. It is not safe for
// concurrent use.
//
// When the connection breaks, reading goes on where it stopped, as far as the server says that the content is still the
// same: a strong ETag, or a Last-Modified date that counts as strong, goes back in If-Range beside Range (RFC 9110
// sections 13.1.5 and 14.2), and the answer's Content-Range must continue at the same byte of the same length (section
// 14.4). Resumes without a byte in between are bounded by the attempts of a call; each waits by backoff and is paid from
// the client's budget. A part that the caller's own Range header asked for is not resumed. What cannot go on is a
// [*DownloadError].
type Download struct {
	ContentType string
	Size        int64  // bytes in all, -1: unknown
	Name        string // file name that the server proposes, without folders; "" when it proposes none
	Info        ResponseInfo

	x       *exchange
	body    io.ReadCloser
	offset  int64
	resumes resumes
	failed  error
}

// DownloadError says that a download broke and could not be resumed. When errors.Is finds [wire.ErrChanged] in it, the
// server has other content by now, and what was read so far is of no use.
type DownloadError struct {
	Offset int64 // bytes that were read
	Size   int64 // bytes in all, -1: unknown
	Err    error
}

func (e *DownloadError) Error() string {
	of := ""
	if e.Size >= 0 {
		of = fmt.Sprintf(" of %d", e.Size)
	}
	return fmt.Sprintf("the download broke after %d%s bytes: %v", e.Offset, of, e.Err)
}

func (e *DownloadError) Unwrap() error { return e.Err }

// Fetch makes a call whose success answer is handed over as it comes. The deadline of the call covers the way to the
// answer's header; ctx covers reading the content as well.
func Fetch(ctx context.Context, c *Client, op *Operation, in Input, opts []Option) (*Download, error) {
	in.header = plainContent(nil)
	x, err := c.send(ctx, op, in, opts)
	if err != nil {
		return nil, err
	}
	d := &Download{x: x, body: x.resp.Body, Size: x.resp.ContentLength, Info: x.info}
	d.ContentType = x.resp.Header.Get("Content-Type")
	if _, params, err := mime.ParseMediaType(x.resp.Header.Get("Content-Disposition")); err == nil {
		name := params["filename"]
		d.Name = name[strings.LastIndexAny(name, `/\`)+1:]
	}
	if x.resp.StatusCode == http.StatusOK && op.repeatable() {
		d.body = wire.Resume(x.resp, func(header http.Header) (*http.Response, error) { return d.reopen(ctx, in, header) })
	}
	return d, nil
}

// plainContent asks for content as it is stored: the parts of a compressed answer do not fit together.
func plainContent(header http.Header) http.Header {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept-Encoding", "identity")
	return header
}

func (d *Download) reopen(ctx context.Context, in Input, header http.Header) (*http.Response, error) {
	in.header = plainContent(header)
	x, err := d.resumes.again(ctx, d.x, in, 0)
	if err != nil {
		return nil, err
	}
	return x.resp, nil
}

// Offset is how many bytes have been read.
func (d *Download) Offset() int64 { return d.offset }

// Read implements io.Reader.
func (d *Download) Read(p []byte) (int, error) {
	if d.failed != nil {
		return 0, d.failed
	}
	n, err := d.body.Read(p)
	d.offset += int64(n)
	if n > 0 {
		d.resumes.made = 0
	}
	if err != nil && !errors.Is(err, io.EOF) {
		d.failed = d.x.unreadable(&DownloadError{Offset: d.offset, Size: d.Size, Err: err})
		err = d.failed
	}
	return n, err
}

// Close implements io.Closer. Closing before the end gives the connection up.
func (d *Download) Close() error { return d.body.Close() }
