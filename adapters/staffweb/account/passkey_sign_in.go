package account

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
)

// challenge returns a passkey challenge to the script, as JSON. For a browser without a
// session it queries the database only if it has the token of a second step.
func (s *Section) challenge(r *pagekit.Request) error {
	site, ok := s.passkeySite(r)
	if !ok {
		return errNoPasskeysHere
	}
	a := signin.Ask{Purpose: signin.Purpose(r.Form.Get("for")), Tenant: r.Tenant, Site: site}
	var options []byte
	var kept string
	var err error
	switch a.Purpose {
	case signin.ToSignIn:
		options, kept, err = s.Auth.Passkeys.BeginLogin(a, nil)
	case signin.AfterPassword:
		options, kept, err = s.challengeSecond(r, a)
	case signin.ToConfirm, signin.ToAdd:
		options, kept, err = s.challengeMember(r, a)
	default:
		return pagekit.ErrUnreadable
	}
	if err != nil {
		return err
	}
	r.SetCookie(s.ChallengeCookie(r, kept))
	r.Respond("application/json", options)
	return nil
}

// challengeSecond makes a challenge after the right password in this browser.
func (s *Section) challengeSecond(r *pagekit.Request, a signin.Ask) (options []byte, kept string, err error) {
	if err := s.Acquire(r); err != nil {
		return nil, "", err
	}
	a.Binding = r.CookieValue(s.StepCookie(r, ""))
	h, found, err := s.Auth.Steps.Find(r.Context(), r.Tenant, a.Binding)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "", pagekit.ErrStale
	}
	a.Member = h.Staff
	passkeys, err := s.Auth.Passkeys.List(r.Context(), r.Tenant, h.Staff)
	if err != nil {
		return nil, "", err
	}
	if len(passkeys) == 0 {
		return nil, "", pagekit.ErrStale
	}
	return s.Auth.Passkeys.BeginLogin(a, passkeys)
}

// challengeMember makes a challenge for a signed-in member.
func (s *Section) challengeMember(r *pagekit.Request, a signin.Ask) (options []byte, kept string, err error) {
	if !r.HasToken(string(a.Purpose)) || a.Purpose == signin.ToAdd && !s.Confirmed(r) {
		return nil, "", pagekit.ErrStale
	}
	a.Member, a.Binding = r.Session.Staff, r.Session.Token
	passkeys, err := s.Auth.Passkeys.List(r.Context(), r.Tenant, r.Session.Staff)
	switch {
	case err != nil:
		return nil, "", err
	case a.Purpose == signin.ToAdd:
		return s.Auth.Passkeys.BeginRegistration(a, r.Session, passkeys)
	case len(passkeys) == 0:
		return nil, "", pagekit.ErrStale
	}
	return s.Auth.Passkeys.BeginLogin(a, passkeys)
}

// passkeyResponse reads the passkey's answer from the form. It deletes the challenge's
// cookie.
func (s *Section) passkeyResponse(r *pagekit.Request, a signin.Ask) signin.PasskeyResponse {
	a.Tenant = r.Tenant
	a.Site, _ = s.passkeySite(r) // there was no challenge at a site without a name
	kept := r.CookieValue(s.ChallengeCookie(r, ""))
	r.SetCookie(s.ChallengeCookie(r, ""))
	return signin.PasskeyResponse{Ask: a, Kept: kept, Answer: r.Form.Get("signed"), Source: r.Source,
		Device: r.CookieValue(s.DeviceCookie(r, "")), Browser: browserOf(r.HTTP.UserAgent())}
}

// signInByPasskey begins a session of the passkey's owner.
func (s *Section) signInByPasskey(r *pagekit.Request) error {
	if err := s.Acquire(r); err != nil {
		return err
	}
	in, err := s.Auth.SignInByPasskey(r.AnonymousContext(), s.passkeyResponse(r, signin.Ask{Purpose: signin.ToSignIn}))
	s.recordSignIn(r, in, err)
	if refusal, ok := refusalOf(err); ok {
		return s.showRefusal(r, signInPage{Passkey: true}, refusal)
	}
	if err != nil {
		return err
	}
	return s.finishSignIn(r, in)
}

// secondPage is the page that asks for the passkey after the password.
type secondPage struct {
	Fault string
	Back  string // the original target, as a query
	Here  bool   // the host has a name, as passkeys need
}

// secondForm asks for the passkey after the right password.
func (s *Section) secondForm(r *pagekit.Request) error {
	if r.SignedIn {
		return s.RedirectOnward(r)
	}
	if err := s.Acquire(r); err != nil {
		return err
	}
	_, found, err := s.Auth.Steps.Find(r.Context(), r.Tenant, r.CookieValue(s.StepCookie(r, "")))
	if err != nil {
		return err
	}
	if !found {
		return r.RedirectToSignIn()
	}
	return s.showSecond(r, http.StatusOK, "")
}

func (s *Section) showSecond(r *pagekit.Request, status int, fault string) error {
	title := "Use your passkey"
	if fault != "" {
		title = "Error: " + title
	}
	_, here := s.passkeySite(r)
	s.Show(r, pagekit.View{Template: templates["second"], Status: status, Title: title, Content: secondPage{fault, r.Ask.Query(), here}, Script: pagekit.Passkeys})
	return nil
}

// secondStep begins a session if the passkey belongs to the member whose password was
// right.
func (s *Section) secondStep(r *pagekit.Request) error {
	if err := s.Acquire(r); err != nil {
		return err
	}
	step := r.CookieValue(s.StepCookie(r, ""))
	h, found, err := s.Auth.Steps.Take(r.Context(), r.Tenant, step)
	if err != nil {
		return err
	}
	if !found {
		return s.signInAgain(r)
	}
	in, err := s.Auth.SignInByPasskey(r.AnonymousContext(), s.passkeyResponse(r, signin.Ask{Purpose: signin.AfterPassword, Member: h.Staff, Binding: step}))
	s.recordSignIn(r, in, err)
	if refusal, ok := refusalOf(err); ok {
		status, text := s.refusalText(r, refusal, refusal.Detail)
		return s.showSecond(r, status, text)
	}
	if err != nil {
		return err
	}
	if err := s.Auth.Steps.End(r.Context(), r.Tenant, step); err != nil {
		return err
	}
	r.SetCookie(s.StepCookie(r, ""))
	return s.finishSignIn(r, in)
}

// signInAgain asks for the password again after a step that has ended. It carries the
// form.
func (s *Section) signInAgain(r *pagekit.Request) error {
	if r.Carried.Typed == "" {
		return r.RedirectToSignIn()
	}
	return s.showSignIn(r, http.StatusForbidden, signInPage{})
}
