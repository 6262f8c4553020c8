package staff

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The refusals of a second person who is not independent of the first (rule 9).
var (
	ErrRecentAccount = fault.New(fault.Refused, "erasure-recent-account",
		"Have someone else confirm the erasure: the account of one of you was opened, reset or given its role later than 24 hours before the request.")
	ErrOpenedByOther = fault.New(fault.Refused, "erasure-opened-by-other",
		"Have someone else confirm the erasure: one of you has opened or reset the other’s account.")
	ErrOneOpener = fault.New(fault.Refused, "erasure-one-opener",
		"Have someone else confirm the erasure: one person has opened both of your accounts, and you did not both have a passkey before the request.")
)

// Account is how a member of staff came to sign in: who opened their account, and when it
// or one of its roles last changed.
type Account struct {
	Member   uuid.UUID
	OpenedBy event.Actor // invited, reset or reactivated them last
	changed  time.Time   // when another person last gave them a link, a password, or the role of a manager or a privacy officer
	passkeys map[PasskeyID]time.Time
	officer  bool
	manager  bool
}

// AccountOf returns the account of a member of staff, whose stream this is.
func AccountOf(member uuid.UUID, history []event.Recorded) Account {
	a := Account{Member: member, passkeys: map[PasskeyID]time.Time{}}
	for _, r := range history {
		switch e := r.Event.(type) {
		case Registered, Invited, Reset, Reactivated:
			a.OpenedBy, a.changed = r.Metadata.Actor, r.At
			if _, added := e.(Invited); !added {
				clear(a.passkeys)
			}
		case PasswordSet:
			if by := r.Metadata.Actor; by.Kind == event.ByOperator {
				a.OpenedBy, a.changed = by, r.At
			}
		case RolesSet:
			if officer, manager := e.Roles.Has(PrivacyOfficer), e.Roles.Has(Manager); officer != a.officer || manager && !a.manager {
				a.changed = r.At
			}
			a.officer, a.manager = e.Roles.Has(PrivacyOfficer), e.Roles.Has(Manager)
		case PasskeyAdded:
			a.passkeys[e.Passkey] = r.At
		case PasskeyRemoved:
			delete(a.passkeys, e.Passkey)
		}
	}
	return a
}

// openedBy reports whether an actor has opened the account.
func (a Account) openedBy(by event.Actor) bool {
	return a.OpenedBy.Kind == by.Kind && a.OpenedBy.ID == by.ID || a.OpenedBy.Member() != uuid.Nil && a.OpenedBy.Member() == by.Member()
}

// hadPasskey reports whether the member could sign in with a passkey at an instant, and
// still can.
func (a Account) hadPasskey(at time.Time) bool {
	for _, added := range a.passkeys {
		if added.Before(at) {
			return true
		}
	}
	return false
}

// Independent judges whether two people may request something at an instant and confirm
// it: each is an actor, with an account if they are a member of staff (rules 9 and 10).
func Independent(requestedBy event.Actor, at time.Time, by event.Actor, accounts ...Account) error {
	for _, a := range accounts {
		if a.changed.After(at.Add(-erasure.Soonest)) {
			return ErrRecentAccount
		}
		for _, other := range []event.Actor{requestedBy, by} {
			if other.Member() != a.Member && a.openedBy(other) {
				return ErrOpenedByOther
			}
		}
	}
	withoutPasskey := func(a Account) bool { return !a.hadPasskey(at) }
	if len(accounts) == 2 && accounts[0].openedBy(accounts[1].OpenedBy) && slices.ContainsFunc(accounts, withoutPasskey) {
		return ErrOneOpener
	}
	return nil
}
