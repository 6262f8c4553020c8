package displays

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Section is the pages about displays.
type Section struct {
	*pagekit.Site
	Displays projections.Displays
	Sites    projections.Sites
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "displays", "add", "handed", "link")

// Routes returns the managers' page, and that of a link.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/displays", "displays", pagekit.FormMethods(staff.ManageDisplays, s.list, s.change)),
		pagekit.NewRoute("/displays/link/{display}/{secret}", "display-link", pagekit.Methods{http.MethodGet: pagekit.Public(s.openLink)}),
		pagekit.NewRoute("/displays/link", "display-link", pagekit.Methods{http.MethodGet: pagekit.Public(s.linkForm), http.MethodPost: pagekit.Public(s.connect)}),
	}
}

var (
	errLink = pagekit.NewErrorPage(http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Staff: make a new link on the page Waiting room screens.")
	errOtherLink = pagekit.NewErrorPage(http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open the link of this screen again.")
	errGone = pagekit.NewErrorPage(http.StatusNotFound, "There is no such screen",
		"Nothing has been changed. A colleague may have removed it.", "Go back to Waiting room screens and look for it there.")
)
