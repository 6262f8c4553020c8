package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"frontdesk/adapters/postgres"
)

// operations is the private listener: for whoever runs the service.
func (a *App) operations() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{Registry: a.registry}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", a.ready)
	return mux
}

const lookLimit = 2 * time.Second

// ready says whether calls would be served: the database answers, and its
// schema is this program's, or newer in the middle of a rolling upgrade. How far
// the feed lags behind is a metric.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), lookLimit)
	defer cancel()
	err := postgres.CheckSchema(ctx, a.background)
	if schema, ok := errors.AsType[*postgres.SchemaError](err); ok && schema.Ahead() {
		err = nil
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, "ready")
}

// lag measures the way from an append to the log, when somebody asks.
func (e *Engine) lag() prometheus.Collector {
	return &lag{e,
		prometheus.NewDesc("frontdesk_log_head", "Idx of the newest event in the log.", nil, nil),
		prometheus.NewDesc("frontdesk_unsequenced_events", "Events that are stored and not yet in the log.", nil, nil),
		prometheus.NewDesc("frontdesk_log_gaps", "Positions that the sequencer has passed and that may still be filled.", nil, nil),
		prometheus.NewDesc("frontdesk_feed_offset", "Idx that a consumer has handled, whichever process it ran in.", []string{"consumer"}, nil),
	}
}

type lag struct {
	engine                    *Engine
	head, waiting, gaps, seen *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (l *lag) Describe(out chan<- *prometheus.Desc) {
	out <- l.head
	out <- l.waiting
	out <- l.gaps
	out <- l.seen
}

const lagOf = `
SELECT head, cardinality(gaps), (SELECT count(*) FROM events WHERE position = ANY (gaps) OR position > reached)
FROM sequencer`

// Collect implements [prometheus.Collector]. A database that cannot be asked
// leaves the figures out.
func (l *lag) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	var head, waiting, gaps float64
	if err := l.engine.background.QueryRow(ctx, lagOf).Scan(&head, &gaps, &waiting); err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(l.head, prometheus.GaugeValue, head)
	out <- prometheus.MustNewConstMetric(l.waiting, prometheus.GaugeValue, waiting)
	out <- prometheus.MustNewConstMetric(l.gaps, prometheus.GaugeValue, gaps)
	l.offsets(ctx, out)
}

func (l *lag) offsets(ctx context.Context, out chan<- prometheus.Metric) {
	rows, err := l.engine.background.Query(ctx, `SELECT consumer, idx FROM feed_offsets`)
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() {
		var consumer string
		var idx float64
		if rows.Scan(&consumer, &idx) == nil {
			out <- prometheus.MustNewConstMetric(l.seen, prometheus.GaugeValue, idx, consumer)
		}
	}
}
