package applications

import (
	"embed"
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/application"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections/applications"
)

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "applications", "application")

// Section is the pages about applications.
type Section struct {
	*pagekit.Site
	Directory applications.Directory
	Given     applications.Authorisations
	Monitor   applications.Monitor
	// ExplainFailure explains a failure of a webhook in a sentence.
	ExplainFailure func(reason string) string
}

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/applications", "applications", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.ManageApplications, s.list)}),
		pagekit.NewRoute("/applications/{application}", "application", pagekit.FormMethods(staff.ManageApplications, s.application, s.decide)),
	}
}

// listPage is the list.
type listPage struct {
	Enabled []applications.Entry
	More    bool // some of the enabled are left out
	Others  []applications.Entry
	After   string // the last of the others, if there are more
	Further bool   // it does not begin at the first
}

// Limits of the lists.
const (
	mostEnabled = 200
	mostOthers  = 50
	mostGiven   = 50
)

// list shows all applications, the enabled ones first.
func (s *Section) list(r *pagekit.Request) error {
	after, err := s.startAfter(r)
	if err != nil {
		return err
	}
	enabled, err := s.Directory.Enabled(r.Context(), r.Tenant, applications.Entry{}, mostEnabled+1)
	if err != nil {
		return err
	}
	others, err := s.Directory.Others(r.Context(), r.Tenant, after, mostOthers+1)
	if err != nil {
		return err
	}
	page := listPage{Enabled: enabled[:min(len(enabled), mostEnabled)], More: len(enabled) > mostEnabled, Others: others, Further: after.Name != ""}
	if len(others) > mostOthers {
		page.Others, page.After = others[:mostOthers], others[mostOthers-1].Application.String()
	}
	s.Show(r, pagekit.View{Template: templates["applications"], Status: http.StatusOK, Title: "Connected apps", Content: page})
	return nil
}

// startAfter is the application after which the list continues; zero for its beginning.
func (s *Section) startAfter(r *pagekit.Request) (applications.Entry, error) {
	if !r.Form.Has("after") {
		return applications.Entry{}, nil
	}
	return s.find(r, r.Form.Get("after"))
}

// find returns the application with an identifier as it is written.
func (s *Section) find(r *pagekit.Request, text string) (applications.Entry, error) {
	id, ok := parse.ID(text)
	if !ok {
		return applications.Entry{}, errUnknown
	}
	entry, err := s.Directory.Find(r.Context(), r.Tenant, application.ID{UUID: id})
	if errors.Is(err, application.ErrUnknown) {
		return entry, errUnknown
	}
	return entry, err
}

var errUnknown = pagekit.NewErrorPage(http.StatusNotFound, "We do not know this application", "There is no application at this address.", "Go back to Connected apps and look for it there.")
