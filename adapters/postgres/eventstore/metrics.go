package eventstore

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres"
	"frontdesk/projections"
)

// Metrics counts the progress and the stops of consumers. A nil Metrics counts nothing.
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
// behind the log, in events and in seconds. It queries the database each time that metrics
// are collected. An age is the difference between now and the time at which an event was
// recorded, by the clocks of the processes.
func Lag(db projections.Querier, now func() time.Time) prometheus.Collector {
	return &lag{
		db, now,
		prometheus.NewDesc("frontdesk_log_epoch", "Epoch of the log. It grows when the log has lost its end.", nil, nil),
		prometheus.NewDesc("frontdesk_log_head", "Idx of the newest event in the log.", nil, nil),
		prometheus.NewDesc("frontdesk_unsequenced_events", "Events that are stored and not yet in the log; above 100,000 it counts no further.", nil, nil),
		prometheus.NewDesc("frontdesk_unsequenced_age_seconds", "Age of the first event that is stored and not yet in the log; 0 if all are.", nil, nil),
		prometheus.NewDesc("frontdesk_log_gaps", "Positions that the sequencer has passed and that may still be filled.", nil, nil),
		prometheus.NewDesc("frontdesk_feed_offset", "Idx that a consumer has handled, whichever process it ran in.", []string{"consumer"}, nil),
		prometheus.NewDesc("frontdesk_consumer_lag_seconds", "Age of the first event in the log that a consumer has not handled; 0 if it has handled all.", []string{"consumer"}, nil),
	}
}

type lag struct {
	db                                             projections.Querier
	now                                            func() time.Time
	epoch, head, waiting, age, gaps, seen, seenAge *prometheus.Desc
}

// Describe sends the descriptions of the figures.
func (l *lag) Describe(out chan<- *prometheus.Desc) {
	out <- l.epoch
	out <- l.head
	out <- l.waiting
	out <- l.age
	out <- l.gaps
	out <- l.seen
	out <- l.seenAge
}

// lagOf counts the events behind the sequencer and those in gaps, each by index. In one
// condition they would read all events. It stops counting at a backlog that is long anyway,
// so that Postgres does not plan for millions.
const lagOf = `
SELECT epoch, head,
	(SELECT coalesce(sum(upper(g) - lower(g)), 0) FROM unnest(gaps) AS g) + (SELECT coalesce(sum(last - first + 1), 0) FROM old_gaps),
	(SELECT count(*) FROM (SELECT FROM events WHERE position > reached ORDER BY position LIMIT 100000) behind)
	+ (SELECT count(*) FROM (` + filled + `) e),
	least((SELECT recorded_at FROM events WHERE position > reached ORDER BY position LIMIT 1),
		(SELECT min((SELECT recorded_at FROM events WHERE position = e.position)) FROM (` + filled + `) e))
FROM sequencer`

// offsetsOf finds the first event that each consumer has not handled, each by index. Events
// that a consumer does not follow count for a second at most: then it has passed over them.
const offsetsOf = `
SELECT consumer, idx, (SELECT recorded_at FROM events WHERE position = (SELECT position FROM log WHERE idx = o.idx + 1))
FROM feed_offsets o`

// Collect sends the figures, and none if the database does not answer.
func (l *lag) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), postgres.CollectLimit)
	defer cancel()
	var epoch, head, waiting, gaps float64
	var first *time.Time
	if err := l.db.QueryRow(ctx, lagOf).Scan(&epoch, &head, &gaps, &waiting, &first); err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(l.epoch, prometheus.GaugeValue, epoch)
	out <- prometheus.MustNewConstMetric(l.head, prometheus.GaugeValue, head)
	out <- prometheus.MustNewConstMetric(l.waiting, prometheus.GaugeValue, waiting)
	out <- prometheus.MustNewConstMetric(l.age, prometheus.GaugeValue, l.since(first))
	out <- prometheus.MustNewConstMetric(l.gaps, prometheus.GaugeValue, gaps)
	l.offsets(ctx, out)
}

func (l *lag) offsets(ctx context.Context, out chan<- prometheus.Metric) {
	rows, err := l.db.Query(ctx, offsetsOf)
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() {
		var consumer string
		var idx float64
		var first *time.Time
		if rows.Scan(&consumer, &idx, &first) == nil {
			out <- prometheus.MustNewConstMetric(l.seen, prometheus.GaugeValue, idx, consumer)
			out <- prometheus.MustNewConstMetric(l.seenAge, prometheus.GaugeValue, l.since(first), consumer)
		}
	}
}

// since returns the age of an event in seconds. An event recorded by a process whose clock is
// ahead of this one has no age yet.
func (l *lag) since(recorded *time.Time) float64 {
	if recorded == nil {
		return 0
	}
	return max(0, l.now().Sub(*recorded).Seconds())
}

// outcome is the result of a group's commit.
type outcome int

const (
	kept     outcome = iota // it is stored
	refused                 // nothing of it is stored, and its members commit alone
	unknown                 // the connection was lost, or no answer came in time
	conflict                // appends that were left out of a group, because they have lost
	outcomes
)

// String returns the outcome as metrics name it.
func (o outcome) String() string {
	return [outcomes]string{"stored", "refused", "unknown", "conflict"}[o]
}

// Altered counts the appends of stores that the database would have stored otherwise than
// they were sent.
func Altered(stores ...*Store) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "frontdesk_altered_appends_total",
		Help: "Appends that were refused because the database would have stored other events than it was sent, or fewer.",
	}, func() (n float64) {
		for _, s := range stores {
			n += float64(s.Altered.Load())
		}
		return n
	})
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
	batcher          *batcher
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
		counted := &g.batcher.counted[o]
		out <- prometheus.MustNewConstMetric(g.commits, prometheus.CounterValue, float64(counted.groups.Load()), o.String())
		out <- prometheus.MustNewConstMetric(g.appends, prometheus.CounterValue, float64(counted.appends.Load()), o.String())
	}
}
