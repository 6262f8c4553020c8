package proving_test

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// checkAges checks that the age is that of the oldest leaf without a checkpoint.
func (w *wood) checkAges() {
	w.t.Helper()
	w.wantMeasured(map[string]float64{"frontdesk_prover_idx events": float64(w.events), "frontdesk_prover_lag_seconds events": 0, "frontdesk_prover_idx access": 0})
	w.as(`INSERT INTO checkpoints SELECT tenant, kind, 1, '2026-11-22', size, '', now() FROM trees`)
	w.wantMeasured(map[string]float64{"frontdesk_prover_idx events": float64(w.events), "frontdesk_prover_lag_seconds events": 0, "frontdesk_prover_idx access": 0, "frontdesk_checkpoint_age_seconds events": 0})
	w.as(`UPDATE prover SET idx = idx - 3 WHERE kind = 1`)
	w.as(`UPDATE events SET recorded_at = '2026-11-22T08:59:00Z'`)
	w.wantMeasured(map[string]float64{"frontdesk_prover_idx events": float64(w.events) - 3, "frontdesk_prover_lag_seconds events": 60, "frontdesk_prover_idx access": 0, "frontdesk_checkpoint_age_seconds events": 0})
	w.as(`UPDATE prover SET idx = idx + 3 WHERE kind = 1`)
	waits := w.leaves[proof.Tree{Tenant: "north", Kind: proof.Events}][512].idx
	w.as(fmt.Sprintf(`UPDATE events SET recorded_at = '2026-11-22T08:58:00Z' WHERE position = (SELECT position FROM log WHERE idx = %d)`, waits))
	w.as(`UPDATE checkpoints SET size = 512 WHERE tenant = 'north'`)
	w.wantMeasured(map[string]float64{"frontdesk_prover_idx events": float64(w.events), "frontdesk_prover_lag_seconds events": 0, "frontdesk_prover_idx access": 0, "frontdesk_checkpoint_age_seconds events": 120})
}

func (w *wood) wantMeasured(want map[string]float64) {
	w.t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(proving.Reached(w.pool, func() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }))
	families, err := registry.Gather()
	w.must(err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			got[family.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("measured (-want +got):\n%s", diff)
	}
}
