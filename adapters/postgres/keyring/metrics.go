package keyring

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres"
	"frontdesk/projections"
)

// Ages measures since when the service's keys are in their state, each time that the metrics
// are collected.
func Ages(db projections.Querier) prometheus.Collector {
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

// Collect sends the figures, and none if the database does not answer.
func (k *keyAges) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), postgres.CollectLimit)
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

// Metrics counts the keys of a keyring by their use. They name no holder.
func Metrics(k *Keyring) []prometheus.Collector {
	counter := func(name, help string, n *atomic.Int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(n.Load()) })
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "frontdesk_keys_in_memory", Help: "Keys of persons and requests that this process remembers."},
			func() float64 { return float64(k.known.held()) }),
		counter("frontdesk_keys_remembered_total", "Times a key that was needed was in memory.", &k.known.hits),
		counter("frontdesk_keys_fetched_total", "Keys that were fetched from the database.", &k.counted.fetched),
		counter("frontdesk_keys_minted_total", "Keys that were made for new persons and requests.", &k.counted.minted),
		counter("frontdesk_keys_lost_total", "Times a key was neither in the database nor destroyed by an erasure.", &k.counted.lost),
	}
}
