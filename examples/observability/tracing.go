package main

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// tracing makes one span for each call and, below it, one for each attempt, as the semantic conventions for HTTP clients
// ask (opentelemetry.io/docs/specs/semconv/http/http-spans): a resent request carries http.request.resend_count.
type tracing struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// attempts is what the hook remembers of a call between its events.
type attempts struct {
	start time.Time // of the attempt that comes
}

type attemptsKey struct{}

// call is the middleware around a whole call. The server is told the call's span, which all attempts share.
func (t tracing) call(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		ctx, span := t.tracer.Start(r.Context(), "call", trace.WithSpanKind(trace.SpanKindInternal))
		defer span.End()
		r = r.Clone(context.WithValue(ctx, attemptsKey{}, &attempts{start: time.Now()}))
		t.propagator.Inject(ctx, propagation.HeaderCarrier(r.Header))
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// hook turns the transport's events into spans. It is told of an attempt when the attempt is over.
func (t tracing) hook(ctx context.Context, event transport.Event) {
	state, _ := ctx.Value(attemptsKey{}).(*attempts)
	if state == nil {
		return
	}
	now := time.Now()
	span := trace.SpanFromContext(ctx)
	switch event.Kind {
	case transport.EventAttempt:
		t.attempt(ctx, event, state.start, now)
	case transport.EventRetry:
		state.start = now.Add(event.Wait)
	case transport.EventGiveUp:
		span.SetName(event.Operation)
		span.SetStatus(codes.Error, string(event.Reason))
	case transport.EventSuccess:
		span.SetName(event.Operation)
	}
}

func (t tracing) attempt(ctx context.Context, event transport.Event, start, end time.Time) {
	attributes := []attribute.KeyValue{
		attribute.String("http.request.method", event.Method),
		attribute.String("server.address", event.Host),
	}
	if event.Attempt > 1 {
		attributes = append(attributes, attribute.Int("http.request.resend_count", event.Attempt-1))
	}
	if event.StatusCode != 0 {
		attributes = append(attributes, attribute.Int("http.response.status_code", event.StatusCode))
	}
	_, span := t.tracer.Start(ctx, event.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(start), trace.WithAttributes(attributes...))
	switch {
	case event.Err != nil:
		span.SetAttributes(attribute.String("error.type", event.Class.String()))
		span.SetStatus(codes.Error, event.Err.Error())
	case event.StatusCode >= http.StatusBadRequest:
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(event.StatusCode)))
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(end))
}
