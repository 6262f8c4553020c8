package staffweb

import (
	"errors"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/domain/written"
)

// passkeysPage is what the page of a member's passkeys shows.
type passkeysPage struct {
	Done      string // what has just been done: added, removed or nothing
	Passkeys  []passkeyRow
	Last      bool // there is one alone
	Full      bool // there can be no more
	Here      bool // the address has a name, to which passkeys can belong
	Confirmed bool // changes are possible without asking again
	Token     string
	Adding    string // the token of the form that adds
	Name      string // as it was typed
	Fault     string
}

// passkeyRow is one passkey.
type passkeyRow struct {
	signin.Passkey
	Added, Used string // days; Used is "" for never
}

// passkeys shows the passkeys of the member of staff.
func (p *Pages) passkeys(v *visit) error {
	page := passkeysPage{}
	switch {
	case v.form.Has("added"):
		page.Done = "added"
	case v.form.Has("removed"):
		page.Done = "removed"
	}
	return p.showPasskeys(v, http.StatusOK, page)
}

func (p *Pages) showPasskeys(v *visit, status int, page passkeysPage) error {
	own, err := p.Door.Passkeys.Of(v.ctx(), v.tenant, v.session.Staff)
	if err != nil {
		return err
	}
	for _, k := range own {
		row := passkeyRow{Passkey: k, Added: day(k.AddedAt, v.practice.Zone)}
		if k.UsedAt != nil {
			row.Used = day(*k.UsedAt, v.practice.Zone)
		}
		page.Passkeys = append(page.Passkeys, row)
	}
	page.Last, page.Full, page.Confirmed = len(own) == 1, len(own) >= staff.MaxPasskeys, p.confirmed(v)
	_, page.Here = p.site(v)
	page.Token, page.Adding = v.session.FormToken("passkeys"), v.session.FormToken(string(signin.ToAdd))
	title := "Your passkeys"
	if page.Fault != "" {
		title = "Error: " + title
	}
	p.show(v, view{name: "passkeys", status: status, title: title, content: page, script: true})
	return nil
}

// day writes the day of an instant at the practice.
func day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 January 2006") }

// changePasskeys adds a passkey or removes one. Whoever is there has to have proved who
// they are.
func (p *Pages) changePasskeys(v *visit) error {
	do, purpose := p.removePasskey, "passkeys"
	if v.form.Get("do") == "add" {
		do, purpose = p.addPasskey, string(signin.ToAdd)
	}
	if !v.owns(purpose) {
		return errStale
	}
	if !p.confirmed(v) {
		return p.confirmFirst(v, "account/passkeys")
	}
	return do(v)
}

func (p *Pages) addPasskey(v *visit) error {
	s := p.signed(v, signin.Ask{For: signin.ToAdd, Member: v.session.Staff, Bound: v.session.Token})
	made, err := p.Door.Passkeys.Made(v.ctx(), s.Ask, s.Kept, s.Answer)
	if err == nil {
		made.Name = v.form.Get("name")
		err = p.Desk.AddPasskey(v.asStaff(), commands.AddPasskey{Tenant: v.tenant, Staff: v.session.Staff, With: v.session.Credential, Passkey: made})
	}
	refusal, refused := errors.AsType[*fault.Error](err)
	if refused && refusal.Kind != fault.Unavailable {
		return p.showPasskeys(v, http.StatusBadRequest, passkeysPage{Fault: refusal.Detail, Name: v.form.Get("name")})
	}
	if err != nil {
		return err
	}
	return v.goTo(v.base() + "/account/passkeys?added")
}

func (p *Pages) removePasskey(v *visit) error {
	id, ok := written.ID(v.form.Get("passkey"))
	if !ok || v.form.Get("do") != "remove" {
		return errUnreadable
	}
	err := p.Desk.RemovePasskey(v.asStaff(), commands.RemovePasskey{Tenant: v.tenant, Staff: v.session.Staff, Passkey: staff.PasskeyID{UUID: id}})
	if err != nil {
		return err
	}
	return v.goTo(v.base() + "/account/passkeys?removed")
}
