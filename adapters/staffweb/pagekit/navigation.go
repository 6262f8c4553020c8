package pagekit

import (
	"strings"

	"frontdesk/domain/staff"
)

// section is a page in the navigation.
type section struct {
	Label, Path string
	right       staff.Action
}

// link is a link of the navigation.
type link struct {
	section
	Here bool // the current page belongs to it
}

// sections are all of them, in display order.
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

// linksFor returns the links that these roles may use. At is the path of the current
// page, below the practice's pages.
func linksFor(roles staff.Roles, at string) (links []link) {
	for _, s := range sections {
		if roles.May(s.right) {
			links = append(links, link{s, at == s.Path || strings.HasPrefix(at, s.Path+"/")})
		}
	}
	return links
}

// Home is the path of the first page for these roles, below the practice's pages.
func Home(roles staff.Roles) string { return linksFor(roles, "")[0].Path }
