package pagekit

import (
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/signin"
)

// OfScreen is a page for the screen of a display in a waiting room only, whoever is
// signed in. A screen's token gives access to no other page (D88).
func OfScreen(behind Page) Door { return Door{ofScreen: true, behind: behind} }

// ErrNoScreen refuses a browser that is not the display of an address, in the same
// words for every reason.
var ErrNoScreen = &Apology{http.StatusForbidden, "This screen shows nothing",
	"It is not one of the displays for this page, or the display has been removed.",
	"Staff: make a new link for this screen on the page Displays."}

// ScreenCookie holds the token of a screen.
func (s *Site) ScreenCookie(v *Visit, token string) *http.Cookie {
	c := s.Cookie(v, "frontdesk.screen-", token)
	if token != "" {
		c.MaxAge = int(signin.ScreenIdle.Seconds())
	}
	return c
}

// enterAsScreen finds the display of a screen. A browser without a token learns nothing
// about the practice, and causes no query. It ignores any session, and does not refresh
// it.
func (s *Site) enterAsScreen(v *Visit, most int) error {
	v.ofScreen = true
	if err := s.readForm(v, most); err != nil {
		return err
	}
	v.Tenant = strings.Clone(v.Var("tenant"))
	token := v.Shown(s.ScreenCookie(v, ""))
	if token == "" {
		return ErrNoScreen
	}
	if err := s.Sit(v); err != nil {
		return err
	}
	of, found, err := s.Door.Screens.Of(v.Context(), v.Tenant, token)
	if err != nil {
		return err
	}
	if !found {
		return ErrNoScreen
	}
	v.Display = of
	v.SetCookie(s.ScreenCookie(v, token)) // for as long again
	v.Practice, err = s.Signposts.Of(v.Context(), v.Tenant)
	return err
}
