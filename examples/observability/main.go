// Command observability turns the transport's hook into OpenTelemetry spans and Prometheus metrics. It is a module of
// its own, so that neither library reaches anyone who does not want it.
package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/retrysafe/retrysafe/examples/internal/example"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/transport"
)

func main() { example.Main(run) }

// run makes a call that needs three attempts and prints its spans and what was counted.
func run(ctx context.Context, baseURL string, out io.Writer) error {
	spans := tracetest.NewSpanRecorder() // a program has an exporter here
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	registry := prometheus.NewRegistry()

	tracing := tracing{tracer: provider.Tracer("shop"), propagator: propagation.TraceContext{}}
	metrics := newMetrics(registry)
	client, err := sdk.New(
		sdk.WithBaseURL(baseURL), sdk.WithBearerToken("demo"), sdk.WithLogger(nil),
		sdk.WithMiddleware(tracing.call),
		sdk.WithHook(func(ctx context.Context, event transport.Event) {
			tracing.hook(ctx, event)
			metrics.hook(ctx, event)
		}),
	)
	if err != nil {
		return err
	}
	_, err = client.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: "web-1", CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 1}},
	}, sdk.WithHeader(shop.FaultHeader, "504-after, reset-before"))
	if err != nil {
		return err
	}
	for _, span := range spans.Ended() {
		var attributes []string
		for _, a := range span.Attributes() {
			if a.Key != "server.address" {
				attributes = append(attributes, string(a.Key)+"="+a.Value.String())
			}
		}
		fmt.Fprintln(out, strings.TrimSpace("span "+span.Name()+" "+strings.Join(attributes, " ")))
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(out, family); err != nil {
			return err
		}
	}
	return nil
}
