package staffweb_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"frontdesk/domain/staff"
)

var (
	helpLink    = regexp.MustCompile(`<a href="/elm-street/staff/help([^"]*)">Help with this page</a>`)
	guidePicked = regexp.MustCompile(`<img src="(help/[^"]+)" alt="[^"]+"`)
)

// Each page links to a section of the guide that exists, and the guide needs no session.
func TestPagesLinkToTheirHelp_D154(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "all", staff.Receptionist, staff.Clinician, staff.Manager, staff.PrivacyOfficer)
	b := s.browser(t)
	guide := b.get("/elm-street/staff/help")
	guide.wants(t, http.StatusOK, "", `<h2 id="signing-in">`)
	for _, picture := range guidePicked.FindAllStringSubmatch(guide.body, -1) {
		if got := b.get("/elm-street/staff/" + picture[1]); got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s is answered %d, %s", picture[1], got.StatusCode, got.Header.Get("Content-Type"))
		}
	}
	if strings.Contains(guide.body, ".md") {
		t.Error("the guide links to a file that the pages do not serve")
	}
	for _, name := range []string{"nothing.png", "guide.md", "..%2fguide.go"} {
		b.get("/elm-street/staff/help/"+name).wants(t, http.StatusNotFound, "", "Page not found")
	}
	b.signIn(elm, "all")
	for page, section := range map[string]string{
		"requests": "requests", "patients": "patients", "day": "appointments", "opening": "opening-hours", "sites": "sites-and-rooms",
		"displays": "waiting-room-screens", "applications": "connected-apps", "people": "staff", "privacy": "privacy", "account": "signing-in",
	} {
		answer := b.get("/elm-street/staff/" + page)
		link := helpLink.FindStringSubmatch(answer.body)
		if len(link) == 0 || link[1] != "#"+section || !strings.Contains(guide.body, ` id="`+section+`"`) {
			t.Errorf("%s links to %v", page, link)
		}
	}
}
