package displays

import (
	"errors"
	"net/http"
	"regexp"
	"strings"

	"frontdesk/adapters/staffweb/board"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/display"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// LinkPath is the path at which a screen opens its link.
func LinkPath(tenant string, link commands.DisplayLink) string {
	return "/" + tenant + "/staff/displays/link/" + link.Display.String() + "/" + link.Secret
}

// linkMinutes is how long a browser keeps the secret of a link that was opened.
const linkMinutes = 30

// secretForm matches well-formed secrets, so that nothing else gets into a cookie.
var secretForm = regexp.MustCompile(`^[A-Z2-7]{1,64}$`)

// linkCookie holds a link from opening it until the browser becomes a display.
func (s *Section) linkCookie(r *pagekit.Request, link string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.screenlink-", link)
	if link != "" {
		c.MaxAge = linkMinutes * 60
	}
	return c
}

// openLink moves the secret from the address to a cookie. It neither queries nor uses
// up the link, because mail scanners follow links (D67).
func (s *Section) openLink(r *pagekit.Request) error {
	link := ""
	if id, ok := parse.SomeID(r.PathValue("display")); ok && secretForm.MatchString(r.PathValue("secret")) {
		link = id.String() + "." + r.PathValue("secret")
	}
	r.SetCookie(s.linkCookie(r, link))
	return r.Redirect(r.Base() + "/displays/link")
}

// linkPage asks for confirmation that this browser is to be the display.
type linkPage struct {
	projections.Display
	Token string
}

// linkForm asks whether this is the screen.
func (s *Section) linkForm(r *pagekit.Request) error {
	of, link, err := s.findLink(r)
	if err != nil {
		return err
	}
	if r.Practice, err = s.Practices.Find(r.Context(), r.Tenant); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["link"], Status: http.StatusOK, Title: "Set up this waiting room screen",
		Content: linkPage{of, tokenOf(link.Secret)}})
	return nil
}

// tokenOf is the form token of a link. If another link is opened in the browser in
// between, a form that names the first display must not make it the second.
func tokenOf(secret string) string { return signin.Session{Token: secret}.FormToken("display") }

// findLink finds the display of the browser's link. All invalid links get the same
// answer, including those at an unknown practice.
func (s *Section) findLink(r *pagekit.Request) (of projections.Display, link commands.ConnectDisplay, err error) {
	shown := r.CookieValue(s.linkCookie(r, ""))
	if shown == "" {
		return of, link, errLink // no guess to count
	}
	if err := s.Acquire(r); err != nil {
		return of, link, err
	}
	name, secret, _ := strings.Cut(shown, ".")
	id, _ := parse.ID(name)
	link = commands.ConnectDisplay{Tenant: r.Tenant, Display: display.ID{UUID: id}, Secret: secret}
	err = s.Auth.Guesses.Try(r.Source, r.Tenant, staff.ErrLink, func() (err error) {
		of, err = s.Displays.ByLink(r.Context(), r.Tenant, link.Display, staff.DigestOfLink(secret), s.Now())
		return err
	})
	if errors.Is(err, staff.ErrLink) {
		err = errLink
	}
	return of, link, err
}

// connect makes this browser the display's screen, and uses the link up. It ends any
// session in this browser: anyone can reach a screen in a waiting room.
func (s *Section) connect(r *pagekit.Request) error {
	of, link, err := s.findLink(r)
	if err != nil {
		return err
	}
	if !(signin.Session{Token: link.Secret}).Owns(r.Form.Get("token"), "display") {
		return errOtherLink
	}
	token, err := s.Desk.ConnectDisplay(r.AnonymousContext(), link)
	if errors.Is(err, staff.ErrLink) { // the link was used in between
		return errLink
	}
	if err != nil {
		return err
	}
	r.SetCookie(s.linkCookie(r, ""))
	r.SetCookie(s.ScreenCookie(r, signin.ScreenToken(of.Display, token)))
	if err := s.signOut(r); err != nil {
		return err
	}
	return r.Redirect(r.Base() + board.Path(of))
}

func (s *Section) signOut(r *pagekit.Request) error {
	if !r.SignedIn {
		return nil
	}
	if err := s.Auth.SignOut(r.StaffContext(), r.Tenant, r.Session); err != nil {
		return err
	}
	r.SetCookie(s.SessionCookie(r, ""))
	return nil
}
