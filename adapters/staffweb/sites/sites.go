package sites

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Section is the pages of sites. All fields are needed.
type Section struct {
	*pagekit.Site
	Sites projections.Sites
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "sites", "site")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/sites", "sites", pagekit.FormMethods(staff.ManageSites, s.list, s.add)),
		pagekit.NewRoute("/sites/{site}", "site", pagekit.FormMethods(staff.ManageSites, s.site, s.change).WithText(namesSent)),
	}
}

// purpose is the purpose of the section's form tokens.
const purpose = "sites"

// longest limits the characters of a name: boards show it in large type.
const longest = 60

// namesSent is the total length of the names of a site with a hundred rooms, each old
// and new.
const namesSent = 2 * (1 + 100) * longest

// sitesPage is the list of sites.
type sitesPage struct {
	pagekit.FormErrors
	Sites []projections.Site
	Name  string // of a new site, as typed
	Token string
}

func (s *Section) list(r *pagekit.Request) error {
	return s.show(r, http.StatusOK, pagekit.FormErrors{})
}

func (s *Section) show(r *pagekit.Request, status int, faults pagekit.FormErrors) error {
	found, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	content := sitesPage{FormErrors: faults, Sites: found, Name: r.Form.Get("name"), Token: r.Token(purpose)}
	s.Show(r, pagekit.View{Template: templates["sites"], Status: status, Title: faults.PageTitle("Sites"), Content: content})
	return nil
}

// add adds a site.
func (s *Section) add(r *pagekit.Request) error {
	if !r.HasToken(purpose) {
		status, wrong := r.Unsent("name")
		return s.show(r, status, wrong)
	}
	all, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(r.Form.Get("name"))
	taken := slices.ContainsFunc(all, func(of projections.Site) bool { return of.Name == name })
	if fault := nameFault(name, taken, "site"); fault != "" {
		return s.show(r, http.StatusBadRequest, pagekit.FormError("name", fault))
	}
	id, err := s.Desk.AddSite(r.StaffContext(), commands.AddSite{Tenant: r.Tenant, Name: name})
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/sites/" + id.String() + "?done=added")
}

// nameFault describes the fault of a name; "" without one.
func nameFault(name string, taken bool, of string) string {
	switch {
	case name == "":
		return "Enter a name for the " + of + "."
	case taken:
		return "There is a " + of + " of this name already. Enter another name."
	}
	return pagekit.TooLong(name, longest)
}
