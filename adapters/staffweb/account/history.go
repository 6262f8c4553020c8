package account

import (
	"strconv"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// historyRow is one entry of the history of the member's account.
type historyRow struct{ What, By, At string }

// eventTexts are the entries of the history.
var eventTexts = map[string]string{
	staff.Registered{}.EventName():     "Your account was opened",
	staff.RolesSet{}.EventName():       "Your roles were set",
	staff.Invited{}.EventName():        "You were given a link to choose a password",
	staff.Reset{}.EventName():          "Your password and your passkeys were reset",
	staff.ResetRequested{}.EventName(): "A reset of your account was requested",
	staff.ResetWithdrawn{}.EventName(): "The reset of your account was stopped",
	staff.Deactivated{}.EventName():    "Your account was deactivated",
	staff.Reactivated{}.EventName():    "Your account was reactivated",
	staff.PasswordSet{}.EventName():    "A password was set",
	staff.PasskeyAdded{}.EventName():   "A passkey was added",
	staff.PasskeyRemoved{}.EventName(): "A passkey was removed",
}

// history returns the newest entries of the history of the member's account.
func (s *Section) history(r *pagekit.Request) (rows []historyRow, err error) {
	entries, err := s.History.Of(r.Context(), r.Tenant, r.Session.Staff, s.RealNow())
	if err != nil {
		return nil, err
	}
	names := map[uuid.UUID]string{} // the same few people change an account
	for _, e := range entries {
		row := historyRow{What: eventTexts[e.Name], At: pagekit.Moment(e.At, r.Practice.Zone)}
		if e.Tries > 0 {
			row.What = "The last of " + strconv.Itoa(e.Tries) + " failed attempts to sign in as you, in 30 days"
		} else if row.By, err = s.actorName(r, names, e.By); err != nil {
			return nil, err
		}
		if row.What != "" {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// actorName names who changed the account; "" for the service itself.
func (s *Section) actorName(r *pagekit.Request, names map[uuid.UUID]string, by event.Actor) (name string, err error) {
	switch member := by.Member(); {
	case by.Kind == event.ByOperator:
		return "an operator of this service", nil
	case member == r.Session.Staff.UUID:
		return "you", nil
	case by.Kind == event.ByStaff:
		if name, known := names[member]; known {
			return name, nil
		}
		_, name, err = s.Desk.Staff.NamesOf(r.Context(), r.Tenant, staff.ID{UUID: member})
		names[member] = name
		return name, err
	}
	return "", nil
}
