package staffweb

import (
	"net/http"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/written"
)

// accountPage is what members of staff see of themselves.
type accountPage struct {
	Roles    string // in words
	Done     string // what has just been done; "" for nothing
	Sessions []sessionRow
	Others   bool // there are sessions but this one
	Token    string
}

// sessionRow is one session.
type sessionRow struct {
	signin.OwnSession
	This                 bool // the one of the visit
	SignedInAt, LastSeen string
}

// account shows members of staff who they are here, and where they are signed in.
func (p *Pages) account(v *visit) error {
	own, err := p.Door.Sessions.OwnedBy(v.ctx(), v.tenant, v.session.Staff)
	if err != nil {
		return err
	}
	page := accountPage{
		Roles: namesOf(v.session.Roles), Done: done[v.form.Get("done")], Others: len(own) > 1, Token: v.session.FormToken("sessions"),
	}
	for _, s := range own {
		page.Sessions = append(page.Sessions, sessionRow{s, s.ID == v.session.ID, clock(s.SignedInAt, v.practice.Zone), clock(s.LastSeen, v.practice.Zone)})
	}
	p.show(v, view{name: "account", status: http.StatusOK, title: "Your account", content: page})
	return nil
}

// done is what the account page says after an act, by the word in its address.
var done = map[string]string{
	"link":     "You have chosen your password and are signed in. From now on, sign in with your username and this password.",
	"password": "Your password has been changed. You are signed in only in this browser, and no application can act for you until you approve it again.",
	"session":  "The session has ended. Whoever uses that browser has to sign in again.",
	"others":   "All your other sessions have ended.",
}

// endSessions ends one session of the member of staff, or all others. One that has ended
// in the meantime counts as ended.
func (p *Pages) endSessions(v *visit) error {
	if !v.owns("sessions") {
		return errStale
	}
	if v.form.Get("do") == "end-others" {
		return p.endOthers(v)
	}
	id, ok := written.ID(v.form.Get("session"))
	if !ok {
		return errUnreadable
	}
	if err := p.Door.SignOutOf(v.asStaff(), v.tenant, v.session, id); err != nil {
		return err
	}
	return v.goTo(v.base() + "/account?done=session")
}

func (p *Pages) endOthers(v *visit) error {
	if err := p.Door.SignOutElsewhere(v.asStaff(), v.tenant, v.session); err != nil {
		return err
	}
	return v.goTo(v.base() + "/account?done=others")
}
