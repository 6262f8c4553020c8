package people

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Section is the pages about the practice's staff. All fields are needed.
type Section struct {
	*pagekit.Site
	People    projections.People
	SignIns   projections.SignIns
	Requested projections.ErasureRequests
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "people", "person", "invite", "handed")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{pagekit.NewRoute("/people", "people", pagekit.FormMethods(staff.ManagePeople, s.people, s.changePeople))}
}

var errNoMember = pagekit.NewErrorPage(http.StatusNotFound, "There is nobody like this at the practice",
	"Nothing has been changed.", "Go back to People and look for them there.")
