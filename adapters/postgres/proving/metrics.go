package proving

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/domain/proof"
	"frontdesk/projections"
)

// Reached measures the positions of the trees, and how long leaves have waited for a tree
// and for a checkpoint, each time the metrics are collected.
func Reached(db projections.Querier, now func() time.Time) prometheus.Collector {
	return &reach{
		db, now,
		prometheus.NewDesc("frontdesk_prover_idx", "Idx of the newest leaf in the trees.", []string{"kind"}, nil),
		prometheus.NewDesc("frontdesk_checkpoint_age_seconds",
			"For how long the oldest leaf without a signed checkpoint has been recorded; 0 if each has one. There is none before the first checkpoint.", []string{"kind"}, nil),
		prometheus.NewDesc("frontdesk_prover_lag_seconds",
			"For how long the first leaf that is not in the trees has been recorded; 0 if all are. Absent before the first tree.", []string{"kind"}, nil),
	}
}

type reach struct {
	db            projections.Querier
	now           func() time.Time
	idx, age, lag *prometheus.Desc
}

// Describe sends the descriptions of the metrics.
func (r *reach) Describe(out chan<- *prometheus.Desc) {
	out <- r.idx
	out <- r.age
	out <- r.lag
}

const askLimit = 2 * time.Second // for one look

// waiting is the position of a kind, whether any of it was signed, and the first idx
// without a checkpoint: at most 255 leaves too early.
const waiting = `
SELECT kind, idx, EXISTS (SELECT FROM checkpoints WHERE kind = p.kind), (
	SELECT min(coalesce(
		(SELECT first_idx FROM tree_tail WHERE tenant = t.tenant AND kind = t.kind AND n <= signed ORDER BY n DESC LIMIT 1),
		(SELECT first_idx FROM tree_tiles WHERE tenant = t.tenant AND kind = t.kind AND n = signed / 256)))
	FROM trees t CROSS JOIN LATERAL (SELECT coalesce(
		(SELECT c.size FROM checkpoints c WHERE c.tenant = t.tenant AND c.kind = t.kind ORDER BY epoch DESC, day DESC LIMIT 1), 0) AS signed) newest
	WHERE t.kind = p.kind AND t.size > signed)
FROM prover p`

// Collect sends the figures; none if the database does not answer.
func (r *reach) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	rows, _ := r.db.Query(ctx, waiting)
	type looked struct {
		Kind   proof.Kind
		Idx    int64
		Signed bool
		Waits  *int64
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[looked])
	if err != nil {
		return
	}
	for _, l := range found {
		out <- prometheus.MustNewConstMetric(r.idx, prometheus.GaugeValue, float64(l.Idx), l.Kind.String())
		if age, ok := r.ageOf(ctx, l.Kind, l.Waits); ok && l.Signed {
			out <- prometheus.MustNewConstMetric(r.age, prometheus.GaugeValue, age.Seconds(), l.Kind.String())
		}
		if l.Idx > 0 {
			next := l.Idx + 1
			age, _ := r.ageOf(ctx, l.Kind, &next) // none: nothing is behind
			out <- prometheus.MustNewConstMetric(r.lag, prometheus.GaugeValue, age.Seconds(), l.Kind.String())
		}
	}
}

// ageOf returns the age of an idx; 0 for none.
func (r *reach) ageOf(ctx context.Context, kind proof.Kind, idx *int64) (time.Duration, bool) {
	if idx == nil {
		return 0, true
	}
	for _, from := range Sources() {
		var at time.Time
		if from.Kind == kind && r.db.QueryRow(ctx, from.At, *idx).Scan(&at) == nil {
			return max(0, r.now().Sub(at)), true
		}
	}
	return 0, false
}
