package retention

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/projections"
)

// Ahead measures the prepared partitions each time the metrics are collected.
func Ahead(db projections.Querier) prometheus.Collector {
	label := []string{"record"}
	return &reach{
		db,
		prometheus.NewDesc("frontdesk_partitions_until_seconds", "Up to when there are partitions, in Unix time; 0 if frontdesk retain was never run.", label, nil),
		prometheus.NewDesc("frontdesk_default_partition_bytes", "Size of the partition for what no other takes. The next frontdesk retain empties it.", label, nil),
	}
}

type reach struct {
	db           projections.Querier
	until, bytes *prometheus.Desc
}

// Describe sends the descriptions of both figures.
func (r *reach) Describe(out chan<- *prometheus.Desc) {
	out <- r.until
	out <- r.bytes
}

const askLimit = 2 * time.Second // for one look

const reached = `
SELECT name, coalesce((SELECT max(substring(pg_get_expr(relpartbound, inhrelid) FROM 'TO \(''([^'']+)')) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
	WHERE inhparent = to_regclass(name) AND relname <> name || '_strayed'), '00000000-0000-0000-0000-000000000000')::uuid, pg_relation_size(to_regclass(name || '_default'))
FROM unnest($1::text[]) AS name`

// Collect sends both figures for each record; none if the database does not answer.
func (r *reach) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	var names []string
	for _, rec := range records {
		names = append(names, rec.table)
	}
	rows, _ := r.db.Query(ctx, reached, names)
	type looked struct {
		Name  string
		Until uuid.UUID
		Bytes float64
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[looked])
	if err != nil {
		return
	}
	for _, l := range found {
		until := 0.0
		if l.Until != uuid.Nil {
			until = float64(InstantOf(l.Until).Unix())
		}
		out <- prometheus.MustNewConstMetric(r.until, prometheus.GaugeValue, until, l.Name)
		out <- prometheus.MustNewConstMetric(r.bytes, prometheus.GaugeValue, l.Bytes, l.Name)
	}
}
