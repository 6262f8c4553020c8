package frame

import (
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/signin"
)

// OfScreen is a door for the screen of a display in a waiting room, and for nobody else,
// whoever is signed in. What a screen shows opens no other door (D88).
func OfScreen(behind Page) Door { return Door{ofScreen: true, behind: behind} }

// ErrNoScreen refuses whatever is not the display that an address is for, in the same words
// for every reason.
var ErrNoScreen = &Apology{http.StatusForbidden, "This screen shows nothing",
	"It is not one of the displays for this page, or the display has been removed.",
	"Staff: make a new link for this screen on the page Displays."}

// ScreenCookie holds what a screen is known by.
func (s *Site) ScreenCookie(v *Visit, token string) *http.Cookie {
	c := s.Cookie(v, "frontdesk.screen-", token)
	if token != "" {
		c.MaxAge = int(signin.ScreenIdle.Seconds())
	}
	return c
}

// enterAsScreen finds out which display a screen is. A browser that shows nothing is told
// nothing of the practice, and the database is not asked. Whoever is signed in with it does
// not count, and is not seen.
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
