// Package frameworks_test mounts the middleware under routers, and over HTTP/2.
package frameworks_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// made counts effects; the handler of each framework calls it.
type made struct{ n atomic.Int64 }

func (m *made) order(w http.ResponseWriter, id string) {
	w.Header().Set("Location", "/orders/"+id)
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"order":%d,"in":%q}`, m.n.Add(1), id)
}

func guard() func(http.Handler) http.Handler {
	return idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("X-Account"), nil },
		Failures: idempotency.StoreFailures,
	})
}

// muxes mount one guarded route each: POST /shops/{id}/orders.
var muxes = map[string]func(m *made) http.Handler{
	"net/http": func(m *made) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("POST /shops/{id}/orders", guard()(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.order(w, r.PathValue("id")) })))
		return mux
	},
	"net/http, around the mux": func(m *made) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /shops/{id}/orders", func(w http.ResponseWriter, r *http.Request) { m.order(w, r.PathValue("id")) })
		return guard()(mux)
	},
	"chi": func(m *made) http.Handler {
		r := chi.NewRouter()
		r.With(guard()).Post("/shops/{id}/orders", func(w http.ResponseWriter, r *http.Request) { m.order(w, chi.URLParam(r, "id")) })
		return r
	},
	"gin": func(m *made) http.Handler {
		gin.SetMode(gin.ReleaseMode)
		engine, guard := gin.New(), guard()
		engine.POST("/shops/:id/orders", func(c *gin.Context) {
			id := c.Param("id")
			guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { m.order(w, id) })).ServeHTTP(c.Writer, c.Request)
		})
		return engine
	},
	"echo": func(m *made) http.Handler {
		e := echo.New()
		e.POST("/shops/:id/orders", func(c echo.Context) error {
			m.order(c.Response(), c.Param("id"))
			return nil
		}, echo.WrapMiddleware(guard()))
		return e
	},
}

func post(t *testing.T, client *http.Client, url, key, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("X-Account", "alice")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRouters(t *testing.T) {
	for name, mux := range muxes {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", name, http2), func(t *testing.T) {
				m := &made{}
				server := httptest.NewUnstartedServer(mux(m))
				server.EnableHTTP2 = http2
				if http2 {
					server.StartTLS()
				} else {
					server.Start()
				}
				defer server.Close()
				key := fmt.Sprintf("key-%v", http2)
				first := post(t, server.Client(), server.URL+"/shops/7/orders", key, "tea")
				second := post(t, server.Client(), server.URL+"/shops/7/orders", key, "tea")
				other := post(t, server.Client(), server.URL+"/shops/7/orders", key, "coffee")
				if first.StatusCode != 201 || second.StatusCode != 201 || other.StatusCode != 409 {
					t.Fatalf("statuses %d, %d, %d", first.StatusCode, second.StatusCode, other.StatusCode)
				}
				if a, b := text(t, first), text(t, second); a != b || a != `{"order":1,"in":"7"}` {
					t.Errorf("bodies %q, %q", a, b)
				}
				if second.Header.Get("Idempotent-Replayed") != "true" || second.Header.Get("Location") != "/orders/7" || m.n.Load() != 1 {
					t.Errorf("replay %v, %d effects", second.Header, m.n.Load())
				}
				if want := map[bool]int{false: 1, true: 2}[http2]; second.ProtoMajor != want {
					t.Errorf("HTTP/%d", second.ProtoMajor)
				}
			})
		}
	}
}

// Over a real connection: what a held-back answer cannot do is refused, what it can do works.
func TestResponseController(t *testing.T) {
	var flush, hijack, deadline, early error
	handler := guard()(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		rc := http.NewResponseController(w)
		flush, deadline = rc.Flush(), rc.SetWriteDeadline(time.Now().Add(time.Minute))
		_, _, hijack = rc.Hijack()
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "X-Sum")
		w.WriteHeader(http.StatusOK)
		for range 100 {
			_, err := io.WriteString(w, strings.Repeat("x", 1000))
			early = errors.Join(early, err)
		}
		w.Header().Set(http.TrailerPrefix+"X-Total", "100000")
	}))
	server := httptest.NewServer(handler)
	defer server.Close()
	resp := post(t, server.Client(), server.URL, "k", "")
	body := text(t, resp)
	if !errors.Is(flush, http.ErrNotSupported) || !errors.Is(hijack, http.ErrNotSupported) || deadline != nil || early != nil {
		t.Errorf("flush %v, hijack %v, deadline %v, write %v", flush, hijack, deadline, early)
	}
	if len(body) != 100_000 || resp.Trailer.Get("X-Total") != "100000" {
		t.Errorf("%d bytes, trailer %v", len(body), resp.Trailer)
	}
	again := post(t, server.Client(), server.URL, "k", "")
	if text(t, again) != body {
		t.Error("the replay differs")
	}
}
