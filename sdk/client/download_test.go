package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrysafe/retrysafe/sdk/budget"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

func downloadOp() *Operation {
	return &Operation{
		Call:    transport.Operation{ID: "getInvoice", Method: http.MethodGet, Path: "/invoices/7/content", Stream: true},
		Accept:  "application/octet-stream",
		Answers: []Answer{{Status: "200", Type: "application/octet-stream", Kind: Binary}},
	}
}

// content is a file whose server loses the connection after each lap bytes.
type content struct {
	data     []byte
	lap      int
	etag     string
	modified string
	noRanges bool
	replace  func(answer int, header http.Header) // changes the n-th answer, from 0
	log      flowLog
	answers  int
}

func (c *content) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.log.add(r.Header.Get("Range") + " " + r.Header.Get("If-Range"))
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="../../etc/invoice 7.pdf"`)
	h["Etag"], h["Last-Modified"] = []string{c.etag}, []string{c.modified}
	from, status := 0, http.StatusOK
	if spec, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && !c.noRanges {
		from, _ = strconv.Atoi(strings.TrimSuffix(spec, "-"))
		status = http.StatusPartialContent
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(c.data)-1, len(c.data)))
	}
	h.Set("Content-Length", strconv.Itoa(len(c.data)-from))
	if c.replace != nil {
		c.replace(c.answers, h)
	}
	c.answers++
	w.WriteHeader(status)
	end := min(from+c.lap, len(c.data))
	_, _ = w.Write(c.data[from:end])
	if end < len(c.data) {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func testContent(n int) []byte {
	data := make([]byte, 0, n+sha256.Size)
	for sum := sha256.Sum256(nil); len(data) < n; sum = sha256.Sum256(sum[:]) {
		data = append(data, sum[:]...)
	}
	return data[:n]
}

const strongTag = `"v1"`

func downloadFrom(t *testing.T, c *content) (*Download, error) {
	t.Helper()
	return Fetch(t.Context(), flowClient(t, c.ServeHTTP), downloadOp(), Input{}, nil)
}

func TestDownloadResumes(t *testing.T) {
	tests := []struct {
		name, etag, modified, ifRange string
	}{
		{"by a strong tag", strongTag, "", strongTag},
		{"by an old date", "", "Mon, 02 Feb 2026 10:00:00 GMT", "Mon, 02 Feb 2026 10:00:00 GMT"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := &content{data: testContent(10_000), lap: 2_500, etag: tt.etag, modified: tt.modified}
			d, err := downloadFrom(t, server)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if d.Size != 10_000 || d.Name != "invoice 7.pdf" || d.ContentType != "application/octet-stream" || d.Info.Attempts != 1 {
				t.Errorf("download %+v", d)
			}
			got, err := io.ReadAll(d)
			if err != nil || !bytes.Equal(got, server.data) || d.Offset() != 10_000 {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			requests := server.log.take()
			want := []string{" ", "bytes=2500- " + tt.ifRange, "bytes=5000- " + tt.ifRange, "bytes=7500- " + tt.ifRange}
			if fmt.Sprint(requests) != fmt.Sprint(want) {
				t.Errorf("requests %q, want %q", requests, want)
			}
		})
	}
}

func TestDownloadThatCannotGoOn(t *testing.T) {
	tests := []struct {
		name     string
		server   *content
		method   string
		requests int
		offset   int64
		is       error
	}{
		{name: "nothing to go by", requests: 1, offset: 4_000},
		{name: "a weak tag", server: &content{etag: `W/"v1"`}, requests: 1, offset: 4_000},
		{name: "an operation that may not be repeated", server: &content{etag: strongTag}, method: http.MethodPost, requests: 1, offset: 4_000},
		{
			name: "no ranges by its own word", requests: 1, offset: 4_000,
			server: &content{etag: strongTag, replace: func(_ int, h http.Header) { h.Set("Accept-Ranges", "none") }},
		},
		{
			name: "other content", requests: 2, offset: 4_000, is: wire.ErrChanged,
			server: &content{etag: strongTag, noRanges: true, replace: func(n int, h http.Header) { h.Set("Etag", `"v`+strconv.Itoa(n+1)+`"`) }},
		},
		{
			name: "another length", requests: 2, offset: 4_000, is: wire.ErrChanged,
			server: &content{etag: strongTag, replace: func(n int, h http.Header) {
				if n > 0 {
					h.Set("Content-Range", "bytes 4000-9999/20000")
				}
			}},
		},
		{
			name: "another range", requests: 2, offset: 4_000,
			server: &content{etag: strongTag, replace: func(n int, h http.Header) {
				if n > 0 {
					h.Set("Content-Range", "bytes 3999-9999/10000")
				}
			}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := tt.server
			if server == nil {
				server = &content{}
			}
			server.data, server.lap = testContent(10_000), 4_000
			op := downloadOp()
			if tt.method != "" {
				op.Call.Method = tt.method
			}
			d, err := Fetch(t.Context(), flowClient(t, server.ServeHTTP), op, Input{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			got, err := io.ReadAll(d)
			var broken *DownloadError
			var apiErr *Error
			if !errors.As(err, &broken) || !errors.As(err, &apiErr) || apiErr.Operation != "getInvoice" {
				t.Fatalf("read %d bytes, %v", len(got), err)
			}
			if broken.Offset != tt.offset || broken.Size != 10_000 || int64(len(got)) != tt.offset {
				t.Errorf("read %d bytes: %+v", len(got), broken)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if requests := server.log.take(); len(requests) != tt.requests {
				t.Errorf("requests %q", requests)
			}
			if _, again := d.Read(make([]byte, 1)); !errors.Is(again, err) {
				t.Errorf("then %v", again)
			}
		})
	}
}

// A server without ranges whose content is the same by its tag is read again up to the break.
func TestDownloadFromAServerWithoutRanges(t *testing.T) {
	laps := 0
	server := &content{data: testContent(10_000), etag: strongTag, noRanges: true}
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		laps++
		server.lap = 4_000 * laps
		server.ServeHTTP(w, r)
	})
	d, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := io.ReadAll(d); err != nil || !bytes.Equal(got, server.data) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

// Three answers in a row without a byte are enough, and each resume waits longer.
func TestDownloadGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := flowClientAt(t, WithTransport(flowTransport(func(req *http.Request) (*http.Response, error) {
			requests++
			h := http.Header{"Etag": {strongTag}, "Content-Type": {"application/octet-stream"}}
			resp := flowAnswer(req, http.StatusOK, h, "")
			body := &scriptedBody{err: errReset}
			if requests == 1 {
				body.parts = []string{"hello"}
			} else {
				resp.StatusCode = http.StatusPartialContent
				h.Set("Content-Range", "bytes 5-9/10")
			}
			resp.Body, resp.ContentLength = body, 10
			return resp, nil
		})))
		d, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		got, err := io.ReadAll(d)
		var broken *DownloadError
		if string(got) != "hello" || !errors.As(err, &broken) || broken.Offset != 5 || !errors.Is(err, errReset) {
			t.Errorf("read %q, %v", got, err)
		}
		if requests != 3 {
			t.Errorf("%d requests, want 3", requests)
		}
	})
}

// Resumes are retries: they count as attempts and are paid from the client's budget.
func TestResumesArePaid(t *testing.T) {
	tests := []struct {
		name     string
		opts     []Option
		noRetry  bool
		requests int
		is       error
	}{
		{"by default", nil, false, 4, nil},
		{"with a budget for one", []Option{WithBudget(budget.NewTokenBucket(budget.BucketConfig{Capacity: 20, TransientCost: 14, Reward: -1}))}, false, 2, budget.ErrExhausted},
		{"without a budget", []Option{WithBudget(nil)}, false, 4, nil},
		{"with one attempt", []Option{WithMaxAttempts(1)}, false, 1, errResumes},
		{"with an operation that has one", nil, true, 1, errResumes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := &content{data: testContent(10_000), lap: 2_500, etag: strongTag}
			op := downloadOp()
			op.Call.NoRetry = tt.noRetry
			d, err := Fetch(t.Context(), flowClient(t, server.ServeHTTP, tt.opts...), op, Input{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			_, err = io.ReadAll(d)
			if requests := server.log.take(); len(requests) != tt.requests || !errors.Is(err, tt.is) {
				t.Errorf("%d requests, want %d; %v", len(requests), tt.requests, err)
			}
		})
	}
}

func TestDownloadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := &content{data: testContent(10_000), lap: 4_000, etag: strongTag}
	d, err := Fetch(ctx, flowClient(t, server.ServeHTTP), downloadOp(), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := io.ReadFull(d, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = io.ReadAll(d)
	if !errors.Is(err, context.Canceled) || len(server.log.take()) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestDownloadIsClosedEarly(t *testing.T) {
	gone := make(chan struct{})
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	d, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	<-gone
}

func TestDownloadThatNeverBegins(t *testing.T) {
	c := flowClient(t, http.NotFound)
	_, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
	var apiErr *Error
	if !errors.As(err, &apiErr) || apiErr.StatusCode != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
}

// What came before the break is named also when the rest is refused.
func TestDownloadWhoseRestIsRefused(t *testing.T) {
	server := &content{data: testContent(10_000), lap: 4_000, etag: strongTag}
	c := flowClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		server.ServeHTTP(w, r)
	})
	d, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = io.ReadAll(d)
	var broken *DownloadError
	if !errors.As(err, &broken) || broken.Offset != 4_000 || !strings.Contains(err.Error(), "403") {
		t.Errorf("got %v", err)
	}
}

func TestDownloadOfAnUnknownLength(t *testing.T) {
	c := flowClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "chunked")
	})
	d, err := Fetch(t.Context(), c, downloadOp(), Input{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := io.ReadAll(d); err != nil || string(got) != "chunked" || d.Size != -1 {
		t.Errorf("read %q of %d, %v", got, d.Size, err)
	}
}

// A slow reader is no silent server: the deadline of the call does not end a download.
func TestDownloadOutlivesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := flowClientAt(t, WithTransport(flowTransport(func(req *http.Request) (*http.Response, error) {
			return flowAnswer(req, http.StatusOK, http.Header{"Content-Type": {"application/octet-stream"}}, "0123456789"), nil
		})))
		d, err := Fetch(t.Context(), c, downloadOp(), Input{}, []Option{WithDeadline(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var got []byte
		for buf := make([]byte, 1); ; {
			<-time.After(10 * time.Minute)
			n, err := d.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				break
			}
		}
		if string(got) != "0123456789" {
			t.Errorf("read %q", got)
		}
	})
}
