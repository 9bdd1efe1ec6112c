package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/retrysafe/retrysafe/examples/internal/exampletest"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/retrytest"
)

func TestRun(t *testing.T) {
	output := exampletest.Run(t, exampletest.Shop(t, shop.Options{}), run)
	for _, want := range []string{
		"span POST http.request.method=POST http.response.status_code=504 error.type=504\n",
		"span POST http.request.method=POST http.request.resend_count=1 error.type=outcome unknown\n",
		"span POST http.request.method=POST http.request.resend_count=2 http.response.status_code=201\n",
		"span createOrder\n",
		`shop_client_attempts_total{class="success",operation="createOrder"} 1`,
		`shop_client_retries_total{cause="outcome unknown",operation="createOrder"} 2`,
		`shop_client_calls_total{end="success",operation="createOrder"} 1`,
		"shop_client_retry_budget ",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("no %q in:\n%s", want, output)
		}
	}
}

// The spans of the attempts lie inside the call's, in turn, and the server is told of the call's.
func TestSpansOfACallThatFails(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("test")
	tracing := tracing{tracer: tracer, propagator: propagation.TraceContext{}}
	registry := prometheus.NewRegistry()
	metrics := newMetrics(registry)
	script := retrytest.NewTransport(retrytest.Answer(503), retrytest.Reset(), retrytest.Answer(503))
	client, err := sdk.New(sdk.WithBaseURL("http://shop.example"), sdk.WithBearerToken("t"), sdk.WithLogger(nil), sdk.WithTransport(script),
		sdk.WithMiddleware(tracing.call), sdk.WithHook(tracing.hook))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Orders.Get(t.Context(), "ord_1", sdk.GetOrderParams{}, sdk.WithHook(metrics.hook))
	if err == nil {
		t.Fatal("no error")
	}
	_, err = client.Orders.Get(t.Context(), "ord_1", sdk.GetOrderParams{})
	if failed, ok := errors.AsType[*sdk.Error](err); !ok || failed.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("%v, want a 503", err)
	}
	ended := spans.Ended()
	call := ended[len(ended)-1]
	if call.Name() != "getOrder" || call.Status().Code != codes.Error || call.Status().Description != "attempts" {
		t.Errorf("the call's span: %s %v", call.Name(), call.Status())
	}
	last := time.Time{}
	for _, span := range ended[len(ended)-4 : len(ended)-1] {
		if span.Parent().SpanID() != call.SpanContext().SpanID() || span.StartTime().Before(last) || span.Status().Code != codes.Error {
			t.Errorf("span %s from %v: %v", span.Name(), span.StartTime(), span.Status())
		}
		last = span.EndTime()
	}
	if got := script.Requests()[0].Header.Get("Traceparent"); got == "" {
		t.Error("no traceparent was sent")
	}
	if got := testutil.ToFloat64(metrics.calls.WithLabelValues("getOrder", "attempts")); got != 1 {
		t.Errorf("%v calls given up, want 1", got)
	}
}

// Three requests under one key and one under the same key with another body: one effect, two replays, one mismatch.
func TestServerMetrics(t *testing.T) {
	metrics := newServerMetrics(prometheus.NewRegistry())
	server := exampletest.Shop(t, shop.Options{Events: metrics.hook})
	client, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithBearerToken("t"), sdk.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	body := sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	}
	if _, err := client.Orders.Create(t.Context(), body, sdk.WithIdempotencyKey("k"), sdk.WithHeader(shop.FaultHeader, "drop-after")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Orders.Create(t.Context(), body, sdk.WithIdempotencyKey("k")); err != nil {
		t.Fatal(err)
	}
	other, err := sdk.New(sdk.WithBaseURL(server.URL), sdk.WithBearerToken("t"), sdk.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	body.OrderRef = "web-2"
	if _, err := other.Orders.Create(t.Context(), body, sdk.WithIdempotencyKey("k")); err == nil {
		t.Fatal("a key was used for two requests")
	}
	for kind, want := range map[string]float64{"claimed": 1, "completed": 1, "replayed": 2, "mismatch": 1} {
		if got := testutil.ToFloat64(metrics.events.WithLabelValues("createOrder /v1/orders", kind)); got != want {
			t.Errorf("%v %s, want %v", got, kind, want)
		}
	}
}
