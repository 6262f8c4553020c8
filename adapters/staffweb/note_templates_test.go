package staffweb_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const templatesAt = "/elm-street/staff/note-templates"

// formNamed returns the hidden fields of the form of a page that has a field.
func (s seen) formNamed(t *testing.T, action, field string) url.Values {
	t.Helper()
	block, _ := s.formFor(t, action, field)
	return hiddenIn(block)
}

func TestManagersKeepNoteTemplates_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	may, bob := a.signedIn(t, elm, "dr.may"), a.signedIn(t, elm, "bob")
	add := func(name, text string) {
		t.Helper()
		page := may.get(templatesAt)
		may.post(templatesAt, with(page.formNamed(t, templatesAt, "text-new"), "do", "set", "name", name, "text-new", text)).wants(t, http.StatusSeeOther, templatesAt+"?done=saved", "")
	}
	add("Rang", "Rang, no answer.\r\nLeft a <message>.")
	add("A&E", "Told to go to A&E.")
	page := may.get(templatesAt)
	stale := page.formNamed(t, templatesAt, "text-2")
	may.post(templatesAt, with(stale, "do", "set", "text-2", "Rang twice.")).wants(t, http.StatusSeeOther, templatesAt+"?done=saved", "")
	late := may.post(templatesAt, with(stale, "do", "set", "text-2", "Rang three times."))
	late.wants(t, http.StatusConflict, "", "a colleague has changed this template")
	late.wants(t, http.StatusConflict, "", "\nRang three times.</textarea>")
	may.post(templatesAt, with(page.formNamed(t, templatesAt, "text-1"), "do", "set", "text-1", " ")).wants(t, http.StatusBadRequest, "", "Write a text, or remove the template")
	may.post(templatesAt, with(stale, "do", "set", "token", "x", "text-2", "Lost?")).wants(t, http.StatusForbidden, "", "Lost?")

	work := bob.get(a.page)
	work.wants(t, http.StatusOK, "", `<option value="Rang" data-text="Rang twice.">Rang</option>`)
	form := work.form(t, a.page)
	inserted := bob.post(a.page, with(form, "do", "insert", "template", "Rang", "text", "Ann is worried."))
	inserted.wants(t, http.StatusOK, "", "Ann is worried.\nRang twice.</textarea>")
	bob.post(a.page, with(form, "do", "insert", "template", "None", "text", "Kept")).wants(t, http.StatusBadRequest, "", "\nKept</textarea>")
	if n := a.appended(t, "patient-request.noted.v1"); n != 0 {
		t.Errorf("%d notes were saved", n)
	}
	may.post(templatesAt, with(may.get(templatesAt).formNamed(t, templatesAt, "text-1"), "do", "remove")).wants(t, http.StatusSeeOther, templatesAt+"?done=removed", "")
	if page := bob.get(a.page); strings.Contains(page.body, html.EscapeString("Told to go to A&E.")) {
		t.Error("a removed template can be inserted")
	}
	if page := a.signedIn(t, oak, "eve").get("/oak-lane/staff/requests"); strings.Contains(page.body, "Rang") {
		t.Error("another practice has the template")
	}
}
