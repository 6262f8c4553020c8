package account

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/parse"
)

// accountPage is the page of one's own account.
type accountPage struct {
	Roles    string // in words
	Done     string // the last action; "" for none
	Sessions []sessionRow
	Others   bool // there are other sessions
	Reset    *resetNotice
	History  []pagekit.HistoryRow // newest first
	Token    string

	Shortcuts      bool // they are on, in this browser
	ShortcutsToken string
}

// sessionRow is one session.
type sessionRow struct {
	signin.OwnSession
	This                 bool // the current one
	SignedInAt, LastSeen string
}

// account shows members of staff their name, roles and sessions.
func (s *Section) account(r *pagekit.Request) error {
	own, err := s.Auth.Sessions.List(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return err
	}
	page := accountPage{
		Roles: pagekit.RoleList(r.Session.Roles), Done: doneTexts[r.Form.Get("done")], Others: len(own) > 1, Token: r.Session.FormToken("sessions"),
		Shortcuts: s.HasShortcuts(r), ShortcutsToken: r.Token(shortcutsToken),
	}
	for _, o := range own {
		page.Sessions = append(page.Sessions, sessionRow{o, o.ID == r.Session.ID, pagekit.Clock(o.SignedInAt, r.Practice.Zone), pagekit.Clock(o.LastSeen, r.Practice.Zone)})
	}
	if page.Reset, err = s.resetNotice(r); err != nil {
		return err
	}
	if page.History, err = s.history(r); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["account"], Status: http.StatusOK, Title: "Your account", Content: page})
	return nil
}

// doneTexts maps the word in the account page's address to its text about the last action.
var doneTexts = map[string]string{
	"link":          "You have chosen your password and are signed in. From now on, sign in with your username and this password.",
	"password":      "Your password has been changed. You are signed in only in this browser, and no application can act for you until you approve it again.",
	"session":       "The session has ended. That browser has to sign in again.",
	"reset-stopped": "The reset of your account has been stopped. Ask your manager why it was requested.",
	"others":        "All your other sessions have ended.",
	"shortcuts-on":  "Keyboard shortcuts are on in this browser. Press ? for the list.",
	"shortcuts-off": "Keyboard shortcuts are off.",
}

// endSessions ends one session of the member of staff, or all others. One that has
// ended since counts as ended.
func (s *Section) endSessions(r *pagekit.Request) error {
	if !r.HasToken("sessions") {
		return pagekit.ErrStale
	}
	if !s.Confirmed(r) { // otherwise a thief of the session could end the owner's
		return s.ConfirmFirst(r, "account")
	}
	if r.Form.Get("do") == "end-others" {
		return s.endOthers(r)
	}
	id, ok := parse.ID(r.Form.Get("session"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	if err := s.Auth.EndSession(r.StaffContext(), r.Tenant, r.Session, id); err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/account?done=session")
}

func (s *Section) endOthers(r *pagekit.Request) error {
	if err := s.Auth.EndOtherSessions(r.StaffContext(), r.Tenant, r.Session); err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/account?done=others")
}
