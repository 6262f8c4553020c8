package pagekit

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

// Page answers one visit. An error is answered with an apology.
type Page func(*Visit) error

// Door is a page with its access check. Only [Anybody], [WhoMay] and [OfScreen] make
// one, so that no page is served without a decision about access (D67).
type Door struct {
	right    staff.Action // the required action; "" for public pages
	ofScreen bool         // only the screen of a display has access
	longer   int          // bytes of a form, beyond the default limit
	behind   Page
}

// Anybody is a public page.
func Anybody(behind Page) Door { return Door{behind: behind} }

// WhoMay is a page for members of staff whose roles have the right to this action.
func WhoMay(right staff.Action, behind Page) Door { return Door{right: right, behind: behind} }

// Methods are the pages of one path, by HTTP method.
type Methods map[string]Door

// Both are a form and its action.
func Both(right staff.Action, form, sent Page) Methods {
	return Methods{http.MethodGet: WhoMay(right, form), http.MethodPost: WhoMay(right, sent)}
}

// Taking raises the limit of the POST by the length of the form's long texts. The
// default limit is added. So there is room for a text that is too long, to show it
// again. Only a member of staff can send such a form.
func (m Methods) Taking(characters int) Methods {
	door := m[http.MethodPost]
	door.longer = characterBytes * characters
	m[http.MethodPost] = door
	return m
}

// Route is one path of every practice.
type Route struct {
	Path, Name string // below the pages of the practice; the name in logs and metrics
	By         Methods
}

// At returns a route.
func At(path, name string, by Methods) Route { return Route{path, name, by} }

// serve finds the page for the method, and authenticates the visitor.
func (r Route) serve(s *Site) Page {
	return func(v *Visit) error {
		method := v.R.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		door, ok := r.By[method]
		if !ok {
			return notAllowed(v, r.By)
		}
		enter := s.enter
		if door.ofScreen {
			enter = s.enterAsScreen
		}
		if err := enter(v, formBytes+door.longer); err != nil {
			return err
		}
		return door.pass(v)
	}
}

// pass answers with the page if the visitor has access. Strangers are sent to sign in,
// whatever they ask for (D25).
func (d Door) pass(v *Visit) error {
	switch {
	case d.right == "":
	case !v.SignedIn:
		return v.SignInFirst()
	case !v.Session.Roles.May(d.right):
		return notYours(d.right)
	}
	return d.behind(v)
}

// notAllowed refuses a method and lists those of the page.
func notAllowed(v *Visit, by Methods) error {
	v.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(by)), ", "))
	return ErrMethod
}

// notYours refuses a page to a member of staff, and names the roles with access.
func notYours(right staff.Action) error {
	who := "Only " + AllOf(staff.RolesWhoMay(right)) + " can do this."
	return &Apology{http.StatusForbidden, "You cannot use this page", who,
		"Nothing has been changed. If it is part of your work, ask your manager to change your roles."}
}

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
