package frame

import (
	"strings"

	"frontdesk/domain/staff"
)

// section is one of the practice's pages that the navigation leads to.
type section struct {
	Label, Path string
	right       staff.Action
	Here        bool // the page that is shown belongs to it
}

// sections are all of them, in the order in which they are shown.
var sections = []section{
	{"Requests", "/requests", staff.HandleRequests, false},
	{"Patients", "/patients", staff.SeePatients, false},
	{"Day", "/day", staff.RunTheDay, false},
	{"Opening", "/opening", staff.ManageOpening, false},
	{"Sites", "/sites", staff.ManageSites, false},
	{"Displays", "/displays", staff.ManageDisplays, false},
	{"Applications", "/applications", staff.ManageApplications, false},
	{"People", "/people", staff.ManagePeople, false},
	{"Privacy", "/privacy", staff.GuardPrivacy, false},
	{"Your authorisations", "/authorisations", staff.GiveOwnAuthorisations, false},
}

// sectionsFor are those that somebody with these roles may use. At is the path of the page
// that is shown, below the practice's pages.
func sectionsFor(roles staff.Roles, at string) (may []section) {
	for _, s := range sections {
		if roles.May(s.right) {
			s.Here = at == s.Path || strings.HasPrefix(at, s.Path+"/")
			may = append(may, s)
		}
	}
	return may
}

// Home is the path of the page where somebody with these roles begins, below the
// practice's pages.
func Home(roles staff.Roles) string { return sectionsFor(roles, "")[0].Path }
