package staff

import (
	"slices"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// PasskeyPeriod is how long a member can work without the passkey that their role needs.
const PasskeyPeriod = 14 * 24 * time.Hour

// PasskeyRuleSet records the roles that need a passkey from now on; an empty list is none.
type PasskeyRuleSet struct {
	Roles Roles `json:"roles"`
}

// EventName returns the name that the event is stored under.
func (PasskeyRuleSet) EventName() string { return "staff.passkey-rule-set.v1" }

// The refusals of rule 11.
var (
	ErrRuleWeakened = fault.New(fault.Refused, "passkey-rule-weakened",
		"Have a manager with a passkey take a role off the list of those that need a passkey: no one else can.")
	ErrRuleForManagers = fault.New(fault.Refused, "passkey-rule-for-managers", "Only a manager can set which roles need a passkey.")
	ErrRuleChanged     = fault.New(fault.Conflict, "passkey-rule-changed", "Read the roles again: a colleague has changed which of them need a passkey.")
	ErrLastPasskey     = fault.New(fault.Refused, "last-passkey", "Add another passkey before you remove this one: your role needs a passkey.")
)

// PasskeyRoles returns the roles that need a passkey at a practice that has not chosen them.
func PasskeyRoles() Roles { return Roles{Manager, PrivacyOfficer} }

// PasskeyRuleStream returns the stream of a practice's rule of passkeys.
func PasskeyRuleStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("passkey-rule", tenant)}
}

// PasskeyRule is which roles need a passkey at a practice.
type PasskeyRule struct {
	Version int // how often it was set; 0 for the default
	roles   Roles
}

// Roles returns the roles that need a passkey.
func (r PasskeyRule) Roles() Roles {
	if r.Version == 0 {
		return PasskeyRoles()
	}
	return r.roles
}

// Requires reports whether one of a member's roles needs a passkey.
func (r PasskeyRule) Requires(roles Roles) bool { return slices.ContainsFunc(roles, r.Roles().Has) }

// Set replaces the roles (rule 11). Seen is the version that the author has read; a
// negative one is not compared. The same roles again change nothing. Only some may weaken
// the rule: take a role off.
func (r PasskeyRule) Set(roles Roles, seen int, mayWeaken bool) ([]event.Event, error) {
	switch {
	case seen >= 0 && seen != r.Version:
		return nil, ErrRuleChanged
	case slices.Equal(r.Roles(), roles):
		return nil, nil
	case !mayWeaken && slices.ContainsFunc(r.Roles(), func(role Role) bool { return !roles.Has(role) }):
		return nil, ErrRuleWeakened
	}
	return []event.Event{PasskeyRuleSet{roles}}, nil
}

// MaySetPasskeyRule reports whether the member may also weaken the rule, or refuses if they
// may not set it at all (rule 11).
func (m Member) MaySetPasskeyRule() (weaken bool, err error) {
	if m.Active() != nil || !m.roles.Has(Manager) {
		return false, ErrRuleForManagers
	}
	return len(m.passkeys) > 0, nil
}

// lacksPasskey reports whether the member signs in without a passkey that the rule requires.
func (m Member) lacksPasskey(rule PasskeyRule) bool {
	return m.signsIn && m.Active() == nil && len(m.passkeys) == 0 && rule.Requires(m.roles)
}

// Apply returns the rule after the event.
func (r PasskeyRule) Apply(e event.Event) PasskeyRule {
	if e, ok := e.(PasskeyRuleSet); ok {
		r.Version, r.roles = r.Version+1, e.Roles
	}
	return r
}

// Events returns the events of the stream of a rule of passkeys.
func (PasskeyRule) Events() []event.Event { return []event.Event{PasskeyRuleSet{}} }

// PasskeyBy returns when a member can no longer work without a passkey, by the histories of
// the rule and of the member; zero if they have one, or need none (rule 12).
func PasskeyBy(rules, member []event.Recorded) time.Time {
	var c passkeyCount
	for _, r := range member {
		for len(rules) > 0 && !rules[0].At.After(r.At) {
			c = c.after(rules[0])
			rules = rules[1:]
		}
		c = c.after(r)
	}
	for _, r := range rules {
		c = c.after(r)
	}
	if !c.member.lacksPasskey(c.rule) {
		return time.Time{}
	}
	return c.since.Add(PasskeyPeriod)
}

// passkeyCount counts the days of a member without the passkey that they need.
type passkeyCount struct {
	rule   PasskeyRule
	member Member
	since  time.Time // when the count began; zero for a new one
	until  time.Time // when they last ceased to need one
}

func (c passkeyCount) after(r event.Recorded) passkeyCount {
	before := c.member.lacksPasskey(c.rule)
	c.rule, c.member = c.rule.Apply(r.Event), c.member.Apply(r.Event)
	now := c.member.lacksPasskey(c.rule)
	_, ruled := r.Event.(PasskeyRuleSet)
	switch {
	case before && !now:
		c.until = r.At
	case !before && now && (ruled || c.since.IsZero() || !r.At.Before(c.until.Add(PasskeyPeriod))):
		c.since = r.At
	}
	if startsPasskeyCount(r) {
		c.since = time.Time{}
	}
	return c
}

// startsPasskeyCount reports whether the days before an event no longer count: the member
// has a passkey, or an operator has opened the account again.
func startsPasskeyCount(r event.Recorded) bool {
	switch r.Event.(type) {
	case PasskeyAdded:
		return true
	case Reset, Reactivated:
		return r.Metadata.Actor.Kind == event.ByOperator
	}
	return false
}
