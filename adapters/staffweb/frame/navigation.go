package frame

import (
	"strings"

	"frontdesk/domain/staff"
)

// section is one of the practice's pages that the navigation leads to.
type section struct {
	Label, Path string
	right       staff.Action
}

// link is one as the navigation shows it.
type link struct {
	section
	Here bool // the page that is shown belongs to it
}

// sections are all of them, in the order in which they are shown.
var sections = []section{
	{"Requests", "/requests", staff.HandleRequests},
	{"Patients", "/patients", staff.SeePatients},
	{"Day", "/day", staff.RunTheDay},
	{"Opening", "/opening", staff.ManageOpening},
	{"Sites", "/sites", staff.ManageSites},
	{"Displays", "/displays", staff.ManageDisplays},
	{"Applications", "/applications", staff.ManageApplications},
	{"People", "/people", staff.ManagePeople},
	{"Privacy", "/privacy", staff.GuardPrivacy},
	{"Your authorisations", "/authorisations", staff.GiveOwnAuthorisations},
}

// linksFor lead to those that somebody with these roles may use. At is the path of the page
// that is shown, below the practice's pages.
func linksFor(roles staff.Roles, at string) (links []link) {
	for _, s := range sections {
		if roles.May(s.right) {
			links = append(links, link{s, at == s.Path || strings.HasPrefix(at, s.Path+"/")})
		}
	}
	return links
}

// Home is the path of the page where somebody with these roles begins, below the
// practice's pages.
func Home(roles staff.Roles) string { return linksFor(roles, "")[0].Path }
