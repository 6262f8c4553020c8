package notary_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

// A witness whose folder was set back cosigns again, and could cosign another history.
// Its operator cannot see that; the signer can.
func TestAWitnessThatWasSetBackIsNamed_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newFakeWitness(t, w, "witness.one")
	w.witnessed(nil, f)
	registry := prometheus.NewRegistry()
	w.signer.Metrics = notary.NewMetrics(registry)
	w.quiet()
	before := maps.Clone(f.known)
	w.events().add("more", "north")
	w.quiet()
	f.known = before
	w.events().add("more", "north")
	alarms, passing := w.round()
	if says := strings.Join(passing, "\n"); len(alarms) > 0 || !strings.Contains(says, "has forgotten what it had cosigned of 1 logs") {
		t.Errorf("alarms %q, problems %q", alarms, passing)
	}
	w.wantCosigned("north", f)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if n := family.GetMetric()[0].GetCounter().GetValue(); family.GetName() == "frontdesk_signer_witness_forgot_total" && n != 1 {
			t.Errorf("it counts %v", n)
		}
	}
	w.events().add("more", "north")
	w.quiet()
	if c := w.published("north", proof.Events); c.Size != int64(len(w.events().of("north"))) {
		t.Errorf("it goes on at size %d", c.Size)
	}
}
