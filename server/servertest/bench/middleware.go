package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

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
	guarded := func(window time.Duration) http.Handler {
		return idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
			Caller:   func(*http.Request) (string, error) { return "acct_1", nil },
			Failures: idempotency.StoreFailures, ReplayWindow: window,
		})(http.HandlerFunc(work))
	}
	s.compareHandlers("net/http, memory store", []candidate{
		{"bare handler", serve(http.HandlerFunc(work), true)},
		{"first request, steady", serve(guarded(20*time.Millisecond), true)}, // records expire as fast as they come
		{"first request, growing", serve(guarded(24*time.Hour), true)},       // the heap grows by every record
		{"replay", serve(guarded(24*time.Hour), false)},
	})
	return peers(s)
}

// candidate does its work n times. It sets up before it returns the work.
type candidate struct {
	name  string
	setUp func(n int) (work func())
}

// Passes over all candidates, and requests in each.
const (
	handlerPasses   = 21
	handlerRequests = 20_000
)

// compareHandlers prints the time and the allocations of one request beside those of the first candidate. The time is
// the processor's, of all threads, the collector's among them: another program that keeps the machine busy does not
// count. It does slow the processor down, and so the quietest quarter of each candidate's passes is what counts.
func (s *settings) compareHandlers(title string, candidates []candidate) {
	times, allocs := make([][]float64, len(candidates)), make([][]float64, len(candidates))
	for range handlerPasses {
		for _, i := range mathrand.Perm(len(candidates)) {
			t, a := measure(handlerRequests, candidates[i].setUp)
			times[i], allocs[i] = append(times[i], t), append(allocs[i], a)
		}
	}
	fmt.Fprintf(s.out, "%-28s %10s %8s   over bare\n", title, "CPU ns/op", "allocs")
	for i, c := range candidates {
		t, a := quarter(times[i]), median(allocs[i])
		fmt.Fprintf(s.out, "%-28s %10.0f %8.1f   %+.0f ns, %+.1f allocs\n", c.name, t, a, t-quarter(times[0]), a-median(allocs[0]))
	}
}

// quarter is the value that a quarter of the values lie below.
func quarter(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/4] }

func measure(n int, setUp func(int) func()) (nanos, allocs float64) {
	work := setUp(n)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cpuTime()
	work()
	took := cpuTime() - began
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n)
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func serve(h http.Handler, fresh bool) func(n int) func() {
	return func(n int) func() {
		const body = `{"amount":1000,"currency":"eur","source":"card_0123456789"}`
		r := &http.Request{
			Method: http.MethodPost, URL: &url.URL{Path: "/charges"}, Pattern: "POST /charges", ContentLength: int64(len(body)),
			Header: http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {""}},
		}
		keys := newKeys(n, fresh)
		reader := strings.NewReader(body)
		closer := io.NopCloser(reader)
		w := &discard{header: http.Header{}}
		return func() {
			for i := range n {
				reader.Reset(body)
				r.Body = closer
				r.Header["Idempotency-Key"][0] = keys(i)
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		}
	}
}

// newKeys makes the keys ahead of the clock, of 36 characters, since fiber takes no others.
func newKeys(n int, fresh bool) func(i int) string {
	if !fresh {
		return func(int) string { return "00000000-0123-4567-89ab-cdef01234567" }
	}
	keys, run := make([]string, n), rand.Text()[:8] // a benchmark runs several times, with more and more keys
	for i := range keys {
		keys[i] = fmt.Sprintf("%s-%08d-0123-4567-89abcdef0", run, i)
	}
	return func(i int) string { return keys[i] }
}
