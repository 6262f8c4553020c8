package projections_test

import (
	"testing"

	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func TestAPatientIsARowOfTheirPractice_D18(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	const (
		annRow  = `{"tenant": "elm-street", "patient": "0190c7a2-0000-7000-8000-0000000000a1", "restricted": `
		twinRow = `{"tenant": "oak-lane", "patient": "0190c7a2-0000-7000-8000-0000000000a1", "restricted": false}`
		openLee = `{"tenant": "elm-street", "patient": "0190c7a2-0000-7000-8000-0000000000a1", "staff": "0190c7a2-0000-7000-8000-0000000000b1"}`
		openKim = `{"tenant": "elm-street", "patient": "0190c7a2-0000-7000-8000-0000000000a1", "staff": "0190c7a2-0000-7000-8000-0000000000b2"}`
	)
	stream := patient.StreamOf(elm, ann)
	d.Happens(t, stream, patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"})
	d.Happens(t, patient.StreamOf(oak, ann), patient.Registered{Patient: ann, Name: "Ann Oakes"})
	d.wantTable(t, "patients", annRow+`false}`, twinRow)

	d.Happens(t, stream, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{lee, kim}})
	d.wantTable(t, "patients", annRow+`true}`, twinRow)
	d.wantTable(t, "record_restrictions", openLee, openKim)
	d.Happens(t, stream, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{kim}})
	d.wantTable(t, "record_restrictions", openKim)
	d.Happens(t, stream, patient.RestrictionLifted{Patient: ann})
	d.wantTable(t, "patients", annRow+`false}`, twinRow)
	d.wantTable(t, "record_restrictions")
}

func TestAPatientExistsWithinThePractice_D18(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.Happens(t, patient.StreamOf(elm, ann), patient.Registered{Patient: ann, Name: "Ann Archer"})
	for _, c := range []struct {
		tenant string
		id     patient.ID
		want   bool
	}{{elm, ann, true}, {oak, ann, false}, {elm, bill, false}, {elm, patient.ID{}, false}} {
		got, err := projections.Patients{DB: d.Pool}.PatientExists(t.Context(), c.tenant, c.id)
		if err != nil || got != c.want {
			t.Errorf("%s of %s: %t, %v", c.id, c.tenant, got, err)
		}
	}
}
