package pagekit

import "strings"

// helpSections are the sections of the guide by the first part of a page's path.
var helpSections = map[string]string{
	"account":        "signing-in",
	"applications":   "connected-apps",
	"authorisations": "connected-apps",
	"authorise":      "connected-apps",
	"confirm":        "signing-in",
	"day":            "appointments",
	"displays":       "waiting-room-screens",
	"link":           "signing-in",
	"note-templates": "requests",
	"opening":        "opening-hours",
	"overview":       "opening-hours",
	"patients":       "patients",
	"people":         "staff",
	"privacy":        "privacy",
	"privacy-texts":  "privacy",
	"requests":       "requests",
	"sign-in":        "signing-in",
	"sites":          "sites-and-rooms",
	"teams":          "teams",
}

// helpAddress returns the address of the guide, at the section about a page.
func helpAddress(r *Request) string {
	page, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.HTTP.URL.Path, r.Base()), "/"), "/")
	if section, ok := helpSections[page]; ok {
		return r.Base() + "/help#" + section
	}
	return r.Base() + "/help"
}
