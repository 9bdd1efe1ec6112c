package spec_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/generator/spec"
)

func TestRemoteReferences(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path != "/common.yaml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("components:\n  schemas:\n    Problem: {title: problem}\n    Other: {$ref: '#/components/schemas/Problem'}\n"))
	}))
	text := "openapi: 3.0.3\npaths: {}\ncomponents:\n  schemas:\n    A: {$ref: '" + server.URL + "/common.yaml#/components/schemas/Problem'}\n" +
		"    B: {$ref: '" + server.URL + "/common.yaml#/components/schemas/Other'}\n"
	run := func(opts spec.Options) (*spec.Document, error) {
		opts.Path, opts.Stdin = "-", strings.NewReader(text)
		return spec.Load(context.Background(), opts)
	}
	cache := t.TempDir()
	if _, err := run(spec.Options{CacheDir: cache}); err == nil || !strings.Contains(err.Error(), server.URL+"/common.yaml") || !strings.Contains(err.Error(), "--allow-remote-refs") {
		t.Errorf("refused with %v, want the URL and the flag", err)
	}
	if n := requests.Load(); n != 0 {
		t.Fatalf("%d requests though not allowed", n)
	}
	doc, err := run(spec.Options{AllowRemote: true, CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		if got := doc.Root.At("components", "schemas", name).Deref().Str("title"); got != "problem" {
			t.Errorf("%s leads to %q", name, got)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	server.Close()
	if _, err := run(spec.Options{AllowRemote: true, CacheDir: cache}); err != nil {
		t.Errorf("offline with a copy: %v", err)
	}
	start := time.Now()
	if _, err := run(spec.Options{AllowRemote: true, CacheDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), server.URL) {
		t.Errorf("offline without a copy: %v", err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("giving up took %v", took)
	}
}

func TestRemoteAnswerIsNotKeptWhenItIsNoDocument(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer server.Close()
	_, err := spec.Load(context.Background(), spec.Options{Path: server.URL + "/openapi.json", AllowRemote: true, CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("got %v", err)
	}
}
