package main

import (
	"net/http"

	"github.com/gofiber/fiber/v3"
	fiberidempotency "github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/valyala/fasthttp"
)

// absent says which peer the table lacks, and why.
const absent = "goceleris/celeris is not in the table: it cannot be built here, since the Go module proxy answers 403 (\"This module version is " +
	"not available\") for `github.com/goceleris/celeris`."

// peers is fiber's own middleware, over fiber's own bare handler and its own storage.
func peers() []candidate {
	app := func(guarded bool) fasthttp.RequestHandler {
		a := fiber.New()
		if guarded {
			a.Use(fiberidempotency.New())
		}
		a.Post("/charges", func(c fiber.Ctx) error {
			c.Set("Content-Type", "application/json")
			return c.Status(http.StatusCreated).Send(answer.Body)
		})
		return a.Handler()
	}
	return []candidate{
		{"fiber, bare handler", serveFiber(app(false), true)},
		{"fiber, first request, growing", serveFiber(app(true), true)},
		{"fiber, replay", serveFiber(app(true), false)},
	}
}

func serveFiber(h fasthttp.RequestHandler, fresh bool) func(n int) func() {
	return func(n int) func() {
		keys := newKeys(n, fresh)
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod(http.MethodPost)
		ctx.Request.SetRequestURI("/charges")
		ctx.Request.Header.SetContentType("application/json")
		ctx.Request.SetBodyString(`{"amount":1000,"currency":"eur","source":"card_0123456789"}`)
		return func() {
			for i := range n {
				ctx.Request.Header.Set("X-Idempotency-Key", keys(i))
				ctx.Response.Reset()
				h(&ctx)
			}
		}
	}
}
