package main

import (
	"net/http"

	"github.com/gofiber/fiber/v3"
	fiberidempotency "github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/valyala/fasthttp"
)

// peers measures fiber's own middleware in the same way, over fiber's own bare handler.
func peers(s *settings) error {
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
	s.compareHandlers("fiber, its own storage", []candidate{
		{"bare handler", serveFiber(app(false), true)},
		{"first request, growing", serveFiber(app(true), true)},
		{"replay", serveFiber(app(true), false)},
	})
	return nil
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
