package patient_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

var (
	ann        = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	drLee      = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}
	registered = patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"}
	restricted = patient.RecordRestricted{Patient: ann, Staff: []staff.ID{drLee}}
	changed    = patient.DetailsChanged{Patient: ann, Name: "Ann Baker", BirthDate: "1980-02-28"}
	lifted     = patient.RestrictionLifted{Patient: ann}
)

func register(name, birthDate string) func(patient.Patient) ([]event.Event, error) {
	return func(p patient.Patient) ([]event.Event, error) { return p.Register(ann, name, birthDate, noon) }
}

func TestAPatientIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]

	given().When(register(" Ann Archer ", "1980-02-29")).Then(t, registered)
	given().When(register("Ann", "")).Then(t, patient.Registered{Patient: ann, Name: "Ann"})
	given(registered).When(register("Ann Archer", "")).Refuses(t, patient.ErrExists)
	for _, name := range []string{" ", event.Hidden, event.Erased} {
		given().When(register(name, "")).Refuses(t, patient.ErrNameless)
	}
	given().When(register(strings.Repeat("é", parse.MaxName+1), "")).Refuses(t, parse.ErrLongName)
	given().When(register("Ann", "1981-02-29")).Refuses(t, patient.ErrInvalidBirthDate)
}

func TestImpossibleBirthsAreRefused_D155(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	for _, impossible := range []string{"2026-03-04", "2030-01-01", "1896-03-01", "1830-01-01"} {
		given().When(register("Ann", impossible)).Refuses(t, patient.ErrImpossibleBirth)
	}
	for _, possible := range []string{"2026-03-03", "2026-03-02", "1896-03-02"} { // it is tomorrow elsewhere
		given().When(register("Ann", possible)).Then(t, patient.Registered{Patient: ann, Name: "Ann", BirthDate: possible})
	}
}

func TestDetailsAreChangedAsAWhole_D73(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	change := func(name, birthDate string) func(patient.Patient) ([]event.Event, error) {
		return func(p patient.Patient) ([]event.Event, error) { return p.ChangeDetails(ann, name, birthDate) }
	}

	given(registered).When(change(" Ann Baker ", "1980-02-28")).Then(t, changed)
	given(registered, changed).When(change("Ann Baker", "")).Then(t, patient.DetailsChanged{Patient: ann, Name: "Ann Baker"})
	given(registered).When(change("\t", "1980-02-28")).Refuses(t, patient.ErrNameless)
	given(registered).When(change(strings.Repeat("é", parse.MaxName+1), "1980-02-28")).Refuses(t, parse.ErrLongName)
	given(registered).When(change("Ann Baker", "28 February 1980")).Refuses(t, patient.ErrInvalidBirthDate)
	given().When(change("Ann Baker", "")).Refuses(t, patient.ErrUnknown)
}

func TestARecordIsRestrictedToNamedStaff_D17(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	restrict := func(p patient.Patient) ([]event.Event, error) { return p.RestrictRecord(ann, []staff.ID{drLee}) }
	lift := func(p patient.Patient) ([]event.Event, error) { return p.LiftRestriction(ann) }

	given(registered).When(restrict).Then(t, restricted)
	given(registered, restricted).When(restrict).Then(t)
	given(registered, restricted).When(lift).Then(t, lifted)
	given(registered).When(lift).Then(t)
	given(registered, restricted, lifted).When(restrict).Then(t, restricted)
	given().When(restrict).Refuses(t, patient.ErrUnknown)
	given().When(lift).Refuses(t, patient.ErrUnknown)
	for _, c := range []struct {
		given  []event.Event
		member staff.ID
		closed bool
	}{
		{[]event.Event{registered}, staff.ID{}, false},
		{[]event.Event{registered, restricted}, staff.ID{}, true},
		{[]event.Event{registered, restricted}, drLee, false},
		{[]event.Event{registered, restricted, lifted}, staff.ID{}, false},
	} {
		if closed, err := event.Fold[patient.Patient](c.given...).ClosedTo(c.member); closed != c.closed || err != nil {
			t.Errorf("%v is closed to %s: %t, error %v", c.given, c.member, closed, err)
		}
	}
}

func TestPatientIDIsPerPractice_D18(t *testing.T) {
	t.Parallel()
	if patient.StreamOf("elm-street", ann) == patient.StreamOf("oak-lane", ann) {
		t.Error("two practices share a patient's stream")
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, registered, changed, restricted, lifted,
		patient.ContactDetailsSet{Patient: ann, Telephone: "+44 20 7946 0958", Email: "ann@example.org", NHSNumber: "9434765919"})
}
