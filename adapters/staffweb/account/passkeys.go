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
	Passkeys  []passkeyRow
	Last      bool // there is only one
	Full      bool // no more can be added
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
func (s *Section) passkeys(v *pagekit.Request) error {
	page := passkeysPage{}
	switch {
	case v.Form.Has("added"):
		page.Done = "added"
	case v.Form.Has("removed"):
		page.Done = "removed"
	}
	return s.showPasskeys(v, http.StatusOK, page)
}

func (s *Section) showPasskeys(v *pagekit.Request, status int, page passkeysPage) error {
	own, err := s.Auth.Passkeys.List(v.Context(), v.Tenant, v.Session.Staff)
	if err != nil {
		return err
	}
	for _, k := range own {
		row := passkeyRow{Passkey: k, Added: pagekit.Day(k.AddedAt, v.Practice.Zone)}
		if k.UsedAt != nil {
			row.Used = pagekit.Day(*k.UsedAt, v.Practice.Zone)
		}
		page.Passkeys = append(page.Passkeys, row)
	}
	page.Last, page.Full, page.Confirmed = len(own) == 1, len(own) >= staff.MaxPasskeys, s.Confirmed(v)
	_, page.Here = s.passkeySite(v)
	page.Token, page.Adding = v.Session.FormToken("passkeys"), v.Session.FormToken(string(signin.ToAdd))
	title := "Your passkeys"
	if page.Fault != "" {
		title = "Error: " + title
	}
	s.Show(v, pagekit.View{Template: templates["passkeys"], Status: status, Title: title, Content: page, Script: pagekit.Passkeys})
	return nil
}

// changePasskeys adds or removes a passkey. It needs recent reauthentication.
func (s *Section) changePasskeys(v *pagekit.Request) error {
	do, purpose := s.removePasskey, "passkeys"
	if v.Form.Get("do") == "add" {
		do, purpose = s.addPasskey, string(signin.ToAdd)
	}
	if !v.HasToken(purpose) {
		return pagekit.ErrStale
	}
	if !s.Confirmed(v) {
		return s.ConfirmFirst(v, "account/passkeys")
	}
	return do(v)
}

func (s *Section) addPasskey(v *pagekit.Request) error {
	signed := s.passkeyResponse(v, signin.Ask{Purpose: signin.ToAdd, Member: v.Session.Staff, Binding: v.Session.Token})
	made, err := s.Auth.Passkeys.FinishRegistration(v.Context(), signed.Ask, signed.Kept, signed.Answer)
	if err == nil {
		made.Name = v.Form.Get("name")
		err = s.Desk.AddPasskey(v.StaffContext(), commands.AddPasskey{Tenant: v.Tenant, Staff: v.Session.Staff, With: v.Session.Credential, Passkey: made})
	}
	refusal, refused := errors.AsType[*fault.Error](err)
	if refused && refusal.Kind != fault.Unavailable {
		return s.showPasskeys(v, http.StatusBadRequest, passkeysPage{Fault: refusal.Detail, Name: v.Form.Get("name")})
	}
	if err != nil {
		return err
	}
	return v.Redirect(v.Base() + "/account/passkeys?added")
}

func (s *Section) removePasskey(v *pagekit.Request) error {
	id, ok := parse.ID(v.Form.Get("passkey"))
	if !ok || v.Form.Get("do") != "remove" {
		return pagekit.ErrUnreadable
	}
	err := s.Desk.RemovePasskey(v.StaffContext(), commands.RemovePasskey{Tenant: v.Tenant, Staff: v.Session.Staff, Passkey: staff.PasskeyID{UUID: id}})
	if err != nil {
		return err
	}
	return v.Redirect(v.Base() + "/account/passkeys?removed")
}
