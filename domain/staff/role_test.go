package staff_test

import (
	"errors"
	"slices"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

func TestRolesAreInOrderAndEachOnce(t *testing.T) {
	t.Parallel()
	got, err := staff.RolesOf(staff.PrivacyOfficer, staff.Clinician, staff.Clinician)
	if err != nil || !slices.Equal(got, staff.Roles{staff.Clinician, staff.PrivacyOfficer}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := staff.RolesOf(); err != nil || got == nil || len(got) != 0 {
		t.Errorf("no roles are %v, %v", got, err)
	}
	if _, err := staff.RolesOf(staff.Manager, "administrator"); !errors.Is(err, staff.ErrUnknownRole) {
		t.Errorf("got %v, want %v", err, staff.ErrUnknownRole)
	}
}

func TestRolesAreSet_D63(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	kim := staff.Registered{Username: "kim", Name: "Kim", Email: "kim@elm.example"}
	to := func(roles ...staff.Role) func(staff.Member) ([]event.Event, error) {
		return func(m staff.Member) ([]event.Event, error) { return m.SetRoles(roles) }
	}
	set := func(roles ...staff.Role) staff.RolesSet { return staff.RolesSet{Roles: roles} }

	given(kim).When(to(staff.Clinician)).Then(t, set(staff.Clinician))
	given(kim).When(to()).Then(t)
	given(drLee).When(to(staff.Manager)).Then(t) // the former administrator
	given(drLee).When(to()).Then(t, set())
	given(drLee, set(staff.Clinician)).When(to(staff.Manager)).Then(t, set(staff.Manager))
	given(drLee, staff.Deactivated{}).When(to()).Refuses(t, staff.ErrUnknown)
	given().When(to()).Refuses(t, staff.ErrUnknown)
}

// The table of rights, repeated by hand: the test finds a role with more rights, or an
// action without a line.
func TestPermissionsOfRoles_D63(t *testing.T) {
	t.Parallel()
	everybody := append(staff.AllRoles(), "")
	want := map[staff.Action][]staff.Role{
		staff.ManageOwnAccount:        everybody,
		staff.GiveOwnAuthorisations:   everybody,
		staff.EndOthersAuthorisations: {staff.Manager},
		staff.ManagePeople:            {staff.Manager},
		"something new":               {},
	}
	for action, roles := range want {
		for _, role := range everybody {
			has := staff.Roles{role}
			if role == "" {
				has = staff.Roles{}
			}
			if got := has.May(action); got != slices.Contains(roles, role) {
				t.Errorf("%v may %q: %t", has, action, got)
			}
		}
	}
}
