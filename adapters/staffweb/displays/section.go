package displays

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Section is the pages about displays.
type Section struct {
	*frame.Site
	Displays projections.Displays
	Sites    projections.Sites
}

//go:embed templates
var sources embed.FS

var templates = frame.Templates(sources, "displays", "add", "handed", "link")

// Routes returns the managers' page, and that of a link.
func (s *Section) Routes() []frame.Route {
	return []frame.Route{
		frame.At("/displays", "displays", frame.Both(staff.ManageDisplays, s.list, s.change)),
		frame.At("/displays/link/{display}/{secret}", "display-link", frame.Methods{http.MethodGet: frame.Anybody(s.openLink)}),
		frame.At("/displays/link", "display-link", frame.Methods{http.MethodGet: frame.Anybody(s.linkForm), http.MethodPost: frame.Anybody(s.connect)}),
	}
}

var (
	errLink = frame.Sorry(http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Staff: make a new link on the page Displays.")
	errOtherLink = frame.Sorry(http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open the link of this screen again.")
	errGone = frame.Sorry(http.StatusNotFound, "There is no such display",
		"Nothing has been changed. Somebody may have removed it.", "Go back to Displays and look for it there.")
)
