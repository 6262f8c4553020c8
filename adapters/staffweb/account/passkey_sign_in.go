package account

import (
	"net/http"
	"net/url"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
)

// passkeySite is the address of the pages as passkeys see it. A passkey belongs to a host
// name, so an IP address has none.
func (s *Section) passkeySite(v *pagekit.Request) (site signin.Site, ok bool) {
	at := s.URL
	if at == nil {
		at = &url.URL{Scheme: "http", Host: v.HTTP.Host}
	}
	site = signin.Site{RP: at.Hostname(), Origin: at.Scheme + "://" + at.Host}
	return site, site.Named()
}

// challenge returns a passkey challenge to the script, as JSON. For a browser without a
// session it queries the database only if it has the token of a second step.
func (s *Section) challenge(v *pagekit.Request) error {
	site, ok := s.passkeySite(v)
	if !ok {
		return errNoPasskeysHere
	}
	a := signin.Ask{Purpose: signin.Purpose(v.Form.Get("for")), Tenant: v.Tenant, Site: site}
	var options []byte
	var kept string
	var err error
	switch a.Purpose {
	case signin.ToSignIn:
		options, kept, err = s.Auth.Passkeys.BeginLogin(a, nil)
	case signin.AfterPassword:
		options, kept, err = s.challengeSecond(v, a)
	case signin.ToConfirm, signin.ToAdd:
		options, kept, err = s.challengeMember(v, a)
	default:
		return pagekit.ErrUnreadable
	}
	if err != nil {
		return err
	}
	v.SetCookie(s.challengeCookie(v, kept))
	v.Respond("application/json", options)
	return nil
}

// challengeSecond makes a challenge after the right password in this browser.
func (s *Section) challengeSecond(v *pagekit.Request, a signin.Ask) (options []byte, kept string, err error) {
	if err := s.Acquire(v); err != nil {
		return nil, "", err
	}
	a.Binding = v.CookieValue(s.stepCookie(v, ""))
	h, found, err := s.Auth.Steps.Find(v.Context(), v.Tenant, a.Binding)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "", pagekit.ErrStale
	}
	a.Member = h.Staff
	passkeys, err := s.Auth.Passkeys.List(v.Context(), v.Tenant, h.Staff)
	if err != nil {
		return nil, "", err
	}
	if len(passkeys) == 0 {
		return nil, "", pagekit.ErrStale
	}
	return s.Auth.Passkeys.BeginLogin(a, passkeys)
}

// challengeMember makes a challenge for a signed-in member.
func (s *Section) challengeMember(v *pagekit.Request, a signin.Ask) (options []byte, kept string, err error) {
	if !v.HasToken(string(a.Purpose)) || a.Purpose == signin.ToAdd && !s.Confirmed(v) {
		return nil, "", pagekit.ErrStale
	}
	a.Member, a.Binding = v.Session.Staff, v.Session.Token
	passkeys, err := s.Auth.Passkeys.List(v.Context(), v.Tenant, v.Session.Staff)
	switch {
	case err != nil:
		return nil, "", err
	case a.Purpose == signin.ToAdd:
		return s.Auth.Passkeys.BeginRegistration(a, v.Session, passkeys)
	case len(passkeys) == 0:
		return nil, "", pagekit.ErrStale
	}
	return s.Auth.Passkeys.BeginLogin(a, passkeys)
}

// passkeyResponse reads the passkey's answer from the form. It deletes the challenge's cookie.
func (s *Section) passkeyResponse(v *pagekit.Request, a signin.Ask) signin.PasskeyResponse {
	a.Tenant = v.Tenant
	a.Site, _ = s.passkeySite(v) // there was no challenge at a site without a name
	kept := v.CookieValue(s.challengeCookie(v, ""))
	v.SetCookie(s.challengeCookie(v, ""))
	return signin.PasskeyResponse{Ask: a, Kept: kept, Answer: v.Form.Get("signed"), Source: v.Source,
		Device: v.CookieValue(s.deviceCookie(v, "")), Browser: browserOf(v.HTTP.UserAgent())}
}

// signInByPasskey begins a session of the passkey's owner.
func (s *Section) signInByPasskey(v *pagekit.Request) error {
	if err := s.Acquire(v); err != nil {
		return err
	}
	in, err := s.Auth.SignInByPasskey(v.AnonymousContext(), s.passkeyResponse(v, signin.Ask{Purpose: signin.ToSignIn}))
	s.recordSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		return s.showRefusal(v, signInPage{Passkey: true}, refusal)
	}
	if err != nil {
		return err
	}
	return s.finishSignIn(v, in)
}

// secondPage is the page that asks for the passkey after the password.
type secondPage struct {
	Fault string
	Back  string // the original target, as a query
	Here  bool   // the host has a name, as passkeys need
}

// secondForm asks for the passkey after the right password.
func (s *Section) secondForm(v *pagekit.Request) error {
	if v.SignedIn {
		return s.redirectOnward(v)
	}
	if err := s.Acquire(v); err != nil {
		return err
	}
	_, found, err := s.Auth.Steps.Find(v.Context(), v.Tenant, v.CookieValue(s.stepCookie(v, "")))
	if err != nil {
		return err
	}
	if !found {
		return v.RedirectToSignIn()
	}
	return s.showSecond(v, http.StatusOK, "")
}

func (s *Section) showSecond(v *pagekit.Request, status int, fault string) error {
	title := "Use your passkey"
	if fault != "" {
		title = "Error: " + title
	}
	_, here := s.passkeySite(v)
	s.Show(v, pagekit.View{Template: templates["second"], Status: status, Title: title, Content: secondPage{fault, v.Ask.Query(), here}, Script: pagekit.Passkeys})
	return nil
}

// secondStep begins a session if the passkey belongs to the member whose password was
// right.
func (s *Section) secondStep(v *pagekit.Request) error {
	if err := s.Acquire(v); err != nil {
		return err
	}
	step := v.CookieValue(s.stepCookie(v, ""))
	h, found, err := s.Auth.Steps.Take(v.Context(), v.Tenant, step)
	if err != nil {
		return err
	}
	if !found {
		return v.RedirectToSignIn()
	}
	in, err := s.Auth.SignInByPasskey(v.AnonymousContext(), s.passkeyResponse(v, signin.Ask{Purpose: signin.AfterPassword, Member: h.Staff, Binding: step}))
	s.recordSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		status, text := s.refusalText(v, refusal, refusal.Detail)
		return s.showSecond(v, status, text)
	}
	if err != nil {
		return err
	}
	if err := s.Auth.Steps.End(v.Context(), v.Tenant, step); err != nil {
		return err
	}
	v.SetCookie(s.stepCookie(v, ""))
	return s.finishSignIn(v, in)
}
