package postgres

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/projections"
)

// Metrics counts what the feed does. A nil Metrics counts nothing.
type Metrics struct {
	idx   *prometheus.GaugeVec
	stops *prometheus.CounterVec
}

// NewMetrics registers the feed's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		idx: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "frontdesk_consumer_idx",
			Help: "Idx of the newest event that a consumer of this process has handled.",
		}, []string{"consumer"}),
		stops: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_consumer_stops_total",
			Help: "Times a consumer stopped at an event that it could not handle.",
		}, []string{"consumer"}),
	}
	registry.MustRegister(m.idx, m.stops)
	return m
}

func (m *Metrics) handled(consumer string, idx int64) {
	if m != nil {
		m.idx.WithLabelValues(consumer).Set(float64(idx))
	}
}

func (m *Metrics) stopped(consumer string) {
	if m != nil {
		m.stops.WithLabelValues(consumer).Inc()
	}
}

// Lag measures how far the log is behind the appends, and each consumer of the feed
// behind the log. It asks the database each time that metrics are collected.
func Lag(db projections.Querier) prometheus.Collector {
	return &lag{
		db,
		prometheus.NewDesc("frontdesk_log_epoch", "Epoch of the log. It grows when the log has lost its end.", nil, nil),
		prometheus.NewDesc("frontdesk_log_head", "Idx of the newest event in the log.", nil, nil),
		prometheus.NewDesc("frontdesk_unsequenced_events", "Events that are stored and not yet in the log; above 100,000 it counts no further.", nil, nil),
		prometheus.NewDesc("frontdesk_log_gaps", "Positions that the sequencer has passed and that may still be filled.", nil, nil),
		prometheus.NewDesc("frontdesk_feed_offset", "Idx that a consumer has handled, whichever process it ran in.", []string{"consumer"}, nil),
	}
}

type lag struct {
	db                               projections.Querier
	epoch, head, waiting, gaps, seen *prometheus.Desc
}

// Describe sends the descriptions of the figures.
func (l *lag) Describe(out chan<- *prometheus.Desc) {
	out <- l.epoch
	out <- l.head
	out <- l.waiting
	out <- l.gaps
	out <- l.seen
}

// lagLimit is the time that one collection may take.
const lagLimit = 2 * time.Second

// lagOf counts what is behind the sequencer's place and what has come into a gap, each
// by index. In one condition they would read all events. It counts no further than a
// backlog that is long anyway, so that Postgres does not prepare for millions.
const lagOf = `
SELECT epoch, head,
	(SELECT coalesce(sum(upper(g) - lower(g)), 0) FROM unnest(gaps) AS g) + (SELECT coalesce(sum(last - first + 1), 0) FROM old_gaps),
	(SELECT count(*) FROM (SELECT FROM events WHERE position > reached ORDER BY position LIMIT 100000) behind)
	+ (SELECT count(*) FROM (` + filled + `) e)
FROM sequencer`

// Collect sends the figures, and none if the database cannot be asked.
func (l *lag) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagLimit)
	defer cancel()
	var epoch, head, waiting, gaps float64
	if err := l.db.QueryRow(ctx, lagOf).Scan(&epoch, &head, &gaps, &waiting); err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(l.epoch, prometheus.GaugeValue, epoch)
	out <- prometheus.MustNewConstMetric(l.head, prometheus.GaugeValue, head)
	out <- prometheus.MustNewConstMetric(l.waiting, prometheus.GaugeValue, waiting)
	out <- prometheus.MustNewConstMetric(l.gaps, prometheus.GaugeValue, gaps)
	l.offsets(ctx, out)
}

func (l *lag) offsets(ctx context.Context, out chan<- prometheus.Metric) {
	rows, err := l.db.Query(ctx, `SELECT consumer, idx FROM feed_offsets`)
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

// Groups counts the appends of a store that came in groups (D60).
func Groups(store *Store) prometheus.Collector {
	return &groups{
		&store.batcher,
		prometheus.NewDesc("frontdesk_append_groups_total", "Transactions that several appends were to share. Of a refused one nothing is stored, and its appends are made one by one.", []string{"outcome"}, nil),
		prometheus.NewDesc("frontdesk_grouped_appends_total", "Appends in these groups. In conflict are those that were left out, because another append to their stream came first.", []string{"outcome"}, nil),
	}
}

type groups struct {
	of               *batcher
	commits, appends *prometheus.Desc
}

// Describe sends the descriptions of the figures.
func (g *groups) Describe(out chan<- *prometheus.Desc) {
	out <- g.commits
	out <- g.appends
}

// Collect sends the figures.
func (g *groups) Collect(out chan<- prometheus.Metric) {
	for o := range outcomes {
		counted := &g.of.counted[o]
		out <- prometheus.MustNewConstMetric(g.commits, prometheus.CounterValue, float64(counted.groups.Load()), o.String())
		out <- prometheus.MustNewConstMetric(g.appends, prometheus.CounterValue, float64(counted.appends.Load()), o.String())
	}
}
