package wire_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/wire"
)

var errReset = errors.New("connection reset")

// answer is a scripted response that gives part of a text and then an error.
type answer struct {
	status int
	header string // "Name: value; Name: value"
	body   string
	err    error
	length int64
}

func (a answer) response() *http.Response {
	h := http.Header{}
	for line := range strings.SplitSeq(a.header, "; ") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Set(name, value)
		}
	}
	var body io.Reader = strings.NewReader(a.body)
	if a.err != nil {
		body = io.MultiReader(body, iotest.ErrReader(a.err))
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(body), ContentLength: a.length}
}

func TestResume(t *testing.T) {
	t.Parallel()
	const etag = `ETag: "v1"`
	first := answer{200, etag, "0123", errReset, 10}
	rest := func(r, body string, err error) answer {
		return answer{206, etag + "; Content-Range: bytes " + r, body, err, -1}
	}
	for _, tt := range []struct {
		name    string
		first   answer
		next    []answer
		want    string
		wantErr error
		ranges  []string
	}{
		{name: "not broken", first: answer{200, etag, "0123456789", nil, 10}, want: "0123456789"},
		{name: "broken once", first: first, next: []answer{rest("4-9/10", "456789", nil)}, want: "0123456789", ranges: []string{"bytes=4-"}},
		{name: "cut short", first: answer{200, etag, "0123", nil, 10}, next: []answer{rest("4-9/10", "456789", nil)}, want: "0123456789", ranges: []string{"bytes=4-"}},
		{name: "broken again and again", first: first, next: []answer{rest("4-9/10", "4", errReset), rest("5-9/*", "56", nil), rest("7-9/10", "789", nil)}, want: "0123456789", ranges: []string{"bytes=4-", "bytes=5-", "bytes=7-"}},
		{name: "broken at the very end", first: answer{200, etag, "0123456789", errReset, 10}, next: []answer{{416, etag, "", nil, -1}}, want: "0123456789", wantErr: errReset, ranges: []string{"bytes=10-"}},
		{name: "length not known", first: answer{200, etag, "0123", nil, -1}, want: "0123"},
		{name: "by date", first: answer{200, "Last-Modified: Sun, 01 Mar 2026 09:30:00 GMT; Date: Sun, 01 Mar 2026 09:30:02 GMT", "0123", errReset, 10}, next: []answer{rest("4-9/10", "456789", nil)}, want: "0123456789", ranges: []string{"bytes=4-"}},
		{name: "a date too close to tell", first: answer{200, "Last-Modified: Sun, 01 Mar 2026 09:30:00 GMT; Date: Sun, 01 Mar 2026 09:30:00 GMT", "0123", errReset, 10}, want: "0123", wantErr: errReset},
		{name: "no date", first: answer{200, "Last-Modified: Sun, 01 Mar 2026 09:30:00 GMT", "0123", errReset, 10}, want: "0123", wantErr: errReset},
		{name: "weak tag", first: answer{200, `ETag: W/"v1"`, "0123", errReset, 10}, want: "0123", wantErr: errReset},
		{name: "no validator", first: answer{200, "", "0123", nil, 10}, want: "0123", wantErr: io.ErrUnexpectedEOF},
		{name: "no ranges", first: answer{200, etag + "; Accept-Ranges: none", "0123", errReset, 10}, want: "0123", wantErr: errReset},
		{name: "another status", first: answer{203, etag, "0123", errReset, 10}, want: "0123", wantErr: errReset},
		{name: "changed", first: first, next: []answer{{200, `ETag: "v2"`, "abcdefghij", nil, 10}}, want: "0123", wantErr: wire.ErrChanged, ranges: []string{"bytes=4-"}},
		{name: "changed, the new one has no tag", first: first, next: []answer{{200, "", "abcdefghij", nil, 10}}, want: "0123", wantErr: wire.ErrChanged, ranges: []string{"bytes=4-"}},
		{name: "changed length", first: first, next: []answer{{206, "Content-Range: bytes 4-10/11", "4567890", nil, -1}}, want: "0123", wantErr: wire.ErrChanged, ranges: []string{"bytes=4-"}},
		{name: "changed, as a range", first: first, next: []answer{{206, `ETag: "v2"; Content-Range: bytes 4-9/10`, "efghij", nil, -1}}, want: "0123", wantErr: wire.ErrChanged, ranges: []string{"bytes=4-"}},
		{name: "a server that ignores ranges", first: first, next: []answer{{200, etag, "0123456789", nil, 10}}, want: "0123456789", ranges: []string{"bytes=4-"}},
		{name: "and has dates only", first: answer{200, "Last-Modified: Sun, 01 Mar 2026 09:30:00 GMT; Date: Sun, 01 Mar 2026 09:30:02 GMT", "0123", errReset, 10}, next: []answer{{200, "Last-Modified: Sun, 01 Mar 2026 09:30:00 GMT", "0123456789", nil, 10}}, want: "0123456789", ranges: []string{"bytes=4-"}},
		{name: "and breaks before", first: first, next: []answer{{200, etag, "01", errReset, 10}}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-"}},
		{name: "another range", first: first, next: []answer{rest("5-9/10", "56789", nil)}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-"}},
		{name: "no range", first: first, next: []answer{{206, etag, "456789", nil, -1}}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-"}},
		{name: "broken range", first: first, next: []answer{rest("x", "456789", nil)}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-"}},
		{name: "an error status", first: first, next: []answer{{503, "", "busy", nil, -1}}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-"}},
		{name: "no byte three times", first: first, next: []answer{rest("4-9/10", "", errReset), rest("4-9/10", "", nil), rest("4-9/10", "", errReset)}, want: "0123", wantErr: errReset, ranges: []string{"bytes=4-", "bytes=4-", "bytes=4-"}},
		{name: "reopen fails", first: first, want: "0123", wantErr: errOffline, ranges: []string{"bytes=4-"}},
	} {
		var ranges []string
		r := wire.Resume(tt.first.response(), func(h http.Header) (*http.Response, error) {
			ranges = append(ranges, h.Get("Range"))
			if v := h.Get("If-Range"); v != `"v1"` && v != "Sun, 01 Mar 2026 09:30:00 GMT" {
				t.Errorf("%s: If-Range %q", tt.name, v)
			}
			if len(ranges) > len(tt.next) {
				return nil, errOffline
			}
			return tt.next[len(ranges)-1].response(), nil
		})
		got, err := io.ReadAll(r)
		if string(got) != tt.want || !errors.Is(err, tt.wantErr) || strings.Join(ranges, " ") != strings.Join(tt.ranges, " ") {
			t.Errorf("%s: %q, %v, %q", tt.name, got, err, ranges)
		}
		if n, again := r.Read(make([]byte, 1)); tt.wantErr != nil && (n != 0 || !errors.Is(again, tt.wantErr)) {
			t.Errorf("%s: after the error %d bytes and %v", tt.name, n, again)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

var errOffline = errors.New("offline")

// Against net/http's own ranges, over connections that break after every 1000 bytes.
func TestResumeFromServer(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789abcdef"), 500)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(&breaking{ResponseWriter: w, left: 1000}, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer server.Close()
	opened := 0
	get := func(h http.Header) (*http.Response, error) {
		opened++
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		req.Header = h
		return server.Client().Do(req)
	}
	resp, err := get(http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	r := wire.Resume(resp, get)
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, data) || opened < len(data)/1000 {
		t.Errorf("%d of %d bytes over %d requests, %v", len(got), len(data), opened, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) > b.left {
		_, _ = b.ResponseWriter.Write(p[:b.left])
		_ = http.NewResponseController(b.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 4-9/10")
	f.Add("bytes */10")
	f.Fuzz(func(t *testing.T, value string) {
		r := wire.Resume(answer{200, `ETag: "v1"`, "0123", errReset, 10}.response(), func(http.Header) (*http.Response, error) {
			next := answer{206, "", "456789", nil, -1}.response()
			next.Header.Set("Content-Range", value)
			return next, nil
		})
		got, err := io.ReadAll(r)
		start, _, _ := strings.Cut(strings.TrimPrefix(value, "bytes "), "-")
		at, numErr := strconv.Atoi(start)
		if err == nil && (string(got) != "0123456789" || numErr != nil || at != 4) {
			t.Fatalf("%q: %q", value, got)
		}
	})
}
