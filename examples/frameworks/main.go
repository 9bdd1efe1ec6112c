// Command frameworks serves one operation under net/http, chi, gin and echo, each behind the idempotency middleware,
// which is a plain func(http.Handler) http.Handler and fits all of them.
package main

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

func main() {
	if len(os.Args) < 2 || routers()[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: frameworks net/http|chi|gin|echo")
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:8082", routers()[os.Args[1]](new(atomic.Int64))))
}

// middleware guards with a store in memory. Real callers come from authentication, which runs before it.
func middleware() func(http.Handler) http.Handler {
	return idempotency.Middleware(idempotency.NewMemory(nil), idempotency.Options{
		Caller:   func(r *http.Request) (string, error) { return r.Header.Get("Authorization"), nil },
		Failures: idempotency.ReattemptFailures,
	})
}

// routers make the same server with each framework; effects counts what the handler did.
func routers() map[string]func(effects *atomic.Int64) http.Handler {
	return map[string]func(*atomic.Int64) http.Handler{"net/http": withMux, "chi": withChi, "gin": withGin, "echo": withEcho}
}

func withMux(effects *atomic.Int64) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /orders/{ref}", middleware()(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "order %s, effect %d", r.PathValue("ref"), effects.Add(1))
	})))
	return mux
}

func withChi(effects *atomic.Int64) http.Handler {
	router := chi.NewRouter()
	router.With(middleware()).Post("/orders/{ref}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "order %s, effect %d", chi.URLParam(r, "ref"), effects.Add(1))
	})
	return router
}

// withGin guards the whole engine: a handler of gin writes through gin's own writer, so the guard stands outside of it.
func withGin(effects *atomic.Int64) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.POST("/orders/:ref", func(c *gin.Context) {
		c.String(http.StatusCreated, "order %s, effect %d", c.Param("ref"), effects.Add(1))
	})
	return middleware()(engine)
}

func withEcho(effects *atomic.Int64) http.Handler {
	e := echo.New()
	e.POST("/orders/:ref", func(c echo.Context) error {
		return c.String(http.StatusCreated, fmt.Sprintf("order %s, effect %d", c.Param("ref"), effects.Add(1)))
	}, echo.WrapMiddleware(middleware()))
	return e
}
