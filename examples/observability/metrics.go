package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/retrysafe/retrysafe/sdk/transport"
)

// metrics counts what the transport does. Keys are no label: each of them occurs once.
type metrics struct {
	attempts *prometheus.CounterVec
	retries  *prometheus.CounterVec
	calls    *prometheus.CounterVec
	budget   prometheus.Gauge
	refused  prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "shop_client", Name: name, Help: help}, labels)
		registry.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "shop_client", Name: name, Help: help})
		registry.MustRegister(g)
		return g
	}
	return &metrics{
		attempts: counter("attempts_total", "Requests sent, by how they ended.", "operation", "class"),
		retries:  counter("retries_total", "Attempts after the first, by what made them necessary.", "operation", "cause"),
		calls:    counter("calls_total", "Calls, by why they ended: success, or the reason for giving up.", "operation", "end"),
		budget:   gauge("retry_budget", "Tokens left in the retry budget."),
		refused:  gauge("retries_refused", "Retries that the budget has refused since the start."),
	}
}

// hook is the transport's hook.
func (m *metrics) hook(_ context.Context, event transport.Event) {
	switch event.Kind {
	case transport.EventAttempt:
		m.attempts.WithLabelValues(event.Operation, event.Class.String()).Inc()
	case transport.EventRetry:
		m.retries.WithLabelValues(event.Operation, event.Class.String()).Inc()
	case transport.EventGiveUp:
		m.calls.WithLabelValues(event.Operation, string(event.Reason)).Inc()
	case transport.EventSuccess:
		m.calls.WithLabelValues(event.Operation, "success").Inc()
	}
	m.budget.Set(float64(event.Budget.Available))
	m.refused.Set(float64(event.Budget.Refused))
}
