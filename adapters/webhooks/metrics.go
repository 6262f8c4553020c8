package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/domain/application"
)

// Metrics counts what happens to webhooks. A nil Metrics counts nothing.
type Metrics struct {
	ended       *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	age         *prometheus.HistogramVec
	inFlight    prometheus.Gauge
	lanes, full prometheus.Gauge
	connections *prometheus.CounterVec
	parkings    prometheus.Counter
	failing     failing
}

// NewMetrics registers the metrics of webhooks.
func NewMetrics(registry prometheus.Registerer, now func() time.Time) *Metrics {
	seconds := prometheus.ExponentialBuckets(0.001, 2, 15)
	m := &Metrics{
		failing: failing{now: now, inARow: map[uuid.UUID]failures{}},
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_webhook_deliveries_total",
			Help: "Deliveries by how this process saw them end, and why those that failed did.",
		}, []string{"event", "status", "reason"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "frontdesk_webhook_seconds", Help: "Attempts, from their first step to the end of the answer.", Buckets: seconds,
		}, []string{"event"}),
		age: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "frontdesk_webhook_age_seconds", Help: "Age of events when an attempt to tell of them ended.", Buckets: append(seconds, 30, 60, 300),
		}, []string{"event"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_webhook_in_flight", Help: "Deliveries that this process is sending.",
		}),
		lanes: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_webhook_lanes", Help: "Destinations for which this process has claimed deliveries.",
		}),
		full: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "frontdesk_webhook_lanes_full", Help: "Destinations to which this process sends as much at once as it may.",
		}),
		connections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_webhook_connections_total", Help: "Attempts by whether they could use a connection again.",
		}, []string{"reused"}),
		parkings: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "frontdesk_webhook_parked_events_total", Help: "Events that could not be fanned out and were put aside.",
		}),
	}
	most := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_webhook_in_flight_max", Help: "Most deliveries that a process sends at once.",
	})
	most.Set(overAll)
	failing := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "frontdesk_webhook_failing_receivers", Help: "Receivers at which the last five attempts of this process or more have failed.",
	}, m.failing.receivers)
	registry.MustRegister(failing, m.ended, m.seconds, m.age, m.inFlight, most, m.lanes, m.full, m.connections, m.parkings)
	return m
}

func (m *Metrics) counted(kind application.WebhookEvent, status Status, reason Reason) {
	if m != nil {
		m.ended.WithLabelValues(string(kind), string(status), string(reason)).Inc()
	}
}

func (m *Metrics) attempted(o outcome) {
	if m != nil {
		m.failing.ended(o)
	}
}

func (m *Metrics) took(kind application.WebhookEvent, happened, ended time.Time, took time.Duration) {
	if m != nil {
		m.seconds.WithLabelValues(string(kind)).Observe(took.Seconds())
		m.age.WithLabelValues(string(kind)).Observe(ended.Sub(happened).Seconds())
	}
}

func (m *Metrics) setLanes(l *lanes) {
	if m != nil {
		m.inFlight.Set(float64(l.inFlight))
		m.lanes.Set(float64(len(l.to)))
		m.full.Set(float64(l.full))
	}
}

func (m *Metrics) connected(reused bool) {
	if m != nil {
		m.connections.WithLabelValues(map[bool]string{true: "yes", false: "no"}[reused]).Inc()
	}
}

func (m *Metrics) parked() {
	if m != nil {
		m.parkings.Inc()
	}
}

// Queue measures the backlog of all processes each time the metrics are collected.
func Queue(db *pgxpool.Pool, now func() time.Time) prometheus.Collector {
	label := []string{"event"}
	return &queue{db, now,
		prometheus.NewDesc("frontdesk_webhook_queue", "Deliveries that wait to be sent.", label, nil),
		prometheus.NewDesc("frontdesk_webhook_queue_age_seconds", "Age of the oldest delivery that waits to be sent.", label, nil),
	}
}

type queue struct {
	db             *pgxpool.Pool
	now            func() time.Time
	length, oldest *prometheus.Desc
}

// Describe sends the descriptions of both figures.
func (q *queue) Describe(out chan<- *prometheus.Desc) {
	out <- q.length
	out <- q.oldest
}

const askLimit = 2 * time.Second // for one look at the queue

// Collect sends both figures for each kind with a backlog. It sends none if the
// database does not answer.
func (q *queue) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	rows, _ := q.db.Query(ctx, `SELECT kind, count(*), min(happened_at) FROM deliveries WHERE status = 'pending' GROUP BY kind`)
	type waiting struct {
		Kind   string
		Count  int64
		Oldest time.Time
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[waiting])
	if err != nil {
		return
	}
	now := q.now()
	for _, w := range found {
		out <- prometheus.MustNewConstMetric(q.length, prometheus.GaugeValue, float64(w.Count), w.Kind)
		out <- prometheus.MustNewConstMetric(q.oldest, prometheus.GaugeValue, now.Sub(w.Oldest).Seconds(), w.Kind)
	}
}
