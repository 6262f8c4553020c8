package keyring

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts what becomes of the keys of a keyring. They name no holder.
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
