package projections_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func (d *day) names() projections.Names { return projections.Names{DB: d.pool, Opens: d.keys} }

func TestANameIsInTheEventsOfThePracticesPatient_D68(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.happens(t, patient.StreamOf(oak, ann), patient.Registered{Patient: ann, Name: "Ann Oakes"})
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, ann).ID, 1, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{lee}})
	got, err := d.names().Of(t.Context(), elm, ann, bill, patient.ID{UUID: lee.UUID})
	want := map[patient.ID]projections.PatientName{ann: {Name: "Ann Archer", BirthDate: "1980-02-29"}, bill: {Name: "Bill Baker"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, names (-want +got):\n%s", err, diff)
	}
	got, err = d.names().Of(t.Context(), oak, ann, bill)
	want = map[patient.ID]projections.PatientName{ann: {Name: "Ann Oakes"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("elsewhere: error %v, names (-want +got):\n%s", err, diff)
	}
}

// The row of an erased patient is deleted with the key. A read between the two shows
// nothing.
func TestNameWithDestroyedKeyIsHidden_D70(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.happens(t, event.Stream{Tenant: elm, ID: subject.Appointment.UUID}, booked, calledIn)
	board := projections.CallInBoard{DB: d.pool, Names: d.names()}
	d.follow(t, board)
	if got, err := board.Showing(t.Context(), elm, main, display.FullName, noon); len(got) != 1 || err != nil {
		t.Fatalf("the board shows %v, error %v", got, err)
	}
	d.erases(t, ann)
	board.Names = d.names()
	if got, err := board.Showing(t.Context(), elm, main, display.FullName, noon); len(got) != 0 || err != nil {
		t.Errorf("the board shows %v, error %v", got, err)
	}
	if got, err := (projections.CareRecords{DB: d.pool, Opens: d.keys}).Of(t.Context(), elm, ann, false); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("the care record is %v, error %v", got, err)
	}
}

// erases only destroys the key of a patient. The keyring is another process's.
func (d *day) erases(t *testing.T, id patient.ID) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE kind = 1 AND holder = $1`,
		`DELETE FROM personal_keys WHERE kind = 1 AND holder = $1`,
	} {
		if _, err := d.db.AdminPool(t).Exec(t.Context(), statement, id); err != nil {
			t.Fatal(err)
		}
	}
	d.freshKeys(t)
}

// freshKeys is the keyring of another process, which has cached no key yet.
func (d *day) freshKeys(t testing.TB) {
	t.Helper()
	d.keys = &keyring.Keyring{DB: postgres.On(d.pool), Codec: d.codec, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3})}
	if err := d.keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
