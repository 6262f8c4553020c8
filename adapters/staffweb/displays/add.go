package displays

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/display"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// addPage is the form of a new display.
type addPage struct {
	pagekit.FormErrors
	Name    pagekit.Field
	Sites   []choice
	Namings []choice
	Once    string // the key of the new display, so that a form that is sent twice adds one
	Token   string
}

// choice is one of several options.
type choice struct {
	ID, Value, Label string
	Chosen           bool
}

// addForm shows the form, after recent reauthentication: a browser with its link sees
// the call-ins.
func (s *Section) addForm(r *pagekit.Request) error {
	if !s.Confirmed(r) {
		return s.ConfirmFirst(r, "displays?add")
	}
	r.Form = nil
	return s.showForm(r, http.StatusOK, pagekit.FormErrors{})
}

// showForm shows the form with the typed values.
func (s *Section) showForm(r *pagekit.Request, status int, wrong pagekit.FormErrors) error {
	sites, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	page := addPage{
		FormErrors: wrong, Sites: siteChoices(sites, r.Form.Get("site")), Namings: namingChoices(display.Naming(r.Form.Get("naming"))),
		Once: cmp.Or(r.Form.Get("once"), rand.Text()), Token: r.Token("displays"),
		Name: pagekit.Field{
			ID: "name", Label: "Name of the screen", Hint: "For example “Main waiting room”. Only managers can see this name.",
			Kind: "text", Value: r.Form.Get("name"), Fill: "off", Fault: wrong.Fault("name"),
		},
	}
	s.Show(r, pagekit.View{Template: templates["add"], Status: status, Title: page.PageTitle("Add a screen"), Content: page})
	return nil
}

// siteChoices are the sites to choose from. A practice with one site need not choose.
func siteChoices(sites []projections.Site, chosen string) (all []choice) {
	for n, at := range sites {
		id := at.Site.String()
		all = append(all, choice{numbered("site", n), id, at.Name, id == chosen || len(sites) == 1})
	}
	return all
}

// namingChoices are the ways to name people. By default the screen shows little.
func namingChoices(chosen display.Naming) (all []choice) {
	if chosen == "" {
		chosen = display.Initials
	}
	for n, naming := range display.Namings() {
		all = append(all, choice{numbered("naming", n), string(naming), namings[naming], naming == chosen})
	}
	return all
}

// numbered is the identifier of an option. The first has the field's own, to which
// faults link.
func numbered(field string, n int) string {
	if n == 0 {
		return field
	}
	return fmt.Sprintf("%s-%d", field, n)
}

// add adds a display and shows its link, once.
func (s *Section) add(r *pagekit.Request) error {
	if !s.Confirmed(r) {
		return s.ConfirmForm(r, "displays?add")
	}
	once := r.Form.Get("once")
	if strings.TrimSpace(once) == "" {
		return pagekit.ErrUnreadable
	}
	at, ok := parse.SomeID(r.Form.Get("site"))
	if !ok {
		return s.showForm(r, http.StatusBadRequest, pagekit.FormError("site", "Choose a site"))
	}
	wanted := commands.AddDisplay{
		Tenant: r.Tenant, Once: r.OnceKey(once), Name: r.Form.Get("name"), Site: site.ID{UUID: at}, Naming: display.Naming(r.Form.Get("naming")),
	}
	given, err := s.Desk.AddDisplay(r.StaffContext(), wanted)
	if err != nil {
		return s.showRefusal(r, err)
	}
	return s.showHanded(r, wanted.Name, given)
}

// showUnsent shows the values of a form of another session again.
func (s *Section) showUnsent(r *pagekit.Request) error {
	if !s.Confirmed(r) {
		return s.ConfirmForm(r, "displays?add")
	}
	status, wrong := r.Unsent("name")
	return s.showForm(r, status, wrong)
}

// showRefusal shows why a display was not added.
func (s *Section) showRefusal(r *pagekit.Request, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok || refusal.Kind == fault.Unavailable:
		return err
	case errors.Is(err, display.ErrAdded):
		return pagekit.NewErrorPage(http.StatusConflict, "This screen has been added", refusal.Detail, "Go back to Waiting room screens.")
	case errors.Is(err, display.ErrNameless):
		return s.showForm(r, http.StatusBadRequest, pagekit.FormError("name", refusal.Detail))
	case errors.Is(err, site.ErrUnknown):
		return s.showForm(r, http.StatusBadRequest, pagekit.FormError("site", "Choose a site"))
	}
	return s.showForm(r, http.StatusBadRequest, pagekit.FormError("naming", "Choose how people are called"))
}

// handedPage shows a link, once.
type handedPage struct{ Name, Link, Until string }

// showHanded shows the link in the response to the form that created it. Its secret is not
// stored.
func (s *Section) showHanded(r *pagekit.Request, name string, given commands.DisplayLink) error {
	s.Show(r, pagekit.View{Template: templates["handed"], Status: http.StatusOK, Title: "Open this link on the screen", Content: handedPage{
		Name: name, Link: s.Origin(r) + LinkPath(r.Tenant, given), Until: pagekit.Clock(given.ExpiresAt, r.Practice.Zone),
	}})
	return nil
}
