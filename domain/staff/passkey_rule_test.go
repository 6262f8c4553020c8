package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

func ruleOf(roles ...staff.Role) staff.PasskeyRuleSet {
	return staff.PasskeyRuleSet{Roles: append(staff.Roles{}, roles...)}
}

func TestWeakeningTheRuleNeedsAPasskey_D152(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.PasskeyRule]
	set := func(roles staff.Roles, seen int, mayWeaken bool) func(staff.PasskeyRule) ([]event.Event, error) {
		return func(r staff.PasskeyRule) ([]event.Event, error) { return r.Set(roles, seen, mayWeaken) }
	}
	three := staff.Roles{staff.Clinician, staff.Manager, staff.PrivacyOfficer}

	given().When(set(staff.PasskeyRoles(), 0, false)).Then(t)
	given().When(set(three, 0, false)).Then(t, ruleOf(three...))
	given().When(set(staff.Roles{staff.Manager}, 0, false)).Refuses(t, staff.ErrRuleWeakened)
	given().When(set(staff.Roles{}, 0, false)).Refuses(t, staff.ErrRuleWeakened)
	given().When(set(staff.Roles{}, 0, true)).Then(t, ruleOf())
	given(ruleOf()).When(set(staff.PasskeyRoles(), 1, false)).Then(t, ruleOf(staff.Manager, staff.PrivacyOfficer))
	given(ruleOf(three...)).When(set(staff.PasskeyRoles(), -1, false)).Refuses(t, staff.ErrRuleWeakened)
	given(ruleOf(three...)).When(set(three, -1, false)).Then(t)
	// A page that was opened before another manager added a role would take it off again.
	given(ruleOf(three...)).When(set(staff.PasskeyRoles(), 0, true)).Refuses(t, staff.ErrRuleChanged)
	// Another role in place of one of them weakens the rule, too.
	given().When(set(staff.Roles{staff.Clinician, staff.Manager}, 0, false)).Refuses(t, staff.ErrRuleWeakened)
}

func TestOnlyManagersSetPasskeyRule_D152(t *testing.T) {
	t.Parallel()
	officer := []event.Event{drLee, passwordSet, phone, staff.RolesSet{Roles: staff.Roles{staff.PrivacyOfficer}}}
	for name, c := range map[string]struct {
		history []event.Event
		weaken  bool
		refusal error
	}{
		"a manager":                 {[]event.Event{drLee, passwordSet}, false, nil},
		"with a passkey":            {[]event.Event{drLee, passwordSet, phone}, true, nil},
		"whose passkey was reset":   {[]event.Event{drLee, passwordSet, phone, staff.Reset{Link: link}, passwordSet}, false, nil},
		"an officer with one":       {officer, false, staff.ErrRuleForManagers},
		"who has left":              {[]event.Event{drLee, passwordSet, phone, staff.Deactivated{}}, false, staff.ErrRuleForManagers},
		"of another practice":       {nil, false, staff.ErrRuleForManagers},
		"who was an officer so far": {append(officer, staff.RolesSet{Roles: staff.Roles{staff.Manager}}), true, nil},
	} {
		if weaken, err := event.Fold[staff.Member](c.history...).MaySetPasskeyRule(); weaken != c.weaken || !errors.Is(err, c.refusal) {
			t.Errorf("%s: may weaken = %t, %v, want %t, %v", name, weaken, err, c.weaken, c.refusal)
		}
	}
}

func TestLastNeededPasskeyStays_D152(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	remove := func(rule ...event.Event) func(staff.Member) ([]event.Event, error) {
		return func(m staff.Member) ([]event.Event, error) {
			return m.RemovePasskey(phone.Passkey, event.Fold[staff.PasskeyRule](rule...))
		}
	}
	other := staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.UUID{1}}}
	removed := staff.PasskeyRemoved{Passkey: phone.Passkey}
	receptionist := staff.RolesSet{Roles: staff.Roles{staff.Receptionist}}

	given(drLee, passwordSet, phone).When(remove()).Refuses(t, staff.ErrLastPasskey)
	given(drLee, passwordSet, phone, other).When(remove()).Then(t, removed)
	given(drLee, passwordSet, phone, other, staff.PasskeyRemoved{Passkey: other.Passkey}).When(remove()).Refuses(t, staff.ErrLastPasskey)
	given(drLee, passwordSet, phone).When(remove(ruleOf())).Then(t, removed)
	given(drLee, passwordSet, phone, receptionist).When(remove()).Then(t, removed)
	given(drLee, passwordSet, phone, receptionist).When(remove(ruleOf(staff.Receptionist))).Refuses(t, staff.ErrLastPasskey)
	given(drLee, passwordSet, other).When(remove()).Then(t)
}

// on is an event on a day after the first of May.
func on(day float64, e event.Event, by ...event.Actor) event.Recorded {
	r := event.Recorded{Event: e, At: dayOf(day)}
	for _, actor := range by {
		r.Metadata.Actor = actor
	}
	return r
}

func dayOf(day float64) time.Time {
	return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(day * 24 * float64(time.Hour)))
}

func TestDaysWithoutAPasskeyAreCounted_D152(t *testing.T) {
	t.Parallel()
	type events = []event.Recorded
	manager, receptionist := staff.RolesSet{Roles: staff.Roles{staff.Manager}}, staff.RolesSet{Roles: staff.Roles{staff.Receptionist}}
	left, back, reset := staff.Deactivated{}, staff.Reactivated{}, staff.Reset{Link: link}
	operator := event.Operator("alice", "")
	opened := events{on(0, drLee), on(1, passwordSet)}
	with := func(more ...event.Recorded) events { return append(append(events{}, opened...), more...) }
	never := time.Time{}
	for name, c := range map[string]struct {
		rule, member events
		want         time.Time
	}{
		"nobody":                               {nil, nil, never},
		"invited, with no password yet":        {nil, events{on(0, drLee)}, never},
		"from the first password":              {nil, opened, dayOf(15)},
		"another password":                     {nil, with(on(9, passwordSet)), dayOf(15)},
		"with a passkey":                       {nil, with(on(3, phone)), never},
		"a role that needs none":               {nil, with(on(3, receptionist)), never},
		"from the role":                        {nil, with(on(3, receptionist), on(40, manager)), dayOf(54)},
		"a role taken and given back":          {nil, with(on(3, receptionist), on(16, manager)), dayOf(15)},
		"given back 14 days later":             {nil, with(on(3, receptionist), on(17, manager)), dayOf(31)},
		"given back twice":                     {nil, with(on(3, receptionist), on(16, manager), on(16.5, receptionist), on(30, manager)), dayOf(15)},
		"a reset goes on":                      {nil, with(on(14, reset), on(14.1, passwordSet)), dayOf(15)},
		"an operator's reset":                  {nil, with(on(20, reset, operator), on(21, passwordSet)), dayOf(35)},
		"an operator acting for a manager":     {nil, with(on(20, reset, operator.ActingFor(uuid.New())), on(21, passwordSet)), dayOf(35)},
		"a reset of somebody with a passkey":   {nil, with(on(3, phone), on(50, reset), on(51, passwordSet)), dayOf(65)},
		"left and back":                        {nil, with(on(14, left), on(14.1, back), on(14.2, passwordSet)), dayOf(15)},
		"back after a year":                    {nil, with(on(14, left), on(379, back), on(380, passwordSet)), dayOf(394)},
		"who has left":                         {nil, with(on(5, left)), never},
		"a passkey removed while it may":       {nil, with(on(2, phone), on(3, receptionist), on(4, staff.PasskeyRemoved{Passkey: phone.Passkey}), on(5, manager)), dayOf(19)},
		"a rule that needs none":               {events{on(0, ruleOf())}, opened, never},
		"from the rule":                        {events{on(0, ruleOf()), on(70, ruleOf(staff.Manager))}, opened, dayOf(84)},
		"a rule for more roles":                {events{on(10, ruleOf(staff.Clinician, staff.Manager))}, opened, dayOf(15)},
		"a rule weakened and back":             {events{on(10, ruleOf()), on(12, ruleOf(staff.Manager))}, opened, dayOf(26)},
		"a rule for a role that they had":      {events{on(30, ruleOf(staff.Receptionist))}, with(on(2, receptionist)), dayOf(44)},
		"a rule before anybody signs in":       {events{on(-3, ruleOf(staff.Receptionist))}, with(on(2, receptionist)), dayOf(16)},
		"of the default, the rule is for ever": {events{on(90, ruleOf(staff.Manager))}, opened, dayOf(15)},
	} {
		if got := staff.PasskeyBy(c.rule, c.member); !got.Equal(c.want) {
			t.Errorf("%s: until %v, want %v", name, got, c.want)
		}
	}
}
