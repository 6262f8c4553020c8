package authorisations

import (
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/staff"
	"frontdesk/projections/applications"
)

// Section is the pages about authorisations. All fields are needed.
type Section struct {
	*pagekit.Site
	Approvals applications.Approvals
	Given     applications.Authorisations
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "authorise", "authorisations")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/authorise", "authorise", pagekit.FormMethods(staff.GiveOwnAuthorisations, s.authoriseForm, s.authorise)),
		pagekit.NewRoute("/authorisations", "authorisations", pagekit.FormMethods(staff.GiveOwnAuthorisations, s.authorisations, s.revoke)),
	}
}

// askTheSender is the advice about a link that only its application can fix.
const askTheSender = "Go back to the app and report this message to its support team."

// Errors of a link of an application, and of an authorisation to stop.
var (
	errIncomplete = pagekit.NewErrorPage(http.StatusBadRequest, "This link is not complete",
		"The link has to name one application and one address to return to.", askTheSender)
	errUnknownApplication = pagekit.NewErrorPage(http.StatusNotFound, "We do not know this application",
		"The link names an application that is not registered with this service.", askTheSender)
	errNotEnabled = pagekit.NewErrorPage(http.StatusForbidden, "This application is not enabled at your practice",
		"No one here can let it act for them until a manager has enabled it.",
		"Ask a manager to enable the application, then try again.")
	errNotForUsers = pagekit.NewErrorPage(http.StatusForbidden, "This application cannot act for staff",
		"It has not been given anything that it may do on behalf of a member of staff.", askTheSender)
	errUnknownCallback = pagekit.NewErrorPage(http.StatusBadRequest, "We do not know where this link leads",
		"The address to return to is not one that is registered for the application. To keep you safe, we have not sent you there.", askTheSender)
	errNotYours = pagekit.NewErrorPage(http.StatusForbidden, "You cannot stop this authorisation",
		"Someone else gave it. They can stop it, and so can a manager.", "")
)
