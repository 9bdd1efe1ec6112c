package main

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v3"
	fiberidempotency "github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/valyala/fasthttp"
)

// peers measures fiber's own middleware in the same way, over fiber's own bare handler.
func peers(s *settings) error {
	handler := func(c fiber.Ctx) error {
		c.Set("Content-Type", "application/json")
		return c.Status(http.StatusCreated).Send(answer.Body)
	}
	app := func(guarded bool) fasthttp.RequestHandler {
		a := fiber.New()
		if guarded {
			a.Use(fiberidempotency.New())
		}
		a.Post("/charges", handler)
		return a.Handler()
	}
	bare := testing.Benchmark(func(b *testing.B) { serveFiber(b, app(false), true) })
	fmt.Fprintf(s.out, "%-28s %8s %8s   over bare\n", "fiber, its own storage", "ns/op", "allocs")
	for _, row := range []struct {
		name string
		r    testing.BenchmarkResult
	}{
		{"bare handler", bare},
		{"guarded, first request", testing.Benchmark(func(b *testing.B) { serveFiber(b, app(true), true) })},
		{"guarded, replay", testing.Benchmark(func(b *testing.B) { serveFiber(b, app(true), false) })},
	} {
		fmt.Fprintf(s.out, "%-28s %8d %8d   %+d ns, %+d allocs\n", row.name, row.r.NsPerOp(), row.r.AllocsPerOp(), row.r.NsPerOp()-bare.NsPerOp(), row.r.AllocsPerOp()-bare.AllocsPerOp())
	}
	return nil
}

func serveFiber(b *testing.B, h fasthttp.RequestHandler, fresh bool) {
	b.Helper()
	b.ReportAllocs()
	keys := newKeys(b.N, fresh)
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod(http.MethodPost)
	ctx.Request.SetRequestURI("/charges")
	ctx.Request.Header.SetContentType("application/json")
	ctx.Request.SetBodyString(`{"amount":1000,"currency":"eur","source":"card_0123456789"}`)
	b.ResetTimer()
	for i := range b.N {
		key := keys(i)
		for len(key) < 36 { // what fiber takes for a key
			key += "x"
		}
		ctx.Request.Header.Set("X-Idempotency-Key", key[:36])
		ctx.Response.Reset()
		h(&ctx)
		if ctx.Response.StatusCode() != http.StatusCreated {
			b.Fatalf("status %d: %s", ctx.Response.StatusCode(), ctx.Response.Body())
		}
	}
}
