package bearer_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
)

const whileItHangs = `
# HELP frontdesk_key_set_sent_away_total Calls that were answered 503 because too many waited for key sets already.
# TYPE frontdesk_key_set_sent_away_total counter
frontdesk_key_set_sent_away_total 8
# HELP frontdesk_key_set_waiting Calls that wait for a key set.
# TYPE frontdesk_key_set_waiting gauge
frontdesk_key_set_waiting 32
# HELP frontdesk_key_sets_held Key sets in memory that serve without a fetch.
# TYPE frontdesk_key_sets_held gauge
frontdesk_key_sets_held 0
`

// The metrics show why calls are refused, and when that has passed.
func TestMetricsTellHowKeySetsAreFetched_D110(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, registry := &publisher{latency: 2 * time.Second}, prometheus.NewRegistry()
		p.broken.Store(true)
		c := crowd{cache: bearer.NewKeyCache(bearer.KeyCacheConfig{
			Transport: p, CheckURL: func(string) error { return nil }, Now: clock.System, Registry: registry,
		})}
		defer c.cache.Close()
		_, _ = c.cache.Get(t.Context(), keysURL)
		p.broken.Store(false)
		c.call(t.Context(), 40, keysURL)
		c.want(t, 32, 0, 8, 0)
		if err := testutil.GatherAndCompare(registry, strings.NewReader(whileItHangs), "frontdesk_key_set_sent_away_total", "frontdesk_key_set_waiting", "frontdesk_key_sets_held"); err != nil {
			t.Error(err)
		}
		c.all.Wait()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if h := m.GetHistogram(); h != nil {
					got[m.GetLabel()[0].GetValue()] = h.GetSampleSum() / float64(h.GetSampleCount())
					continue
				}
				got[f.GetName()] = m.GetGauge().GetValue()
			}
		}
		if got["read"] != 2 || got["unreachable"] != 2 || got["frontdesk_key_sets_held"] != 1 || got["frontdesk_key_set_waiting"] != 0 {
			t.Errorf("measured %v", got)
		}
	})
}
