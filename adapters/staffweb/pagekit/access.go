package pagekit

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

// Page answers one request. An error is answered with an error page.
type Page func(*Request) error

// Access is a page with its access check. Only [Public], [Requires] and [ScreenOnly] make
// one, so that no page is served without a decision about access (D67).
type Access struct {
	right      staff.Action // the required action; "" for public pages
	screen     bool         // only the screen of a display has access
	extraBytes int          // bytes of a form, beyond the default limit
	keyless    bool         // members have access who can only add a passkey
	page       Page
}

// Public is a public page.
func Public(behind Page) Access { return Access{page: behind} }

// Requires is a page for members of staff whose roles have the right to this action.
func Requires(right staff.Action, behind Page) Access { return Access{right: right, page: behind} }

// Methods are the pages of one path, by HTTP method.
type Methods map[string]Access

// FormMethods are a form and its action.
func FormMethods(right staff.Action, form, sent Page) Methods {
	return Methods{http.MethodGet: Requires(right, form), http.MethodPost: Requires(right, sent)}
}

// WithText raises the limit of the POST by the length of the form's long texts. The
// default limit is added. So there is room for a text that is too long, to show it
// again. Only a member of staff can send such a form.
func (m Methods) WithText(characters int) Methods {
	post := m[http.MethodPost]
	post.extraBytes = characterBytes * characters
	m[http.MethodPost] = post
	return m
}

// WithoutPasskey gives access also to members who can no longer work without a passkey, and
// have none (D152).
func (m Methods) WithoutPasskey() Methods {
	for method, access := range m {
		access.keyless = true
		m[method] = access
	}
	return m
}

// Route is one path of every practice.
type Route struct {
	Path, Name string // below the pages of the practice; the name in logs and metrics
	Methods    Methods
}

// NewRoute returns a route.
func NewRoute(path, name string, methods Methods) Route { return Route{path, name, methods} }

// serve finds the page for the method, and the session or the display of the browser.
func (route Route) serve(s *Site) Page {
	return func(r *Request) error {
		method := r.HTTP.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		access, ok := route.Methods[method]
		if !ok {
			return notAllowed(r, route.Methods)
		}
		r.public = access.right == ""
		prepare := s.prepare
		if access.screen {
			prepare = s.prepareScreen
		}
		if err := prepare(r, formBytes+access.extraBytes); err != nil {
			return err
		}
		_, r.isPage = route.Methods[http.MethodGet]
		return access.serve(s, r)
	}
}

// serve answers with the page if the browser has access.
func (d Access) serve(s *Site, r *Request) error {
	switch {
	case d.right == "":
	case !r.SignedIn:
		return s.signInFirst(r)
	case r.keyless && !d.keyless:
		return r.Redirect(r.Base() + AddPasskey)
	case !r.Session.Roles.May(d.right):
		return forbidden(d.right)
	case s.isOthers(r):
		return errOther
	}
	return d.page(r)
}

// isOthers reports whether a form was made for another member.
func (s *Site) isOthers(r *Request) bool {
	member, ok := s.Typed.owner(r.Tenant, r.Form.Get("token"))
	return ok && member != r.Session.Staff
}

// AddPasskey is the path of the page of a member's passkeys, below the practice's pages.
const AddPasskey = "/account/passkeys"

// Keyless reports whether a member can no longer work without a passkey, and has none
// (D152). Where the pages have an address to which no passkey can belong, all can work.
func (s *Site) Keyless(of signin.Session) bool {
	return s.TakesPasskeys() && !of.PasskeyBy.IsZero() && !s.Now().Before(of.PasskeyBy)
}

// TakesPasskeys reports whether passkeys can belong to the address of the pages. Without
// a set address the pages are on loopback, which has the name localhost.
func (s *Site) TakesPasskeys() bool {
	return s.URL == nil || signin.Site{RP: s.URL.Hostname(), Origin: s.URL.Scheme + "://" + s.URL.Host}.Named()
}

// notAllowed refuses a method and lists those of the page.
func notAllowed(r *Request, methods Methods) error {
	r.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
	return ErrMethod
}

// forbidden refuses a page to a member of staff, and names the roles with access.
func forbidden(right staff.Action) error {
	who := "Only " + AnyRole(staff.RolesWhoMay(right)) + " can do this."
	return &ErrorPage{http.StatusForbidden, "You cannot use this page", who,
		"Nothing has been changed. If it is part of your work, ask your manager to change your roles."}
}

// ScreenOnly is a page for the screen of a display in a waiting room only, whether or not
// the browser has a session. A screen's token gives access to no other page (D88).
func ScreenOnly(behind Page) Access { return Access{screen: true, page: behind} }

// ErrNoScreen refuses a browser that is not the display of an address, in the same
// words for every reason.
var ErrNoScreen = &ErrorPage{http.StatusForbidden, "This screen is not connected",
	"If you are waiting to be seen, please ask at reception.", ""}

// ScreenCookie holds the token of a screen.
func (s *Site) ScreenCookie(r *Request, token string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.screen-", token)
	if token != "" {
		c.MaxAge = int(signin.ScreenIdle.Seconds())
	}
	return c
}

// prepareScreen finds the display of a screen. A browser without a token learns nothing
// about the practice, and causes no query. It ignores any session, and does not refresh
// it.
func (s *Site) prepareScreen(r *Request, most int) error {
	r.unattended = true
	if err := s.readForm(r, most); err != nil {
		return err
	}
	r.Tenant = strings.Clone(r.PathValue("tenant"))
	token := r.CookieValue(s.ScreenCookie(r, ""))
	if token == "" {
		return ErrNoScreen
	}
	if err := s.Acquire(r); err != nil {
		return err
	}
	display, found, err := s.Auth.Screens.Find(r.Context(), r.Tenant, token)
	if err != nil {
		return err
	}
	if !found {
		return ErrNoScreen
	}
	r.Display = display
	r.SetCookie(s.ScreenCookie(r, token)) // for as long again
	r.Practice, err = s.Practices.Find(r.Context(), r.Tenant)
	return err
}
