package commands_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// desk is a practice with one patient, and the clock of its handlers.
type desk struct {
	store *commandtest.Store
	now   time.Time
	ann   patient.ID
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	s := &desk{store: commandtest.NewStore(), now: commandtest.Noon, ann: patient.ID{UUID: event.NewID()}}
	s.happened(t, practice.StreamOf("elm-street"), practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"})
	s.happened(t, event.Stream{Tenant: "elm-street", ID: s.ann.UUID}, patient.Registered{Patient: s.ann, Name: "Ann"})
	return s
}

func (s *desk) happened(t *testing.T, stream event.Stream, events ...event.Event) {
	t.Helper()
	history, err := s.store.Load(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Append(t.Context(), event.Change{Stream: stream, Expected: len(history), Events: events}); err != nil {
		t.Fatal(err)
	}
}

// submit makes a call, and returns its answer and whether it was a stored one.
func (s *desk) submit(ctx context.Context, i event.Idempotency) (answer string, again bool, err error) {
	handler := commands.Desk{
		Store: s.store, Receptions: s.store, Patients: s.store, Responses: s.store, Now: func() time.Time { return s.now },
	}
	text, again, err := commands.Once(ctx, handler, i, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
		id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{
			Tenant: "elm-street", Submission: request.Submission{Patient: s.ann, Type: request.Medical},
		})
		return []byte(id.String()), err
	})
	return string(text), again, err
}

func (s *desk) made() (n int) {
	for _, e := range s.store.Log() {
		if _, ok := e.Event.(request.Submitted); ok {
			n++
		}
	}
	return n
}

var (
	once    = event.Idempotency{Tenant: "elm-street", Key: event.Digest{1}, Body: event.Digest{2}.String()}
	another = event.Idempotency{Tenant: "elm-street", Key: event.Digest{1}, Body: event.Digest{3}.String()}
)

func mustSubmit(t *testing.T, s *desk, i event.Idempotency) (answer string) {
	t.Helper()
	answer, _, err := s.submit(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestACallThatIsMadeAgainIsAnsweredAgain_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	first, before, err := s.submit(t.Context(), once)
	if err != nil || before {
		t.Fatalf("the first is answered %s, given before: %v, %v", first, before, err)
	}
	if answer, again, err := s.submit(t.Context(), once); answer != first || !again || err != nil || s.made() != 1 {
		t.Errorf("answered %s, then %s, given before: %v, %v; made %d", first, answer, again, err, s.made())
	}
}

func TestWithoutAKeyEveryCallCounts_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	first, second := mustSubmit(t, s, event.Idempotency{}), mustSubmit(t, s, event.Idempotency{})
	if first == second || s.made() != 2 {
		t.Errorf("made %d", s.made())
	}
}

func TestAKeyIsForOneBody_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	mustSubmit(t, s, once)
	_, _, err := s.submit(t.Context(), another)
	if !errors.Is(err, commands.ErrKeyReused) || s.made() != 1 {
		t.Errorf("made %d, error %v", s.made(), err)
	}
	if !strings.Contains(err.Error(), "The Idempotency-Key was used for another body within the last 24 hours.") {
		t.Errorf("says %v", err)
	}
}

func TestStoredAnswerPrecedesAvailability_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	first := mustSubmit(t, s, once)
	s.happened(t, practice.IntakeStream("elm-street", request.Medical), practice.RequestTypeSwitchedOff{RequestType: request.Medical})

	if again := mustSubmit(t, s, once); again != first {
		t.Errorf("answered %s, then %s", first, again)
	}
	if _, _, err := s.submit(t.Context(), event.Idempotency{Tenant: "elm-street", Key: event.Digest{9}}); !errors.Is(err, practice.ErrTypeDisabled) {
		t.Errorf("a new call: %v", err)
	}
}

func TestARefusalIsNotRemembered_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	intake := practice.IntakeStream("elm-street", request.Medical)
	s.happened(t, intake, practice.RequestTypeSwitchedOff{RequestType: request.Medical})
	if _, _, err := s.submit(t.Context(), once); err == nil {
		t.Fatal("accepted")
	}
	s.happened(t, intake, practice.RequestTypeSwitchedOn{RequestType: request.Medical})
	mustSubmit(t, s, once)
}

func TestAnAnswerIsForgottenAfterADay_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	first := mustSubmit(t, s, once)
	s.now = commandtest.Noon.Add(commands.ResponseLifetime - time.Microsecond)
	if again := mustSubmit(t, s, once); again != first {
		t.Error("forgotten within the day")
	}
	s.now = commandtest.Noon.Add(commands.ResponseLifetime)
	// The store of tests records everything at noon, and so refuses in the append: this
	// shows that no answer was found.
	_, _, err := s.submit(t.Context(), once)
	if !errors.Is(err, commands.ErrKeyTaken) || !strings.Contains(err.Error(), "A call with this Idempotency-Key is just being answered. Make it again to see its answer.") {
		t.Errorf("a day later: %v", err)
	}
}

func TestOfEqualCallsAtOnceOneCounts_D22(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	var answers [50]string
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			answer, _, err := s.submit(t.Context(), once)
			if err != nil {
				t.Error(err)
			}
			answers[i] = answer
		})
	}
	group.Wait()
	for _, answer := range answers {
		if answer != answers[0] || answer == "" {
			t.Fatalf("answered %s and %s", answers[0], answer)
		}
	}
	if s.made() != 1 {
		t.Errorf("made %d", s.made())
	}
}

func TestKeyBelongsToCaller_D22(t *testing.T) {
	t.Parallel()
	app, bea := application.ID{UUID: uuid.New()}, staff.ID{UUID: uuid.New()}
	callers := []access.Caller{
		{Claim: access.Claim{Application: app, Mode: application.ApplicationRestricted}},
		{Claim: access.Claim{Application: application.ID{UUID: uuid.New()}, Mode: application.ApplicationRestricted}},
		{Claim: access.Claim{Application: app, Mode: application.UserRestricted}, Rights: access.Rights{Staff: bea}},
		{Claim: access.Claim{Application: app, Mode: application.UserRestricted}, Rights: access.Rights{Staff: staff.ID{UUID: uuid.New()}}},
	}
	seen := map[event.Digest]bool{}
	for _, c := range callers {
		for _, key := range []string{"k", "K", " k", strings.Repeat("k", 255)} {
			i := c.Idempotency(key, event.Digest{7})
			if seen[i.Key] || i.Body != (event.Digest{7}.String()) {
				t.Errorf("%+v, %q: %+v is another's", c, key, i)
			}
			seen[i.Key] = true
		}
	}
	first, second := callers[0].Idempotency("k", event.Digest{}), callers[0].Idempotency("k", event.Digest{})
	if first != second {
		t.Error("a key is not always the same")
	}
}

// The previous release stores requests under the same key, and runs at the same time.
func TestPatientRequestKeyIsStable_D93(t *testing.T) {
	t.Parallel()
	app, bea := application.ID{UUID: uuid.New()}, staff.ID{UUID: uuid.New()}
	caller := access.Caller{
		Claim:  access.Claim{Tenant: "elm-street", Application: app, Mode: application.UserRestricted, Endpoint: access.Endpoint{Name: access.CreatePatientRequest}},
		Rights: access.Rights{Staff: bea},
	}
	want := event.Digest(sha256.Sum256([]byte(app.String() + " user-restricted " + bea.String() + " k")))
	if got := caller.Idempotency("k", event.Digest{7}); got.Key != want || got.Tenant != "elm-street" {
		t.Errorf("%+v, want the key %s", got, want)
	}
	caller.Endpoint.Name = access.CreateNote
	if got := caller.Idempotency("k", event.Digest{7}); got.Key == want {
		t.Error("another endpoint has the same key")
	}
}

func TestFailedAnswerAppendsNothing_D93(t *testing.T) {
	t.Parallel()
	s := newDesk(t)
	handler := commands.Desk{Store: s.store, Patients: s.store, Responses: s.store, Now: func() time.Time { return s.now }}
	boom := errors.New("boom")
	for name, fails := range map[string]func() ([]byte, error){
		"an error behind the change": func() ([]byte, error) { return nil, boom },
		"an answer that is too long": func() ([]byte, error) { return make([]byte, 64<<10+1), nil },
	} {
		before := len(s.store.Log())
		_, again, err := commands.Once(t.Context(), handler, once, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
			if _, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm-street", Patient: s.ann, Text: "a cough"}); err != nil {
				t.Error(err)
			}
			return fails()
		})
		if err == nil || again || len(s.store.Log()) != before {
			t.Errorf("%s: %v, given before: %v, %d events", name, err, again, len(s.store.Log())-before)
		}
	}
}
