package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// work is what the handlers under test have to do.
func work(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(answer.Body)
}

// middleware measures one keyed request after the other, each with a new key, without a network.
func middleware(_ context.Context, s *settings) error {
	guard := idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
		Caller:   func(*http.Request) (string, error) { return "acct_1", nil },
		Failures: idempotency.StoreFailures,
	})
	bare := testing.Benchmark(func(b *testing.B) { serve(b, http.HandlerFunc(work), true) })
	first := testing.Benchmark(func(b *testing.B) { serve(b, guard(http.HandlerFunc(work)), true) })
	again := testing.Benchmark(func(b *testing.B) { serve(b, guard(http.HandlerFunc(work)), false) })
	fmt.Fprintf(s.out, "%-28s %8s %8s   over bare\n", "net/http, memory store", "ns/op", "allocs")
	for _, row := range []struct {
		name string
		r    testing.BenchmarkResult
	}{{"bare handler", bare}, {"guarded, first request", first}, {"guarded, replay", again}} {
		fmt.Fprintf(s.out, "%-28s %8d %8d   %+d ns, %+d allocs\n", row.name, row.r.NsPerOp(), row.r.AllocsPerOp(), row.r.NsPerOp()-bare.NsPerOp(), row.r.AllocsPerOp()-bare.AllocsPerOp())
	}
	return peers(s)
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func serve(b *testing.B, h http.Handler, fresh bool) {
	b.Helper()
	b.ReportAllocs()
	const body = `{"amount":1000,"currency":"eur","source":"card_0123456789"}`
	r := httptest.NewRequest(http.MethodPost, "/charges", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	keys := newKeys(b.N, fresh)
	reader := strings.NewReader(body)
	closer := io.NopCloser(reader)
	w := &discard{header: http.Header{}}
	values := make([]string, 1)
	b.ResetTimer()
	for i := range b.N {
		reader.Reset(body)
		r.Body = closer
		values[0] = keys(i)
		r.Header["Idempotency-Key"] = values
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}

// newKeys makes the keys ahead of the clock.
func newKeys(n int, fresh bool) func(i int) string {
	if !fresh {
		return func(int) string { return "one-key" }
	}
	keys, run := make([]string, n), rand.Text()[:8] // a benchmark runs several times, with more and more keys
	for i := range keys {
		keys[i] = fmt.Sprintf("%s-%08d-0123-4567-89ab", run, i)
	}
	return func(i int) string { return keys[i] }
}
