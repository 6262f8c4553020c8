package staffweb_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A request says who else has opened it in the last five minutes.
func TestRequestSaysWhoLooksAtIt_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	a.followInbox(t)
	bob, kim := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim")
	part := a.page + "?fragment&viewers"
	if page := bob.get(a.page); strings.Contains(page.body, "is looking at this") {
		t.Errorf("one's own opening is shown:\n%s", page.body)
	}
	kim.get(a.page).wants(t, http.StatusOK, "", "<bdi>Bob</bdi> is looking at this, since 1:00pm.")
	opened := a.appended(t, "patient-request.opened.v1")
	bob.get(part).wants(t, http.StatusOK, "", "<bdi>Kim</bdi> is looking at this, since 1:00pm.")
	if page := bob.get(part); strings.Contains(page.body, "Bob") || strings.Contains(page.body, annName) || strings.Contains(page.body, annConcern) {
		t.Errorf("the part has more than colleagues:\n%s", page.body)
	}
	if n := a.appended(t, "patient-request.opened.v1"); n != opened {
		t.Error("to see who looks is an opening")
	}
	a.Pass(5 * time.Minute)
	if page := bob.get(part); page.StatusCode != http.StatusOK || page.body != "" {
		t.Errorf("after five minutes: %d %q", page.StatusCode, page.body)
	}
	eve := a.signedIn(t, oak, "eve")
	eve.get(strings.Replace(part, "elm-street", "oak-lane", 1)).wants(t, http.StatusNotFound, "", "could not find that request")
	if page := bob.get(a.page); strings.Contains(page.body, `http-equiv="refresh"`) {
		t.Error("the page reloads itself while a member of staff types")
	}
}
