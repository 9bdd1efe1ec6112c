package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/retrysafe/retrysafe/server/idempotency"
)

// serverMetrics counts what the idempotency middleware does. Alert on kind lost, unknown, orphaned and store_error:
// they are the ones that a person has to look at.
type serverMetrics struct {
	events   *prometheus.CounterVec
	duration *prometheus.HistogramVec
	waiting  *prometheus.HistogramVec
}

func newServerMetrics(registry prometheus.Registerer) *serverMetrics {
	m := &serverMetrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "idempotency", Name: "events_total", Help: "What happened to keyed requests and their records.",
		}, []string{"operation", "kind"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "idempotency", Name: "request_seconds", Help: "How long claimed requests took.",
		}, []string{"operation"}),
		waiting: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "idempotency", Name: "in_progress_age_seconds", Help: "How old a claim was when a rival met it.",
		}, []string{"operation"}),
	}
	registry.MustRegister(m.events, m.duration, m.waiting)
	return m
}

// hook is the middleware's hook.
func (m *serverMetrics) hook(_ context.Context, event idempotency.Event) {
	m.events.WithLabelValues(event.Operation, string(event.Kind)).Add(float64(max(1, event.Count)))
	switch event.Kind { //nolint:exhaustive // the others have no duration
	case idempotency.EventCompleted:
		m.duration.WithLabelValues(event.Operation).Observe(event.Age.Seconds())
	case idempotency.EventInProgress:
		m.waiting.WithLabelValues(event.Operation).Observe(event.Age.Seconds())
	}
}
