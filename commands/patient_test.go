package commands_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

func TestAPatientIsRegisteredOnceInAPractice_D18(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	var id patient.ID
	register := func(c commands.RegisterPatient) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			id, err = commands.Desk{Store: s, Now: noon}.RegisterPatient(ctx, c)
			return err
		}
	}
	ann := commands.RegisterPatient{Tenant: elm, Patient: unknownPatient, Name: "Ann Archer", BirthDate: "1980-02-29"}
	with := func(change func(*commands.RegisterPatient)) func(context.Context) error {
		c := ann
		change(&c)
		return register(c)
	}
	registered := []event.Event{patient.Registered{Patient: ann.Patient, Name: "Ann Archer", BirthDate: "1980-02-29"}}
	s.play(t,
		step{"unknown practice", with(func(c *commands.RegisterPatient) { c.Tenant = unknownName }), nil, practice.ErrUnknown},
		step{"no name", with(func(c *commands.RegisterPatient) { c.Name = " " }), nil, patient.ErrNameless},
		step{"no date", with(func(c *commands.RegisterPatient) { c.BirthDate = "1981-02-29" }), nil, patient.ErrInvalidBirthDate},
		step{"registered", register(ann), registered, nil},
		step{"registered already", register(ann), nil, patient.ErrExists},
	)
	s.tenant = oak
	s.play(t, step{"the same identifier elsewhere", with(func(c *commands.RegisterPatient) { c.Tenant = oak }), registered, nil})
	must(t, register(commands.RegisterPatient{Tenant: elm, Name: "Bill Baker"})(t.Context()))
	if last := s.Log()[len(s.Log())-1]; id.Version() != 7 || last.Stream != patient.StreamOf(elm, id) {
		t.Errorf("the identifier minted is %s, the stream %v", id, last.Stream)
	}
}

// An import registers all patients or none, and a repetition changes nothing.
func TestPatientsAreImportedTogether_D160(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	known := s.patient(t, elm)
	bo := patient.ID{UUID: event.NewID()}
	var registered []patient.ID
	importing := func(tenant string, patients ...commands.NewPatient) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			registered, err = commands.Desk{Store: s, Now: noon}.ImportPatients(ctx, commands.ImportPatients{Tenant: tenant, Patients: patients})
			return err
		}
	}
	ann := commands.NewPatient{Patient: unknownPatient, Name: "Ann Archer", Contact: patient.Contact{Telephone: "(020) 7946 0958"}}
	bob := commands.NewPatient{Patient: bo, Name: "Bo Bell", BirthDate: "1980-02-29"}
	events := []event.Event{
		patient.Registered{Patient: ann.Patient, Name: "Ann Archer"}, patient.ContactDetailsSet{Patient: ann.Patient, Telephone: "020 7946 0958"},
		patient.Registered{Patient: bo, Name: "Bo Bell", BirthDate: "1980-02-29"},
	}
	s.play(t,
		step{"unknown practice", importing(unknownName, ann), nil, practice.ErrUnknown},
		step{"one is invalid", importing(elm, ann, commands.NewPatient{Patient: bo, Contact: patient.Contact{Email: "x"}}), nil, patient.ErrInvalidEmail},
		step{"the same identifier twice", importing(elm, ann, ann), nil, patient.ErrExists},
		step{"two are new", importing(elm, ann, commands.NewPatient{Patient: known, Name: "Other"}, bob), events, nil},
	)
	if !slices.Equal(registered, []patient.ID{ann.Patient, bo}) {
		t.Errorf("%v are registered", registered)
	}
	s.play(t, step{"again", importing(elm, ann, bob), nil, nil})
	if len(registered) > 0 {
		t.Errorf("%v are registered again", registered)
	}
}

func TestDetailsOfOwnPatientsChange_D73(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	ann, theirs := s.patient(t, elm), s.patient(t, oak)
	change := func(tenant string, id patient.ID, name string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.ChangePatientDetails(ctx,
				commands.ChangePatientDetails{Tenant: tenant, Patient: id, Name: name, BirthDate: "1980-02-28"})
		}
	}
	changed := []event.Event{patient.DetailsChanged{Patient: ann, Name: "Ann Baker", BirthDate: "1980-02-28"}}
	s.play(t,
		step{"unknown patient", change(elm, unknownPatient, "Ann Baker"), nil, patient.ErrUnknown},
		step{"another practice's patient", change(elm, theirs, "Ann Baker"), nil, patient.ErrUnknown},
		step{"no name", change(elm, ann, ""), nil, patient.ErrNameless},
		step{"changed", change(elm, ann, " Ann Baker"), changed, nil},
		step{"to what they are", change(elm, ann, "Ann Baker"), changed, nil},
	)
}

func TestRecordIsRestrictedToStaff_D17(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.member(t, elm, "dr.lee")
	s.member(t, elm, "dr.kim")
	s.member(t, oak, "dr.oak")
	ann, theirs := s.patient(t, elm), s.patient(t, oak)
	lee := made[staff.ID](t)(s.StaffByUsername(t.Context(), elm, "dr.lee"))
	kim := made[staff.ID](t)(s.StaffByUsername(t.Context(), elm, "dr.kim"))
	restrict := func(tenant string, id patient.ID, usernames ...string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s, Staff: s}.RestrictPatientRecord(ctx,
				commands.RestrictPatientRecord{Tenant: tenant, Patient: id, Usernames: usernames})
		}
	}
	to := func(members ...staff.ID) []event.Event {
		return []event.Event{patient.RecordRestricted{Patient: ann, Staff: members}}
	}
	s.play(t,
		step{"unknown patient", restrict(elm, patient.ID{UUID: uuid.New()}, "dr.lee"), nil, patient.ErrUnknown},
		step{"another practice's patient", restrict(elm, theirs, "dr.lee"), nil, patient.ErrUnknown},
		step{"another practice's staff", restrict(elm, ann, "dr.lee", "dr.oak"), nil, staff.ErrUnknown},
		step{"it is not restricted", restrict(elm, ann), nil, nil},
		step{"to one", restrict(elm, ann, "dr.lee"), to(lee), nil},
		step{"to the same", restrict(elm, ann, "dr.lee"), nil, nil},
		step{"to the same, said twice", restrict(elm, ann, "dr.lee", "dr.lee"), nil, nil},
		step{"to two", restrict(elm, ann, "dr.kim", "dr.lee"), to(lee, kim), nil},
		step{"to the same two", restrict(elm, ann, "dr.lee", "dr.kim"), nil, nil},
		step{"to no staff", restrict(elm, ann), []event.Event{patient.RestrictionLifted{Patient: ann}}, nil},
		step{"lifted already", restrict(elm, ann), nil, nil},
		step{"unknown is lifted", restrict(elm, patient.ID{UUID: uuid.New()}), nil, patient.ErrUnknown},
	)
}
