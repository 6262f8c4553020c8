package notary_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/statedir"
	"frontdesk/adapters/witness"
	"frontdesk/domain/proof"
)

// realWitness is a witness of the world's logs.
type realWitness struct {
	*witness.Witness
	url      string
	verifier note.Verifier
}

func newRealWitness(t *testing.T, w *world) *realWitness {
	t.Helper()
	private, public, err := proof.GenerateWitnessKey(rand.Reader, "witness.example")
	if err != nil {
		t.Fatal(err)
	}
	r := &realWitness{Witness: &witness.Witness{Log: slog.New(slog.NewTextHandler(w.logged, nil)), AcceptEpoch: map[string]int{}, Now: func() time.Time { return w.now }}}
	if r.Key, err = proof.NewCosigner(private, w.signer.Now); err != nil {
		t.Fatal(err)
	}
	if r.verifier, err = proof.NewWitnessVerifier(public); err != nil {
		t.Fatal(err)
	}
	log, err := note.NewVerifier(w.key.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	r.Logs = []note.Verifier{log}
	state, err := statedir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	r.State = state
	server := httptest.NewServer(r.Handler(nil))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// asks restarts the signer with a witness.
func (r *realWitness) asks(w *world, change ...func(*notary.Signer)) {
	w.t.Helper()
	w.begin(func(s *notary.Signer) {
		s.Witnesses = []*notary.Witness{notary.NewWitness(r.url, r.verifier)}
		for _, c := range change {
			c(s)
		}
	})
}

// epochs returns the lines in which the witness records the epochs of a practice's log.
func (r *realWitness) epochs(w *world, tenant string) string {
	w.t.Helper()
	log := "api.example/log/" + w.key.Salt.Log(proof.Tree{Tenant: tenant, Kind: proof.Events}).String()
	sum := sha256.Sum256([]byte(log))
	answer, err := http.Get(r.url + "/" + hex.EncodeToString(sum[:]) + "/epochs")
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	opened, err := note.Open(text, note.VerifierList(r.verifier))
	if err != nil {
		w.t.Fatalf("%q: %v", text, err)
	}
	return strings.TrimPrefix(opened.Text, "frontdesk/epochs/v1\n"+log+"\n")
}

func (w *world) wantWitnessed(by *realWitness, tenants ...string) {
	w.t.Helper()
	w.wantSigned(tenants...)
	for _, tenant := range tenants {
		opened, err := note.Open(w.publisher.notes[proof.Tree{Tenant: tenant, Kind: proof.Events}].Note, note.VerifierList(by.Logs[0], by.verifier))
		if err != nil || len(opened.Sigs) != 2 {
			w.t.Errorf("%q is not cosigned: %v", tenant, err)
		}
	}
}

// left returns the line of a practice's published checkpoint for an epoch.
func (w *world) left(tenant string, epoch int) proof.Left {
	w.t.Helper()
	l, found := w.published(tenant, proof.Events).Left.Of(epoch)
	if !found {
		w.t.Errorf("%q names no epoch %d: %q", tenant, epoch, w.published(tenant, proof.Events).Left)
	}
	return l
}

// rounds adds leaves of two practices, a round each.
func (w *world) rounds(n int) {
	w.t.Helper()
	for n := range n {
		w.events().add(fmt.Sprint("round ", n), "north", "south")
		w.quiet()
	}
}

// In each epoch after the first, a checkpoint names what its log has kept of those before,
// and the witness has it proved.
func TestWitnessFollowsIntoNextEpoch_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newRealWitness(t, w)
	r.asks(w)
	w.rounds(3)
	north := w.published("north", proof.Events)
	w.events().begin(2) // nothing is lost
	w.events().add("more", "north", "east")
	w.quiet()
	w.wantWitnessed(r, "", "north", "south", "east")
	if l := w.left("north", 1); l.Size != north.Size || l.Root != north.Root {
		t.Errorf("epoch 2 keeps %v of epoch 1, want %v", l, north)
	}
	if l := w.left("east", 1); l.Size != 0 {
		t.Errorf("a practice of epoch 2 keeps %v of epoch 1", l)
	}
	if got, want := r.epochs(w, "north"), fmt.Sprintf("begins 1\nbegins 2 after 1 cosigned %d left %d\n", north.Size, north.Size); got != want {
		t.Errorf("the witness records %q, want %q", got, want)
	}
	if got := r.epochs(w, "east"); got != "begins 2\n" {
		t.Errorf("of a new log, the witness records %q", got)
	}

	north = w.published("north", proof.Events)
	lost := w.events().leaves[len(w.events().leaves)-3:]
	w.events().leaves = w.events().leaves[:len(w.events().leaves)-3] // of which one is a leaf of north, and one that of east
	w.events().begin(3)
	w.events().add("other", "north")
	w.quiet()
	w.wantWitnessed(r, "", "north", "south")
	if l := w.left("north", 2); l.Size != north.Size-1 {
		t.Errorf("epoch 3 keeps %v of epoch 2, of %v; lost are %v", l, north, lost)
	}
	if got, want := r.epochs(w, "north"), fmt.Sprintf("begins 3 after 2 cosigned %d left %d\n", north.Size, north.Size-1); !strings.HasSuffix(got, want) {
		t.Errorf("the witness records %q, want %q at its end", got, want)
	}
	if !strings.Contains(w.logged.String(), "an epoch has lost entries that were cosigned") {
		t.Error("the witness does not report the loss")
	}
	w.events().add("again", "east") // it had lost all of its leaves
	w.quiet()
	w.wantWitnessed(r, "", "north", "south", "east")
}

// A witness that has missed epochs has it proved from the last one that it knows.
func TestWitnessMissesEpochs_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newRealWitness(t, w)
	r.asks(w)
	w.rounds(5)
	w.begin(nil) // the witness is away
	w.lose(14, "first", "north", "north", "south")
	w.quiet()
	w.events().leaves = w.events().leaves[:12]
	w.events().begin(3)
	w.events().add("third", "north", "north", "north")
	w.quiet()
	r.asks(w)
	w.quiet()
	w.wantWitnessed(r, "", "north", "south")
}

// The key is stolen: its thief signs another past in the next epoch.
func TestWitnessRefusesOtherPastInNextEpoch_D139(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(c proof.Checkpoint) proof.Checkpoint{
		"the epoch names nothing before it": func(c proof.Checkpoint) proof.Checkpoint {
			c.Left = proof.EpochsOf([]proof.Left{{Epoch: 1, Root: proof.Edge{}.Root()}})
			return c
		},
		"the epoch names itself as what was before": func(c proof.Checkpoint) proof.Checkpoint {
			c.Left = proof.EpochsOf([]proof.Left{{Epoch: 1, Size: c.Size, Root: c.Root}})
			return c
		},
		"the epoch names an epoch that never was": func(c proof.Checkpoint) proof.Checkpoint {
			c.Origin.Epoch, c.Left = 3, proof.EpochsOf([]proof.Left{{Epoch: 2, Size: c.Size, Root: c.Root}})
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := newRealWitness(t, w)
			r.asks(w)
			w.quiet()
			w.now = w.now.Add(11 * time.Minute) // and what was cosigned is settled
			cosigned := w.published("north", proof.Events)
			var edge proof.Edge
			for n := range cosigned.Size {
				edge.Append(tlog.RecordHash(fmt.Appendf(nil, "forged %d", n)))
			}
			c := proof.Checkpoint{Origin: cosigned.Origin, Size: edge.Size, Root: edge.Root()}
			c.Origin.Epoch = 2
			c = forge(c)
			signed, err := c.Sign(w.key)
			if err != nil {
				t.Fatal(err)
			}
			grown := proof.Consistency{Note: signed}
			requests := map[string][]byte{"/add-checkpoint": grown.Format()}
			l, _ := c.Left.Of(1)
			grown.Old = l.Size
			requests["/continue-epoch"] = proof.Continuation{Epoch: 1, Cosigned: cosigned.Size, Consistency: grown}.Format()
			for path, body := range requests {
				answer, err := http.Post(r.url+path, "", strings.NewReader(string(body)))
				if err != nil {
					t.Fatal(err)
				}
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					t.Errorf("%s cosigns it", path)
				}
			}
			if got := r.epochs(w, "north"); got != "begins 1\n" {
				t.Errorf("the witness records %q", got)
			}
		})
	}
}

// Within an epoch, all checkpoints name the same earlier ones; an epoch that has ended gets
// no more cosignatures.
func TestWitnessKeepsToOneHistory_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newRealWitness(t, w)
	r.asks(w)
	w.quiet()
	first := w.published("north", proof.Events)
	w.events().begin(2)
	w.events().add("more", "north")
	w.quiet()
	second := w.published("north", proof.Events)
	other := second
	other.Left = proof.EpochsOf([]proof.Left{{Epoch: 1, Root: proof.Edge{}.Root()}})
	for name, c := range map[string]proof.Checkpoint{"an ended epoch": first, "other earlier epochs": other} {
		signed, err := c.Sign(w.key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Cosign(t.Context(), proof.Consistency{Old: c.Size, Note: signed}.Format()); err == nil {
			t.Errorf("%s: cosigned", name)
		}
	}
}

// The signer stops at a loss that is longer than failovers explain, until an operator
// accepts it. So does the witness, if the signer cannot prove it.
func TestLongLossWaitsForOperator_D139(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		grow func(*world)
		lose int
		says string // the signer, until its operator accepts the epoch
		then string // the witness, until its operator does
	}{
		"more than 1,000 entries": {func(w *world) {
			w.events().page = 2000
			w.events().add("many", slices.Repeat([]string{"north"}, 1100)...)
			w.quiet()
		}, 8, "epoch 2 has lost more than the last 1000 entries", "its operator has to accept the epoch"},
		"more than ten minutes": {func(w *world) {
			w.rounds(1)
			w.now = w.now.Add(11 * time.Minute)
			w.rounds(1)
		}, 7, "epoch 2 has lost 5 entries, which this signer had read for 11m0s", "ask its operator to accept the epoch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := newRealWitness(t, w)
			r.asks(w)
			w.quiet()
			c.grow(w)
			w.lose(c.lose, "first", "north", "south")
			for range 2 {
				w.alarmed(c.says)
				r.asks(w)
			}
			r.asks(w, func(s *notary.Signer) { s.AcceptEpoch = 3 })
			w.alarmed(c.says)
			r.asks(w, func(s *notary.Signer) { s.AcceptEpoch = 2 })
			alarms, passing := w.round()
			if !strings.Contains(strings.Join(append(alarms, passing...), "\n"), c.then) {
				t.Errorf("alarms %q, problems %q, want %q", alarms, passing, c.then)
			}
			w.wantSigned("", "north", "south")
			r.AcceptEpoch["api.example"] = 2
			w.quiet()
			w.wantWitnessed(r, "", "north", "south")
		})
	}
}

const unacknowledged = `
# HELP frontdesk_signer_unacknowledged_epoch The last epoch that has lost entries which were signed, until an operator gives --accept-epoch; 0 if there is none.
# TYPE frontdesk_signer_unacknowledged_epoch gauge
frontdesk_signer_unacknowledged_epoch %d
`

// A superuser cuts the end off, begins an epoch in place of one event, and stores all others
// again, where they were. The signer follows, and reports it until an operator has looked at
// it.
func TestLossIsReportedUntilAcknowledged_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var registry *prometheus.Registry
	measured := func(s *notary.Signer) {
		registry = prometheus.NewRegistry()
		s.Metrics = notary.NewMetrics(registry)
	}
	want := func(epoch int) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader(fmt.Sprintf(unacknowledged, epoch)), "frontdesk_signer_unacknowledged_epoch"); err != nil {
			t.Error(err)
		}
	}
	w.begin(measured)
	w.rounds(2)
	want(0)
	again := slices.Clone(w.events().leaves[9:])
	w.events().leaves = w.events().leaves[:8] // number 9 is not stored again
	w.events().begin(2)
	for _, leaf := range again {
		leaf.Idx = int64(len(w.events().leaves)) + 1
		w.events().leaves = append(w.events().leaves, leaf)
	}
	w.quiet()
	want(2)
	if l := w.left("north", 1); l.Size != 4 {
		t.Errorf("epoch 2 keeps %v of epoch 1", l)
	}
	w.begin(measured) // a restart does not forget it
	w.quiet()
	want(2)
	w.begin(func(s *notary.Signer) { measured(s); s.AcceptEpoch = 2 })
	w.quiet()
	want(0)
	w.begin(measured)
	w.quiet()
	want(0)
}

// A past that was changed before the kept leaves is not explained by a short loss.
func TestChangedPastIsNoShortLoss_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.events().page = 2000
	w.events().add("many", slices.Repeat([]string{"north"}, 1200)...)
	w.quiet()
	w.events().leaves[100] = leafOf(101, "north", "edited")
	w.lose(1206, "first", "north")
	w.alarmed("give --accept-epoch 2")
}

// A signer whose folder is lost continues with the epochs that it had published.
func TestAdoptedEpochsStay_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.rounds(2)
	w.lose(10, "first", "north")
	w.quiet()
	north := w.published("north", proof.Events)
	w.dir = t.TempDir()
	w.begin(func(s *notary.Signer) { s.Adopt = true })
	w.quiet()
	if got := w.published("north", proof.Events); got != north {
		t.Errorf("%v continues as %v", north, got)
	}
	w.begin(nil)
	w.events().add("more", "north")
	w.quiet()
	if got := w.published("north", proof.Events); got.Left != north.Left || got.Size != north.Size+1 {
		t.Errorf("%v continues as %v", north, got)
	}
}
