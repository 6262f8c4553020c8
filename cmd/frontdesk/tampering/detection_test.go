package tampering_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// never is the time after which a party detects what it cannot.
const never = -1

// detection is an attack on a service whose signer runs, and the parties that detect it.
type detection struct {
	name   string // as in docs/audit/proofs.md
	do     func(*world)
	signer time.Duration        // of the injected clock until its first alarm or alert, at worst
	asks   func(*world) error   // the thief's request to the witness; nil if other tests make it
	cosign bool                 // whether the witness cosigns it
	alone  []verification.Check // frontdesk audit verify with the salt, without a kept checkpoint
	kept   []verification.Check // and with one
}

const (
	nextRound   = 10 * time.Second
	nextReading = 2*time.Hour + nextRound
)

var detections = []detection{
	{"A second history, signed under a new identifier", func(w *world) {
		edit(`data = replace(data, ':', ': ')`, early)(w)
		w.rebuild()
		own := w.key.Salt
		w.key.Salt = proof.Salt{2}
		w.publish()
		w.key.Salt = own
	}, nextReading, fromNothing, true, []verification.Check{verification.Published}, []verification.Check{verification.Published, verification.KeptNote}},
	{"A rewritten past, signed as a new epoch", func(w *world) {
		edit(`data = replace(data, ':', ': ')`, early)(w)
		w.declareEpoch()
	}, nextReading, nil, false, []verification.Check{verification.Published}, []verification.Check{verification.Published, verification.KeptNote}}, // TestRewrittenPastIsNoEpoch_D139 asks the witness
	{"A rewritten end, signed as a new epoch", func(w *world) {
		truncate(func(s size) int64 { return s.kept - 2 })(w)
		w.declareEpoch()
		w.write(20)
		w.rebuild()
	}, nextRound, nil, false, []verification.Check{verification.Published}, []verification.Check{verification.Published, verification.KeptNote}},
	{"A fork, shown to one auditor", func(w *world) {
		w.write(5)
		w.rebuild()
		w.publish()
		w.kept.Checkpoint, _ = w.published(elm)
		w.check(fromCosigned(w)) // with the thief's cosignature
		w.restore()
		w.write(7)
		w.rebuild()
	}, never, fromCosigned, false, nil, []verification.Check{verification.KeptNote}},
	{"A changed event, signed with the stolen key", func(w *world) {
		edit(`data = replace(data, ':', ': ')`, early)(w)
		w.rebuild()
		w.publish()
	}, nextReading, fromCosigned, false, nil, []verification.Check{verification.KeptNote}},
	{"An event that is dated back", func(w *world) {
		w.place(uuid.New(), "practice.renamed.v1", `{"name":"Elm"}`, noon().Add(-time.Hour))
		w.prove()
	}, never, nil, false, nil, nil},
}

// Each attack is found by the expected parties, within the stated time. The signer's clock
// moves by hand, and it waits as long as it may before it reads everything again.
func TestTimeToDetection_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 30, kept: 35, signed: 40, all: 45})
	page, err := os.ReadFile("../../../docs/audit/proofs.md")
	w.check(err)
	genuine := w.kept
	for _, d := range detections {
		w.kept, w.now, w.cosigned = genuine, noon(), maps.Clone(w.witnessed)
		signer := w.newLiveSigner()
		d.do(w)
		alone, kept := w.verify(), w.verify(w.kept)
		cosigns := d.asks != nil && d.asks(w) == nil
		after := signer.firstAlarm(t)
		if after != d.signer || cosigns != d.cosign || !slices.Equal(checks(alone), d.alone) || !slices.Equal(checks(kept), d.kept) {
			t.Errorf("%s: the signer detects it after %v, a witness cosigns it: %t, an auditor finds %q, and with a kept checkpoint %q",
				d.name, after, cosigns, texts(alone.Found), texts(kept.Found))
		}
		if !strings.Contains(string(page), "\n| "+d.name+" | "+soonest(after)+" |") {
			t.Errorf("docs/audit/proofs.md has no row: | %s | %s |", d.name, soonest(after))
		}
		w.restore()
	}
	t.Run("a trigger that changes an event", func(t *testing.T) {
		w.forge(`CREATE FUNCTION altered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := replace(NEW.data, ':', ': '); RETURN NEW; END $$;
			CREATE TRIGGER altered BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION altered()`)
		if _, err := w.engine.Desk.CreateNote(w.ctx, commands.CreateNote{Tenant: "elm", Patient: w.ann, Text: "a cough"}); !errors.Is(err, postgres.ErrAltered) {
			t.Errorf("the append reports %v, want %v", err, postgres.ErrAltered)
		}
	})
}

// soonest returns how the page says when a signer detects something.
func soonest(after time.Duration) string {
	if after == never {
		return "not by the signer"
	}
	if after < time.Minute {
		return fmt.Sprintf("%d seconds", int(after.Seconds()))
	}
	return fmt.Sprintf("%d hours", int(after.Hours()))
}

// checks are the checks that have found something.
func checks(r verification.Result) (found []verification.Check) {
	for _, f := range r.Found {
		found = append(found, f.Check)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (w *world) declareEpoch() {
	w.t.Helper()
	must(eventstore.NewSequencer(w.attacker, nil, nil, nil).DeclareEpoch(w.ctx, 2, "The volume was put back.", event.Operator("owner", "desk")))(w.t)
	w.write(1)
	w.rebuild()
}

// fromCosigned asks the witness to cosign the attacker's tree as the next one of its log.
func fromCosigned(w *world) error { return w.cosign(w.cosigned, w.size.witnessed) }

// fromNothing asks it as if the log were new.
func fromNothing(w *world) error { return w.cosign(w.cosigned, 0) }

// liveSigner is a signer that runs while the attack happens.
type liveSigner struct {
	*notary.Signer
	w         *world
	remembers notebook
}

func (w *world) newLiveSigner() *liveSigner {
	w.t.Helper()
	remembers := maps.Clone(w.signed)
	s := &liveSigner{w.signerOf(remembers, false), w, remembers}
	s.Now = func() time.Time { return w.now }
	s.Random = func(n time.Duration) time.Duration { return n - 1 }
	w.check(s.Begin(w.ctx))
	for _, problem := range s.Round(w.ctx) {
		w.t.Fatal(problem)
	}
	return s
}

// firstAlarm runs rounds until one raises an alarm or an alert, and returns the time that has
// passed on the injected clock.
func (s *liveSigner) firstAlarm(t *testing.T) time.Duration {
	t.Helper()
	began := s.w.now
	for _, at := range []time.Duration{nextRound, 2 * nextRound, time.Hour, nextReading} {
		s.w.now = began.Add(at)
		if s.alarms(t) {
			return at
		}
	}
	alarmed := false
	clocktest.Eventually(t, func() bool { // it reads everything again while the rounds go on
		alarmed = s.alarms(t)
		return alarmed || s.state(t).Verified.Equal(s.w.now)
	}, "the signer reads everything again")
	if alarmed {
		return nextReading
	}
	return never
}

// alarms reports whether a round raises an alarm, or an alert that an operator has to end.
func (s *liveSigner) alarms(t *testing.T) bool {
	t.Helper()
	for _, problem := range s.Round(s.w.ctx) {
		if _, is := errors.AsType[notary.Alarm](problem); is {
			return true
		}
		t.Error(problem)
	}
	return s.state(t).Unacknowledged > 0
}

// signerState is what a signer stores that this test reads.
type signerState struct {
	Verified       time.Time `json:"verified"`
	Unacknowledged int       `json:"unacknowledged"`
}

func (s *liveSigner) state(t *testing.T) (state signerState) {
	t.Helper()
	_, text, _ := bytes.Cut(s.remembers["state"], []byte("\n")) // behind its sum
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	return state
}
