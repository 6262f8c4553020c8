package staff_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
)

var drLee = staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Administrator: true}

func register(r staff.Registered) eventtest.Outcome { return eventtest.Decided(staff.Register(r)) }

func TestStaffHaveNameAndEmail(t *testing.T) {
	t.Parallel()
	register(drLee).Then(t, drLee)
	register(staff.Registered{Username: "lee", Email: "lee@elm.example"}).Refuses(t, staff.ErrNameless)
	register(staff.Registered{Username: "lee", Name: strings.Repeat("é", parse.MaxName+1), Email: "lee@elm.example"}).Refuses(t, parse.ErrLongName)
	for _, email := range []string{"", "lee", "lee@", "Lee <lee@elm.example>", "a@b@c"} {
		register(staff.Registered{Username: "lee", Name: "Lee", Email: email}).Refuses(t, staff.ErrInvalidEmail)
	}
}

func TestUsernames_D35(t *testing.T) {
	t.Parallel()
	for username, allowed := range map[string]bool{
		"lee": true, "Dr Lee": true, "ö": true, strings.Repeat("ö", 128): true,
		"": false, strings.Repeat("a", 129): false, "a\x00b": false, "a\nb": false, "a\u200bb": false, "\xff": false,
		"0190c7a2-0000-7000-8000-00000000000a": false, "0190C7A2-0000-7000-8000-00000000000A": false,
	} {
		_, err := staff.Register(staff.Registered{Username: username, Name: "x", Email: "x@y.example"})
		if (err == nil) != allowed {
			t.Errorf("username %q: %v, want allowed = %t", username, err, allowed)
		}
	}
}

func TestDeactivatedStaffMayNotAct_D14(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]

	given(drLee).When(staff.Member.Deactivate).Then(t, staff.Deactivated{})
	given(drLee, staff.Deactivated{}).When(staff.Member.Deactivate).Then(t)
	given().When(staff.Member.Deactivate).Refuses(t, staff.ErrUnknown)
	if err := event.Fold[staff.Member](drLee).Active(); err != nil {
		t.Error(err)
	}
	if err := event.Fold[staff.Member](drLee, staff.Deactivated{}).Active(); !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("got %v, want %v", err, staff.ErrUnknown)
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, ruleOf(staff.Clinician, staff.Manager), resetAsked, staff.ResetWithdrawn{Reset: resetAsked.Reset}, drLee, staff.Deactivated{}, passwordSet, staff.RolesSet{Roles: staff.Roles{staff.Clinician, staff.Manager}},
		staff.Invited{Link: link}, staff.Reset{Link: link}, staff.Reactivated{}, phone, staff.PasskeyRemoved{Passkey: phone.Passkey},
		signedIn, signedOut, failed, lockedOut,
		staff.TeamSet{Team: staff.TeamID{UUID: lee.UUID}, Name: "GPs", Members: []staff.ID{lee}}, staff.TeamRemoved{Team: staff.TeamID{UUID: lee.UUID}})
}
