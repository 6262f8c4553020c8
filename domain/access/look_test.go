package access_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

var (
	annsID = patient.ID{UUID: uuid.MustParse("0198a1b2-0000-7000-8000-000000000001")}
	bobsID = patient.ID{UUID: uuid.MustParse("0198a1b2-0000-7000-8000-000000000002")}
	maysID = staff.ID{UUID: uuid.MustParse("0198a1b2-0000-7000-8000-000000000003")}

	lookedAt = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
)

// The stored form is in signed trees, so it must not change.
func TestStoredFormOfShownPatients_D91(t *testing.T) {
	t.Parallel()
	for want, patients := range map[string][]patient.ID{
		`{"patients":[]}`: nil,
		`{"patients":["0198a1b2-0000-7000-8000-000000000002","0198a1b2-0000-7000-8000-000000000001"]}`: {bobsID, annsID},
	} {
		look := access.Look(uuid.New(), lookedAt, "elm", maysID, "inbox", patients)
		back, err := access.ParseShownPatients(look.ShownPatients())
		if look.ShownPatients() != want || err != nil || !slices.Equal(back, patients) {
			t.Errorf("%v is stored as %s, want %s, and read back as %v, %v", patients, look.ShownPatients(), want, back, err)
		}
	}
	for _, text := range []string{"Ann", `{"patients":["0198a1b2-0000-7000-8000-000000000001",5]}`} {
		if back, err := access.ParseShownPatients(text); err == nil {
			t.Errorf("%s is read as %v", text, back)
		}
	}
}

func TestCallsActor(t *testing.T) {
	t.Parallel()
	app := application.ID{UUID: uuid.MustParse("0198a1b2-0000-7000-8000-000000000004")}
	act := &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Jo Day"}}
	call := access.Call{Application: app, Mode: application.ApplicationRestricted, Act: act}
	if diff := cmp.Diff(event.Application(app.UUID, string(application.ApplicationRestricted), act), call.Actor()); diff != "" {
		t.Errorf("a call of the application (-want +got):\n%s", diff)
	}
	call.Staff, call.Mode = maysID, application.UserRestricted
	if diff := cmp.Diff(event.Staff(maysID.UUID).Through(app.UUID, string(application.UserRestricted), act), call.Actor()); diff != "" {
		t.Errorf("a call of a member of staff (-want +got):\n%s", diff)
	}
}

func TestALookIsTheMembers_D91(t *testing.T) {
	t.Parallel()
	look := access.Look(uuid.New(), lookedAt, "elm", maysID, "inbox", []patient.ID{annsID})
	call := access.Call{Patient: bobsID, Staff: maysID}
	board := access.Look(uuid.New(), lookedAt, "elm", staff.ID{}, "display:"+bobsID.String(), nil)
	if !look.Looked() || !look.Names(annsID) || look.Names(bobsID) || !call.Names(bobsID) || call.Names(annsID) || call.Looked() {
		t.Errorf("the look names others than it has shown: %+v, %+v", look, call)
	}
	for want, c := range map[string]access.Call{"staff:" + maysID.String(): look, "display:" + bobsID.String(): board} {
		if got := c.Actor().String(); got != want {
			t.Errorf("it was %s, want %s", got, want)
		}
	}
}
