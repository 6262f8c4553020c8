package frame

import "frontdesk/domain/staff"

// section is one of the practice's pages that the navigation leads to.
type section struct {
	Label, Path string
	right       staff.Action
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

// sectionsFor are those that somebody with these roles may use.
func sectionsFor(roles staff.Roles) (may []section) {
	for _, s := range sections {
		if roles.May(s.right) {
			may = append(may, s)
		}
	}
	return may
}

// Home is the path of the page where somebody with these roles begins, below the
// practice's pages.
func Home(roles staff.Roles) string { return sectionsFor(roles)[0].Path }
