package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Two members of staff erase a patient only if no third person could have been both.
func TestIndependentAccounts_D135(t *testing.T) {
	t.Parallel()
	asker, second, manager, other := uuid.New(), uuid.New(), event.Staff(uuid.New()), event.Staff(uuid.New())
	asked := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(before time.Duration, by event.Actor, events ...event.Event) (history []event.Recorded) {
		for _, e := range events {
			history = append(history, event.Recorded{Event: e, At: asked.Add(-before), Metadata: event.Metadata{Actor: by}})
		}
		return history
	}
	opened := func(before time.Duration, by event.Actor) []event.Recorded {
		officer := staff.RolesSet{Roles: staff.Roles{staff.PrivacyOfficer}}
		return at(before, by, staff.Registered{}, officer, staff.Invited{})
	}
	const week = 7 * 24 * time.Hour
	passkey := staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.New()}}
	withPasskey := func(before time.Duration, member uuid.UUID) []event.Recorded {
		return append(opened(week, manager), at(before, event.Staff(member), passkey)...)
	}

	for name, c := range map[string]struct {
		asker, second []event.Recorded
		want          error
	}{
		"opened by two people":           {opened(week, manager), opened(week, other), nil},
		"opened by one manager":          {opened(week, manager), opened(week, manager), staff.ErrOneOpener},
		"with passkeys from before":      {withPasskey(time.Hour, asker), withPasskey(time.Hour, second), nil},
		"with one passkey":               {withPasskey(time.Hour, asker), opened(week, manager), staff.ErrOneOpener},
		"with a passkey added after":     {withPasskey(time.Hour, asker), withPasskey(-time.Hour, second), staff.ErrOneOpener},
		"with a passkey removed":         {withPasskey(time.Hour, asker), append(withPasskey(time.Hour, second), at(0, event.Staff(second), staff.PasskeyRemoved{Passkey: passkey.Passkey})...), staff.ErrOneOpener},
		"opened by the other":            {opened(week, manager), opened(week, event.Staff(asker)), staff.ErrOpenedByOther},
		"opened by an operator for them": {opened(week, manager), opened(week, event.Operator("alice", "").ActingFor(asker)), staff.ErrOpenedByOther},
		"invited 23 hours before":        {opened(week, manager), opened(23*time.Hour, other), staff.ErrRecentAccount},
		"invited 24 hours before":        {opened(week, manager), opened(24*time.Hour, other), nil},
		"reset after the request":        {append(opened(week, manager), at(-time.Hour, other, staff.Reset{})...), opened(week, other), staff.ErrRecentAccount},
		"reactivated after the request":  {opened(week, manager), append(opened(week, other), at(-time.Hour, other, staff.Reactivated{}, staff.Invited{})...), staff.ErrRecentAccount},
		"given the role after":           {opened(week, manager), append(at(week, other, staff.Registered{}, staff.Invited{}), at(-time.Hour, other, staff.RolesSet{Roles: staff.Roles{staff.PrivacyOfficer}})...), staff.ErrRecentAccount},
		"made manager after":             {opened(week, manager), append(opened(week, other), at(time.Hour, other, staff.RolesSet{Roles: staff.Roles{staff.Manager, staff.PrivacyOfficer}})...), staff.ErrRecentAccount},
		"given another role":             {opened(week, manager), append(opened(week, other), at(time.Hour, other, staff.RolesSet{Roles: staff.Roles{staff.Clinician, staff.PrivacyOfficer}})...), nil},
		"a password of their own":        {opened(week, manager), append(opened(week, other), at(time.Hour, event.Staff(second), staff.PasswordSet{})...), nil},
		"a password by an operator":      {opened(week, manager), append(opened(week, other), at(time.Hour, event.Operator("alice", ""), staff.PasswordSet{})...), staff.ErrRecentAccount},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := staff.Independent(event.Staff(asker), asked, event.Staff(second), staff.AccountOf(asker, c.asker), staff.AccountOf(second, c.second))
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// An operator is the second person where they did not open the first one's account.
func TestIndependentOperator_D135(t *testing.T) {
	t.Parallel()
	asker, asked := uuid.New(), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	history := []event.Recorded{
		{Event: staff.Registered{}, At: asked.Add(-48 * time.Hour), Metadata: event.Metadata{Actor: event.Operator("alice", "")}},
		{Event: staff.PasswordSet{}, At: asked.Add(-47 * time.Hour), Metadata: event.Metadata{Actor: event.Staff(asker)}},
	}
	for operator, want := range map[string]error{"alice": staff.ErrOpenedByOther, "bob": nil} {
		if err := staff.Independent(event.Staff(asker), asked, event.Operator(operator, "desk"), staff.AccountOf(asker, history)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", operator, err, want)
		}
	}
}
