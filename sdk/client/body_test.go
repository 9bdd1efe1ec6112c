package client_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/sdk/client"
	"github.com/retrysafe/retrysafe/sdk/transport"
	"github.com/retrysafe/retrysafe/sdk/wire"
)

func TestBodies(t *testing.T) {
	type form struct {
		Name string   `json:"name"`
		Tags []string `json:"tags,omitempty"`
		Note *string  `json:"note,omitempty"`
	}
	type upload struct {
		Title string     `json:"title"`
		File  *wire.File `json:"file"`
	}
	type named string
	text := named("hello")
	tests := []struct {
		name, contentType string
		kind              client.Kind
		body              any
		wantType, want    string
	}{
		{"form", "application/x-www-form-urlencoded", client.Form, &form{Name: "a b&c", Tags: []string{"x", "y"}}, "application/x-www-form-urlencoded", "name=a+b%26c&tags=x&tags=y"},
		{"multipart", "multipart/form-data", client.Multipart, &upload{"t", wire.FromBytes("a.txt", []byte("content"))}, "multipart/form-data; boundary=", "content"},
		{"text", "text/plain", client.Text, "hello", "text/plain", "hello"},
		{"named text", "text/plain", client.Text, &text, "text/plain", "hello"},
		{"bytes", "application/pdf", client.Binary, []byte{1, 2}, "application/pdf", "\x01\x02"},
		{"reader", "application/octet-stream", client.Binary, strings.NewReader("abc"), "application/octet-stream", "abc"},
		{"file", "application/octet-stream", client.Binary, &wire.File{ContentType: "image/png", Content: strings.NewReader("png")}, "image/png", "png"},
		{"absent", "application/json", client.JSON, (*form)(nil), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tries := 0
			var first string
			c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if tries++; tries == 1 {
					first = string(body)
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, tt.wantType) || got == "" != (tt.wantType == "") {
					t.Errorf("content type %q", got)
				}
				if !strings.Contains(string(body), tt.want) || string(body) != first {
					t.Errorf("body %q, first %q", body, first)
				}
			})
			op := client.Operation{
				Call: transport.Operation{ID: "send", Method: "PUT", Path: "/x", BackoffBase: 1},
				Body: client.Body{Type: tt.contentType, Kind: tt.kind},
			}
			if err := c.Exec(t.Context(), &op, client.Input{Body: tt.body}, nil); err != nil {
				t.Error(err)
			}
			if tries != 2 {
				t.Errorf("%d attempts", tries)
			}
		})
	}
}

func TestReaderThatCannotBeReadAgainIsSentOnce(t *testing.T) {
	tries := 0
	c := serve(t, api(), func(w http.ResponseWriter, r *http.Request) {
		tries++
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	op := client.Operation{Call: transport.Operation{ID: "send", Method: "PUT", Path: "/x"}, Body: client.Body{Type: "a/b", Kind: client.Binary}}
	err := c.Exec(t.Context(), &op, client.Input{Body: io.LimitReader(strings.NewReader("abc"), 3)}, nil)
	var e *client.Error
	if !errors.As(err, &e) || e.StatusCode != 503 || tries != 1 {
		t.Errorf("%v after %d", err, tries)
	}
}

func TestUploadProgress(t *testing.T) {
	c := serve(t, api(), func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	op := client.Operation{Call: transport.Operation{ID: "send", Method: "PUT", Path: "/x"}, Body: client.Body{Type: "a/b", Kind: client.Binary}}
	var last, of int64
	err := c.Exec(t.Context(), &op, client.Input{Body: bytes.NewReader(make([]byte, 1<<16))},
		[]client.Option{client.WithUploadProgress(func(sent, total int64) { last, of = sent, total })})
	if err != nil || last != 1<<16 || of != 1<<16 {
		t.Errorf("%d of %d, %v", last, of, err)
	}
}

func TestBodyOfAnUnfitType(t *testing.T) {
	c := serve(t, api(), func(http.ResponseWriter, *http.Request) { t.Error("sent") })
	op := client.Operation{Call: transport.Operation{ID: "send", Method: "PUT", Path: "/x"}, Body: client.Body{Type: "a/b", Kind: client.Binary}}
	if err := c.Exec(t.Context(), &op, client.Input{Body: 7}, nil); err == nil {
		t.Error("no error")
	}
}
