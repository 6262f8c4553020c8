package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/projections"
)

// KeyAges says since when the service's keys have been what they are, each time that the
// metrics are collected.
func KeyAges(db projections.Querier) prometheus.Collector {
	return &keyAges{
		db,
		prometheus.NewDesc("frontdesk_signing_key_since_timestamp_seconds",
			"Since when the oldest key for webhooks that is in a state has been in it.", []string{"state"}, nil),
		prometheus.NewDesc("frontdesk_master_key_since_timestamp_seconds", "Since when the master key is the one that it is. There is none before anything was sealed.", nil, nil),
	}
}

type keyAges struct {
	db              projections.Querier
	signing, master *prometheus.Desc
}

// Describe sends the descriptions of both figures.
func (k *keyAges) Describe(out chan<- *prometheus.Desc) {
	out <- k.signing
	out <- k.master
}

const keysSince = `
SELECT '', since FROM master_keys WHERE replaced_at IS NULL
UNION ALL SELECT state, min(since) FROM signing_keys WHERE state <> 'retired' GROUP BY state`

// Collect sends the figures, and none if the database cannot be asked.
func (k *keyAges) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagLimit)
	defer cancel()
	rows, _ := k.db.Query(ctx, keysSince)
	type life struct {
		State string // "" is the master key
		Since time.Time
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[life])
	if err != nil {
		return
	}
	for _, l := range found {
		since := float64(l.Since.Unix())
		if l.State == "" {
			out <- prometheus.MustNewConstMetric(k.master, prometheus.GaugeValue, since)
			continue
		}
		out <- prometheus.MustNewConstMetric(k.signing, prometheus.GaugeValue, since, l.State)
	}
}
