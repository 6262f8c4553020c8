package notary_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

// A witness that was set back cosigns again, and could cosign another history. Its
// operator cannot detect that; the signer can.
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

// Two signers with one key and one state are harmless. A signer that was set back
// learns it from the witness, unless the log has caught up by the next round.
func TestWitnessStayingAheadRaisesAlarm_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newFakeWitness(t, w, "witness.one")
	w.witnessed(nil, f)
	w.quiet()
	origin, first := w.published("north", proof.Events).Origin.String(), maps.Clone(f.known)
	before := append([]notary.Leaf(nil), w.events().leaves...)
	w.events().add("more", "north", "north")
	w.quiet()
	second := maps.Clone(f.known)

	w.events().leaves = append(slices.Clone(before), leafOf(9, "north", "more")) // as another signer saw it before
	f.known = first
	w.restartWitnessed(f)
	w.quiet()
	f.known = second
	w.events().leaves = append(w.events().leaves, leafOf(10, "south", "more"))
	w.witnessed(nil, f)
	if alarms, passing := w.round(); len(alarms) > 0 || !strings.Contains(strings.Join(passing, "\n"), "has been faster") {
		t.Errorf("alarms %q, problems %q", alarms, passing)
	}
	w.alarmed("has cosigned " + origin + " at size 6, and it has 5 here")
	w.events().leaves = append(w.events().leaves, leafOf(11, "north", "more"))
	w.alarmed("cosigned another history")
}

// restartWitnessed starts a signer whose only state is the published notes.
func (w *world) restartWitnessed(f *fakeWitness) {
	w.t.Helper()
	w.dir = w.t.TempDir()
	w.begin(func(s *notary.Signer) {
		s.Adopt, s.Witnesses = true, []*notary.Witness{notary.NewWitness(f.url, f.verifier)}
	})
}

// A signer that is always one round behind another one with the same logs is harmless.
func TestSignerBehindAnotherRaisesNoAlarm_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newFakeWitness(t, w, "witness.one")
	w.witnessed(nil, f)
	var seen []map[string]proof.Checkpoint
	for range 4 {
		w.quiet()
		seen = append(seen, maps.Clone(f.known))
		w.events().add("more", "north")
	}
	whole := w.events().leaves
	w.events().leaves = whole[:8]
	f.known = seen[0]
	w.restartWitnessed(f)
	for n, known := range seen[1:] {
		w.events().leaves, f.known = whole[:8+n], known
		if alarms, passing := w.round(); len(alarms) > 0 || !strings.Contains(strings.Join(passing, "\n"), "has been faster") {
			t.Errorf("alarms %q, problems %q", alarms, passing)
		}
	}
	w.events().leaves = whole[:11]
	w.quiet()
	w.wantCosigned("north", f)
}

// A slow witness does not get to every practice in a round, however busy the first ones
// are.
func TestSlowWitnessReachesEveryPractice_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	slow := newFakeWitness(t, w, "witness.example")
	w.witnessed(nil, slow)
	for range 4 {
		left := 2 // is away from then on
		slow.answers(func(answer http.ResponseWriter) bool {
			if left--; left < 0 {
				answer.WriteHeader(http.StatusServiceUnavailable)
			}
			return left < 0
		})
		w.events().add("more", "", "north", "south")
		w.round()
	}
	if len(slow.known) != 3 {
		t.Errorf("it has cosigned %d logs, want 3", len(slow.known))
	}
}
