package idempotency_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func BenchmarkMiddleware(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"ch_0123456789","amount":1000}`)
	})
	opts := options()
	opts.Caller = func(*http.Request) (string, error) { return "acct_1", nil }
	guarded := idempotency.Middleware(idempotency.NewMemory(nil), opts)(handler)
	for _, c := range []struct {
		name  string
		h     http.Handler
		fresh bool
	}{{"bare", handler, true}, {"first", guarded, true}, {"replay", guarded, false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			const body = `{"amount":1000,"currency":"eur"}`
			r := httptest.NewRequest(http.MethodPost, "/charges", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			reader := strings.NewReader(body)
			closer := io.NopCloser(reader)
			w := &discard{header: http.Header{}}
			keys := make([]string, b.N)
			for i := range keys {
				keys[i] = "replayed"
				if c.fresh {
					keys[i] = fmt.Sprintf("key-%p-%d", b, i)
				}
			}
			b.ResetTimer()
			for i := range b.N {
				reader.Reset(body)
				r.Body = closer
				r.Header["Idempotency-Key"] = keys[i : i+1]
				clear(w.header)
				c.h.ServeHTTP(w, r)
			}
		})
	}
}
