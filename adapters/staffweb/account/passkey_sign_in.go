package account

import (
	"net/http"
	"net/url"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
)

// site is the address of the pages as passkeys see it. A passkey belongs to a host
// name, so an IP address has none.
func (s *Section) site(v *pagekit.Visit) (site signin.Site, ok bool) {
	at := s.URL
	if at == nil {
		at = &url.URL{Scheme: "http", Host: v.R.Host}
	}
	site = signin.Site{RP: at.Hostname(), Origin: at.Scheme + "://" + at.Host}
	return site, site.Named()
}

// challenge returns a passkey challenge to the script, as JSON. For a browser without a
// session it queries the database only if it has the token of a second step.
func (s *Section) challenge(v *pagekit.Visit) error {
	site, ok := s.site(v)
	if !ok {
		return errNoPasskeysHere
	}
	a := signin.Ask{For: signin.Purpose(v.Form.Get("for")), Tenant: v.Tenant, Site: site}
	var options []byte
	var kept string
	var err error
	switch a.For {
	case signin.ToSignIn:
		options, kept, err = s.Door.Passkeys.Sign(a, nil)
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
	v.Answer("application/json", options)
	return nil
}

// challengeSecond makes a challenge after the right password in this browser.
func (s *Section) challengeSecond(v *pagekit.Visit, a signin.Ask) (options []byte, kept string, err error) {
	if err := s.Sit(v); err != nil {
		return nil, "", err
	}
	a.Bound = v.Shown(s.stepCookie(v, ""))
	h, found, err := s.Door.Steps.Of(v.Context(), v.Tenant, a.Bound)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "", pagekit.ErrStale
	}
	a.Member = h.Staff
	passkeys, err := s.Door.Passkeys.Of(v.Context(), v.Tenant, h.Staff)
	if err != nil {
		return nil, "", err
	}
	if len(passkeys) == 0 {
		return nil, "", pagekit.ErrStale
	}
	return s.Door.Passkeys.Sign(a, passkeys)
}

// challengeMember makes a challenge for a signed-in member.
func (s *Section) challengeMember(v *pagekit.Visit, a signin.Ask) (options []byte, kept string, err error) {
	if !v.Owns(string(a.For)) || a.For == signin.ToAdd && !s.Confirmed(v) {
		return nil, "", pagekit.ErrStale
	}
	a.Member, a.Bound = v.Session.Staff, v.Session.Token
	passkeys, err := s.Door.Passkeys.Of(v.Context(), v.Tenant, v.Session.Staff)
	switch {
	case err != nil:
		return nil, "", err
	case a.For == signin.ToAdd:
		return s.Door.Passkeys.Make(a, v.Session, passkeys)
	case len(passkeys) == 0:
		return nil, "", pagekit.ErrStale
	}
	return s.Door.Passkeys.Sign(a, passkeys)
}

// signed reads the passkey's answer from the form. It deletes the challenge's cookie.
func (s *Section) signed(v *pagekit.Visit, a signin.Ask) signin.Signed {
	a.Tenant = v.Tenant
	a.Site, _ = s.site(v) // there was no challenge at a site without a name
	kept := v.Shown(s.challengeCookie(v, ""))
	v.SetCookie(s.challengeCookie(v, ""))
	return signin.Signed{Ask: a, Kept: kept, Answer: v.Form.Get("signed"), Source: v.Source,
		Device: v.Shown(s.deviceCookie(v, "")), Browser: browserOf(v.R.UserAgent())}
}

// signInByPasskey begins a session of the passkey's owner.
func (s *Section) signInByPasskey(v *pagekit.Visit) error {
	if err := s.Sit(v); err != nil {
		return err
	}
	in, err := s.Door.SignInByPasskey(v.AsStranger(), s.signed(v, signin.Ask{For: signin.ToSignIn}))
	s.noteSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		return s.turnAway(v, signInPage{Passkey: true}, refusal)
	}
	if err != nil {
		return err
	}
	return s.letIn(v, in)
}

// secondPage is the page that asks for the passkey after the password.
type secondPage struct {
	Fault string
	Back  string // the original target, as a query
	Here  bool   // the host has a name, as passkeys need
}

// secondForm asks for the passkey after the right password.
func (s *Section) secondForm(v *pagekit.Visit) error {
	if v.SignedIn {
		return s.onward(v)
	}
	if err := s.Sit(v); err != nil {
		return err
	}
	_, found, err := s.Door.Steps.Of(v.Context(), v.Tenant, v.Shown(s.stepCookie(v, "")))
	if err != nil {
		return err
	}
	if !found {
		return v.SignInFirst()
	}
	return s.askForPasskey(v, http.StatusOK, "")
}

func (s *Section) askForPasskey(v *pagekit.Visit, status int, fault string) error {
	title := "Use your passkey"
	if fault != "" {
		title = "Error: " + title
	}
	_, here := s.site(v)
	s.Show(v, pagekit.View{Template: templates["second"], Status: status, Title: title, Content: secondPage{fault, v.Ask.Query(), here}, Script: pagekit.Passkeys})
	return nil
}

// second begins a session if the passkey belongs to the member whose password was
// right.
func (s *Section) second(v *pagekit.Visit) error {
	if err := s.Sit(v); err != nil {
		return err
	}
	step := v.Shown(s.stepCookie(v, ""))
	h, found, err := s.Door.Steps.Take(v.Context(), v.Tenant, step)
	if err != nil {
		return err
	}
	if !found {
		return v.SignInFirst()
	}
	in, err := s.Door.SignInByPasskey(v.AsStranger(), s.signed(v, signin.Ask{For: signin.AfterPassword, Member: h.Staff, Bound: step}))
	s.noteSignIn(v, in, err)
	if refusal, ok := refusalOf(err); ok {
		status, text := s.refused(v, refusal, refusal.Detail)
		return s.askForPasskey(v, status, text)
	}
	if err != nil {
		return err
	}
	if err := s.Door.Steps.End(v.Context(), v.Tenant, step); err != nil {
		return err
	}
	v.SetCookie(s.stepCookie(v, ""))
	return s.letIn(v, in)
}
