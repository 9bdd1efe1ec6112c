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
func middleware(_ context.Context, s *settings) (string, error) {
	guarded := func(window time.Duration) http.Handler {
		return idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
			Caller:   func(*http.Request) (string, error) { return "acct_1", nil },
			Failures: idempotency.StoreFailures, ReplayWindow: window,
		})(http.HandlerFunc(work))
	}
	ours := s.compareHandlers([]candidate{
		{"net/http, bare handler", serve(http.HandlerFunc(work), true)},
		{"net/http, first request, steady", serve(guarded(20*time.Millisecond), true)}, // records expire as fast as they come
		{"net/http, first request, growing", serve(guarded(24*time.Hour), true)},       // the heap grows by every record
		{"net/http, replay", serve(guarded(24*time.Hour), false)},
	})
	text := table([]string{"handler", "CPU", "allocs", "CPU over bare", "allocs over bare"}, append(rowsOf(ours), rowsOf(s.compareHandlers(peers()))...))
	limits := make([]bar, 0, 4)
	for _, c := range ours[1:3] {
		time, allocs := c.nanos-ours[0].nanos, c.allocs-ours[0].allocs
		limits = append(limits,
			bar{c.name + ", time over the bare handler", "under 5000 ns", fmt.Sprintf("%.0f ns", time), time < 5000},
			bar{c.name + ", allocations over the bare handler", "under 25", fmt.Sprintf("%.0f", allocs), allocs < 25})
	}
	return text + bars(limits...) + "\n" + absent + "\n", nil
}

// candidate does its work n times. It sets up before it returns the work.
type candidate struct {
	name  string
	setUp func(n int) (work func())
}

// handlerRequests is the number of requests to each candidate in a pass.
const handlerRequests = 20_000

// cost of one request.
type cost struct {
	name          string
	nanos, allocs float64
}

// compareHandlers measures the candidates in turns. The time is the processor's, of all threads, the collector's among
// them: another program that keeps the machine busy does not count. It does slow the processor down, and so the
// quietest quarter of each candidate's passes is what counts.
func (s *settings) compareHandlers(candidates []candidate) []cost {
	times, allocs := make([][]float64, len(candidates)), make([][]float64, len(candidates))
	for range s.passes {
		for _, i := range mathrand.Perm(len(candidates)) {
			t, a := measure(handlerRequests, candidates[i].setUp)
			times[i], allocs[i] = append(times[i], t), append(allocs[i], a)
		}
	}
	costs := make([]cost, len(candidates))
	for i, c := range candidates {
		costs[i] = cost{c.name, quarter(times[i]), median(allocs[i])}
	}
	return costs
}

// rowsOf shows costs beside the first of them.
func rowsOf(costs []cost) [][]string {
	rows := make([][]string, len(costs))
	for i, c := range costs {
		rows[i] = []string{
			c.name, fmt.Sprintf("%.0f ns", c.nanos), fmt.Sprintf("%.0f", c.allocs),
			fmt.Sprintf("%+.0f ns", c.nanos-costs[0].nanos), fmt.Sprintf("%+.0f", c.allocs-costs[0].allocs),
		}
	}
	return rows
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
