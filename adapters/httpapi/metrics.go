package httpapi

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/tracing"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// Metrics counts calls. A nil Metrics counts nothing.
type Metrics struct {
	inFlight prometheus.Gauge
	duration *prometheus.HistogramVec
	refusals *prometheus.CounterVec
	unknown  *prometheus.CounterVec
}

// NewMetrics registers the API's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_calls_in_flight",
			Help: "Calls of the Transactional API that have begun to arrive and are not answered yet.",
		}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "frontdesk_call_seconds",
			Help:    "Calls of the Transactional API, from their first byte to their answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14),
		}, []string{"endpoint", "status"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_call_refusals_total",
			Help: "Calls refused before their input was read, by the code they were answered with.",
		}, []string{"endpoint", "code"}),
		unknown: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_call_unknown_fields_total",
			Help: "Calls answered 200 whose input had fields that the contract does not know.",
		}, []string{"endpoint"}),
	}
	registry.MustRegister(m.inFlight, m.duration, m.refusals, m.unknown)
	return m
}

// began counts a call until end is called.
func (m *Metrics) began() (end func()) {
	if m == nil {
		return func() {}
	}
	m.inFlight.Inc()
	return m.inFlight.Dec
}

func (m *Metrics) warned(endpoint application.EndpointName) {
	if m != nil {
		m.unknown.WithLabelValues(string(endpoint)).Inc()
	}
}

func (m *Metrics) judged(endpoint application.EndpointName, err error) {
	if f, ok := errors.AsType[*fault.Error](err); ok && m != nil {
		m.refusals.WithLabelValues(string(endpoint), f.Code).Inc()
	}
}

// measured times and logs calls of an endpoint, and makes their spans.
func (a *API) measured(endpoint application.EndpointName, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.Metrics.began()()
		start, seen := a.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		r, span := a.Traces.Call(r, callOf(r.Context()).request, string(endpoint))
		status := http.StatusInternalServerError // if it panics
		defer func() { endSpan(span, callOf(r.Context()), status) }()
		next.ServeHTTP(seen, r)
		status = seen.status
		took := a.Now().Sub(start)
		if a.Metrics != nil {
			a.Metrics.duration.WithLabelValues(string(endpoint), strconv.Itoa(seen.status)).Observe(took.Seconds())
		}
		a.logCall(r, endpoint, seen.status, took)
	})
}

// endSpan ends the span of a call. The caller is known once it is proven.
func endSpan(span tracing.Span, c *call, status int) {
	span.Number("http.response.status_code", status)
	span.Text("frontdesk.code", c.line.code())
	if by := c.by.Load(); by != nil {
		span.Text("frontdesk.tenant", by.tenant)
		span.Text("frontdesk.application", by.application.String())
	}
	span.End(status >= http.StatusInternalServerError)
}

// statusWriter stores the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader stores the status and passes it on.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer that [http.ResponseController] reaches.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
