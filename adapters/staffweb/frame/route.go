package frame

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"frontdesk/domain/staff"
)

// Page answers one visit. If it returns an error, an apology is the answer.
type Page func(*Visit) error

// Door is a page and who may come in. Only [Anybody], [WhoMay] and [OfScreen] make one, so
// that no page is served for which nobody has decided that (D67).
type Door struct {
	right    staff.Action // what a member of staff does there; "" lets strangers in
	ofScreen bool         // lets in the screen of a display alone
	longer   int          // bytes of a form, beyond those that every form may have
	behind   Page
}

// Anybody may use the page, signed in or not.
func Anybody(behind Page) Door { return Door{behind: behind} }

// WhoMay do this may use the page: members of staff whose roles the table of rights names.
func WhoMay(right staff.Action, behind Page) Door { return Door{right: right, behind: behind} }

// Methods are the pages of one path, by HTTP method.
type Methods map[string]Door

// Both are a form and what it does.
func Both(right staff.Action, form, sent Page) Methods {
	return Methods{http.MethodGet: WhoMay(right, form), http.MethodPost: WhoMay(right, sent)}
}

// Taking has the POST take a form whose long texts have so many characters together. What
// every form may have is added to that. So there is room for a text that is too long, which
// is then shown again. Only a member of staff can send such a form.
func (m Methods) Taking(characters int) Methods {
	door := m[http.MethodPost]
	door.longer = characterBytes * characters
	m[http.MethodPost] = door
	return m
}

// Route is one path of every practice.
type Route struct {
	Path, Name string // below the pages of the practice; the name is that of logs and metrics
	By         Methods
}

// At is a route.
func At(path, name string, by Methods) Route { return Route{path, name, by} }

// serve finds the page that the method asks for, and who is there.
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

// pass answers with the page behind the door, if the visit may see it. Strangers are asked
// to sign in, whatever they want (D25).
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

// notAllowed refuses a method and names those that the page takes.
func notAllowed(v *Visit, by Methods) error {
	v.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(by)), ", "))
	return ErrMethod
}

// notYours refuses a page to a member of staff, and says whose it is.
func notYours(right staff.Action) error {
	who := "Only " + AllOf(staff.RolesWhoMay(right)) + " can do this."
	return &Apology{http.StatusForbidden, "You cannot use this page", who,
		"Nothing has been changed. If it is part of your work, ask your manager to change your roles."}
}
