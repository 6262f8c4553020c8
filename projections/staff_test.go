package projections_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var registeredLee = staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Administrator: true}

func TestAMemberOfStaffIsARow_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	const row = `{"tenant": "elm-street", "staff": "0190c7a2-0000-7000-8000-0000000000b1", "username": "dr.lee", "name": "Dr Lee",
		"email": "lee@elm.example", "administrator": true, "active": `
	d.happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.wantTable(t, "staff", row+`true}`)
	d.happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	d.wantTable(t, "staff", row+`false}`)
}

func TestAUsernameIsTakenOnceInAPractice_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.refuses(t, staff.ErrUsernameTaken, staff.StreamOf(elm, kim), registeredLee)
	d.happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	d.refuses(t, staff.ErrUsernameTaken, staff.StreamOf(elm, kim), registeredLee) // who has left keeps it: events of old name them

	other := registeredLee
	other.Username = "Dr.Lee"
	d.happens(t, staff.StreamOf(elm, kim), other)
	d.happens(t, staff.StreamOf(oak, staff.ID{UUID: uuid.New()}), registeredLee)
}

func TestStaffAreFoundByTheirUsernamesWhileTheyAreActive_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	people := projections.Staff{DB: d.pool}
	find := func(tenant, username string, want staff.ID, refusal error) {
		t.Helper()
		if got, err := people.StaffByUsername(t.Context(), tenant, username); got != want || !errors.Is(err, refusal) {
			t.Errorf("%s of %s is %s, %v", username, tenant, got, err)
		}
	}
	d.happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.happens(t, staff.StreamOf(oak, kim), registeredLee)
	find(elm, "dr.lee", lee, nil)
	find(oak, "dr.lee", kim, nil)
	find(elm, "Dr.Lee", staff.ID{}, staff.ErrUnknown)
	find("nobody", "dr.lee", staff.ID{}, staff.ErrUnknown)
	d.happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	find(elm, "dr.lee", staff.ID{}, staff.ErrUnknown)
	find(oak, "dr.lee", kim, nil)
}
