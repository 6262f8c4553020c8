package account

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/gorilla/mux"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// linkPage is where the holder of a link chooses a password.
type linkPage struct {
	pagekit.FormErrors
	commands.LinkHolder
	New   pagekit.Field
	Token string
}

// linkMinutes is how long a browser keeps the secret of a link that was opened.
const linkMinutes = 30

// linkSecret matches well-formed secrets, so that nothing else gets into a cookie.
var linkSecret = regexp.MustCompile(`^[A-Z2-7]{1,64}$`)

// linkCookie holds the secret of a link from opening it until the password is chosen.
// The link is in an email, so the browser must send the cookie on cross-site
// navigation.
func (s *Section) linkCookie(r *pagekit.Request, secret string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.link-", secret)
	if secret != "" {
		c.MaxAge = linkMinutes * 60
	}
	return c
}

// openLink moves the secret from the address to a cookie, so that no page leaks it in a
// Referer. It neither queries nor uses up the link, because mail scanners follow links
// (D67).
func (s *Section) openLink(r *pagekit.Request) error {
	secret := mux.Vars(r.HTTP)["secret"]
	if !linkSecret.MatchString(secret) {
		secret = ""
	}
	r.SetCookie(s.linkCookie(r, secret))
	return r.Redirect(r.Base() + "/link")
}

// linkForm asks the holder of a link for a password.
func (s *Section) linkForm(r *pagekit.Request) error {
	secret, holder, err := s.findHolder(r)
	if err != nil {
		return err
	}
	return s.showLink(r, http.StatusOK, secret, linkPage{LinkHolder: holder})
}

func (s *Section) showLink(r *pagekit.Request, status int, secret string, page linkPage) (err error) {
	if r.Practice, err = s.Practices.Find(r.Context(), r.Tenant); err != nil {
		return err
	}
	page.New = page.Password("password", "Password", staff.ErrPasswordShort.Detail, "new-password")
	page.Token = linkToken(secret)
	s.Show(r, pagekit.View{Template: templates["link"], Status: status, Title: page.PageTitle("Choose a password"), Content: page})
	return nil
}

// linkToken is the form token of a link. If another link is opened in the browser in
// between, a form with the first holder's name must not set a password.
func linkToken(secret string) string { return signin.Session{Token: secret}.FormToken("link") }

// findHolder finds the holder of the browser's link. All invalid links get the same
// answer at the same cost, including those at an unknown practice.
func (s *Section) findHolder(r *pagekit.Request) (secret string, holder commands.LinkHolder, err error) {
	if secret = r.CookieValue(s.linkCookie(r, "")); secret == "" {
		return "", holder, errLink // no guess to count
	}
	if err := s.Acquire(r); err != nil {
		return "", holder, err
	}
	err = s.Auth.Guesses.Try(r.Source, r.Tenant, staff.ErrLink, func() (err error) {
		holder, err = s.Desk.Links.Holder(r.Context(), r.Tenant, staff.DigestOfLink(secret), s.Now())
		return err
	})
	if errors.Is(err, staff.ErrLink) {
		return "", holder, errLink
	}
	return secret, holder, err
}

// acceptLink sets the chosen password, uses the link up and signs its holder in. It
// signs out any other member of staff in this browser.
func (s *Section) acceptLink(r *pagekit.Request) error {
	secret, holder, err := s.findHolder(r)
	if err != nil {
		return err
	}
	if !(signin.Session{Token: secret}).Owns(r.Form.Get("token"), "link") {
		return errOtherLink
	}
	chosen := r.Form.Get("password")
	if chosen == "" {
		return s.showLink(r, http.StatusBadRequest, secret, linkPage{LinkHolder: holder, FormErrors: pagekit.FormError("password", "Enter a password")})
	}
	r.Release() // sign-ins have a queue of their own
	accepted, err := s.Desk.AcceptLink(r.AnonymousContext(), commands.AcceptLink{Tenant: r.Tenant, Secret: secret, Password: chosen})
	if errors.Is(err, staff.ErrLink) { // the link was used in between
		return errLink
	}
	if wrong, ok := pagekit.FormErrorsOf(err, "password"); ok {
		return s.showLink(r, http.StatusBadRequest, secret, linkPage{LinkHolder: holder, FormErrors: wrong})
	}
	if err != nil {
		return err
	}
	return s.signInByLink(r, accepted)
}

// signInByLink signs the holder of a link in, whose password is set already.
func (s *Section) signInByLink(r *pagekit.Request, accepted commands.Accepted) error {
	r.SetCookie(s.linkCookie(r, ""))
	try := s.newTry(r, accepted.Username, "")
	try.How = staff.ByLink
	if err := s.beginSession(r, try, signin.Holder{Staff: accepted.Staff, Credential: accepted.Credential}); err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/account?done=link")
}
