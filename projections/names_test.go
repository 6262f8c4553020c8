package projections_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func TestNamesComeFromPatientEvents_D68(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.Happens(t, patient.StreamOf(oak, ann), patient.Registered{Patient: ann, Name: "Ann Oakes"})
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, ann).ID, 1, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{lee}})
	got, err := d.Names().Find(t.Context(), elm, ann, bill, patient.ID{UUID: lee.UUID})
	want := map[patient.ID]projections.PatientName{ann: {Name: "Ann Archer", BirthDate: "1980-02-29"}, bill: {Name: "Bill Baker"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, names (-want +got):\n%s", err, diff)
	}
	got, err = d.Names().Find(t.Context(), oak, ann, bill)
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
	d.Happens(t, event.Stream{Tenant: elm, ID: subject.Appointment.UUID}, booked, calledIn)
	board := projections.CallIns{DB: d.Pool, Names: d.Names()}
	if got, err := board.Current(t.Context(), elm, main, display.FullName, noon, 12); len(got) != 1 || err != nil {
		t.Fatalf("the board shows %v, error %v", got, err)
	}
	d.DestroyKey(t, ann)
	board.Names = d.Names()
	if got, err := board.Current(t.Context(), elm, main, display.FullName, noon, 12); len(got) != 0 || err != nil {
		t.Errorf("the board shows %v, error %v", got, err)
	}
	if got, err := (projections.CareRecords{DB: d.Pool, Opens: d.Keys}).Find(t.Context(), elm, ann, false); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("the care record is %v, error %v", got, err)
	}
}
