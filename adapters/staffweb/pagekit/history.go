package pagekit

import (
	"log/slog"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// HistoryRow is one entry of the history of a member's account.
type HistoryRow struct{ What, By, At string }

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

// History are entries of the history of the member's account. The failed attempts are those
// of a period.
func (s *Site) History(r *Request, entries []history.AccountEvent, period string) (rows []HistoryRow, err error) {
	names := map[uuid.UUID]string{}
	for _, e := range entries {
		row := HistoryRow{What: eventTexts[e.Name], At: Moment(e.At, r.Practice.Zone)}
		if e.Tries > 0 {
			row.What = "The last of " + strconv.Itoa(e.Tries) + " failed attempts to sign in as you, " + period
			if e.Tries == 1 {
				row.What = "A failed attempt to sign in as you"
			}
		} else if row.By, err = s.ActorName(r, names, e.By); err != nil {
			return nil, err
		}
		if row.What != "" {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// ActorName names who did something to an account or a practice; "" for the service itself.
// It keeps the names that it has read, because the same few people do most.
func (s *Site) ActorName(r *Request, names map[uuid.UUID]string, by event.Actor) (name string, err error) {
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

// news is what happened since the last sign-in, on the first page after a sign-in. A page is
// shown without it if it cannot be read: the page of the account has all of it.
func (s *Site) news(r *Request, page View) []HistoryRow {
	if page.Fragment != "" || r.HTTP.Method == http.MethodHead || r.isAutomatic() {
		return nil
	}
	rows, err := s.newsRows(r)
	if err != nil {
		s.Log.ErrorContext(r.Context(), "what happened since the last sign-in cannot be read", slog.String("request_id", r.ID), slog.Any("error", err))
	}
	return rows
}

func (s *Site) newsRows(r *Request) (rows []HistoryRow, err error) {
	news, err := s.Auth.News(r.Context(), r.Tenant, r.Session)
	if err != nil {
		return nil, err
	}
	if rows, err = s.History(r, news.Account, "since then"); err != nil {
		return nil, err
	}
	if !news.Browser.IsZero() {
		rows = append(rows, HistoryRow{What: "Someone signed in as you with a browser that had not been used before", At: Moment(news.Browser, r.Practice.Zone)})
	}
	names := map[uuid.UUID]string{}
	for _, c := range news.Rules {
		by, err := s.ActorName(r, names, c.By)
		if err != nil {
			return nil, err
		}
		rows = append(rows, HistoryRow{What: "Roles that need a passkey: " + RoleList(c.Roles), By: by, At: Moment(c.At, r.Practice.Zone)})
	}
	return rows, nil
}
