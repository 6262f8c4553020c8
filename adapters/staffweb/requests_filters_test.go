package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestFiltersOfInboxAreSaved_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	bob, kim := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim")
	const list, urgent = "/elm-street/staff/requests", "/elm-street/staff/requests?tab=open&type=medical&urgent=yes"
	bob.get(list).wants(t, http.StatusOK, "", "Urgent only")
	if strings.Contains(bob.get(list).body, "this filter") {
		t.Error("a list without a filter can be saved")
	}
	saving := func(page seen) url.Values {
		t.Helper()
		_, page.body, _ = strings.Cut(page.body, `class="wide bar saved"`)
		return page.form(t, list)
	}
	form := saving(bob.get(urgent))
	bob.post(list, with(form, "do", "save", "token", "x")).wants(t, http.StatusForbidden, "", "")
	bob.post(list, with(form, "do", "burn")).wants(t, http.StatusBadRequest, "", "could not read")
	bob.post(list, with(form, "do", "save")).wants(t, http.StatusSeeOther, urgent, "")
	bob.post(list, with(form, "do", "save")).wants(t, http.StatusSeeOther, urgent, "") // once
	bob.get(list).wants(t, http.StatusOK, "", `<li><a href="/elm-street/staff/requests?tab=open&amp;type=medical&amp;urgent=yes">In progress, medical, urgent only</a></li>`)
	bob.get(urgent).wants(t, http.StatusOK, "", "Remove this filter")
	if page := kim.get(urgent); strings.Contains(page.body, "In progress, medical, urgent only") {
		t.Errorf("a colleague's filter is shown:\n%s", page.body)
	}
	for _, tab := range []string{"new", "mine", "open", "done"} {
		for _, more := range []string{"medical", "admin"} {
			bob.post(list, with(form, "do", "save", "tab", tab, "type", more, "urgent", "yes"))
		}
	}
	page := bob.get(list + "?tab=done&urgent=yes")
	if n := strings.Count(page.body, ", urgent only</a></li>"); n != 8 || strings.Contains(page.body, "Save this filter") {
		t.Errorf("%d filters are saved", n)
	}
	bob.post(list, with(form, "do", "save", "type", "", "tab", "done", "urgent", "yes"))
	bob.post(list, with(saving(bob.get(urgent)), "do", "remove")).wants(t, http.StatusSeeOther, urgent, "")
	if n := strings.Count(bob.get(list).body, ", urgent only</a></li>"); n != 7 {
		t.Errorf("%d filters are left", n)
	}
}
