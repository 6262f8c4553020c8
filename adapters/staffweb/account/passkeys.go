package account

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
)

// passkeysPage is the page of a member's passkeys.
type passkeysPage struct {
	Done      string // the last action: added, removed or nothing
	Due       string // the day since when they cannot work without one; "" if they can
	Needed    bool   // their role needs one
	Passkeys  []passkeyRow
	Last      bool // there is only one
	Full      bool // the limit is reached
	Limit     int
	Here      bool // the host has a name, as passkeys need
	Confirmed bool // changes are possible without reauthentication
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
func (s *Section) passkeys(r *pagekit.Request) error {
	page := passkeysPage{}
	switch {
	case r.Form.Has("added"):
		page.Done = "added"
	case r.Form.Has("removed"):
		page.Done = "removed"
	}
	return s.showPasskeys(r, http.StatusOK, page)
}

func (s *Section) showPasskeys(r *pagekit.Request, status int, page passkeysPage) error {
	own, err := s.Auth.Passkeys.List(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return err
	}
	for _, k := range own {
		row := passkeyRow{Passkey: k, Added: pagekit.Day(k.AddedAt, r.Practice.Zone)}
		if k.UsedAt != nil {
			row.Used = pagekit.Day(*k.UsedAt, r.Practice.Zone)
		}
		page.Passkeys = append(page.Passkeys, row)
	}
	page.Last, page.Full, page.Limit, page.Confirmed = len(own) == 1, len(own) >= staff.MaxPasskeys, staff.MaxPasskeys, s.Confirmed(r)
	_, page.Here = s.passkeySite(r)
	rule, err := commands.Load[staff.PasskeyRule](r.Context(), s.Desk.Store, staff.PasskeyRuleStream(r.Tenant))
	if err != nil {
		return err
	}
	page.Needed = rule.Requires(r.Session.Roles)
	title := "Your passkeys"
	if s.Keyless(r.Session) {
		title, page.Due = "Add a passkey", pagekit.Day(r.Session.PasskeyBy, r.Practice.Zone)
	}
	page.Token, page.Adding = r.Session.FormToken("passkeys"), r.Session.FormToken(string(signin.ToAdd))
	if page.Fault != "" {
		title = "Error: " + title
	}
	s.Show(r, pagekit.View{Template: templates["passkeys"], Status: status, Title: title, Content: page, Script: pagekit.Passkeys})
	return nil
}

// changePasskeys adds or removes a passkey. It needs recent reauthentication.
func (s *Section) changePasskeys(r *pagekit.Request) error {
	do, purpose := s.removePasskey, "passkeys"
	if r.Form.Get("do") == "add" {
		do, purpose = s.addPasskey, string(signin.ToAdd)
	}
	if !r.HasToken(purpose) {
		return pagekit.ErrStale
	}
	if !s.Confirmed(r) {
		return s.ConfirmFirst(r, "account/passkeys")
	}
	return do(r)
}

func (s *Section) addPasskey(r *pagekit.Request) error {
	signed := s.passkeyResponse(r, signin.Ask{Purpose: signin.ToAdd, Member: r.Session.Staff, Binding: r.Session.Token})
	made, err := s.Auth.Passkeys.FinishRegistration(r.Context(), signed.Ask, signed.Kept, signed.Answer)
	if err == nil {
		made.Name = r.Form.Get("name")
		err = s.Desk.AddPasskey(r.StaffContext(), commands.AddPasskey{Tenant: r.Tenant, Staff: r.Session.Staff, With: r.Session.Credential, Passkey: made})
	}
	refusal, refused := errors.AsType[*fault.Error](err)
	if refused && refusal.Kind != fault.Unavailable {
		return s.showPasskeys(r, http.StatusBadRequest, passkeysPage{Fault: refusal.Detail, Name: r.Form.Get("name")})
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/account/passkeys?added")
}

func (s *Section) removePasskey(r *pagekit.Request) error {
	id, ok := parse.ID(r.Form.Get("passkey"))
	if !ok || r.Form.Get("do") != "remove" {
		return pagekit.ErrUnreadable
	}
	err := s.Desk.RemovePasskey(r.StaffContext(), commands.RemovePasskey{Tenant: r.Tenant, Staff: r.Session.Staff, Passkey: staff.PasskeyID{UUID: id}})
	if errors.Is(err, staff.ErrLastPasskey) {
		return s.showPasskeys(r, http.StatusBadRequest, passkeysPage{Fault: staff.ErrLastPasskey.Detail})
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + pagekit.AddPasskey + "?removed")
}
