package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// with is a form with other values.
func with(form url.Values, pairs ...string) url.Values {
	sent := maps.Clone(form)
	for n := 0; n < len(pairs); n += 2 {
		sent.Set(pairs[n], pairs[n+1])
	}
	return sent
}

// Forbidden actions on a request. Nothing changes, strangers see nothing, and the typed
// values are kept.
func TestForbiddenRequestActionsChangeNothing_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	stranger, err := commands.Desk{Store: a.store, Now: a.Now}.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: oak, Name: "Olaf of Oak Lane"})
	must(t, err)
	may, err := a.pages.Desk.Staff.AnyStaffByUsername(t.Context(), elm, "dr.may") // a manager
	must(t, err)
	bob, kim, eve := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim"), a.signedIn(t, oak, "eve")
	form := bob.get(a.page).form(t, a.page)
	elsewhere := strings.Replace(a.page, elm, oak, 1)
	unknown := strings.Replace(a.page, a.id.String(), event.NewID().String(), 1)
	const typed = "what I have typed"
	for name, c := range map[string]struct {
		by     *browser
		path   string
		form   url.Values // nil for a GET
		status int
		says   string
	}{
		"another practice's":            {eve, elsewhere, nil, http.StatusNotFound, "could not find that request"},
		"another practice's file":       {eve, elsewhere + "/attachments/1", nil, http.StatusNotFound, "could not find that request"},
		"a move at another practice":    {eve, elsewhere + "/patient", nil, http.StatusNotFound, "could not find that request"},
		"a deed at another practice":    {eve, elsewhere, with(form, "do", "take"), http.StatusNotFound, "could not find that request"},
		"a row of another practice":     {eve, "/" + oak + "/staff/requests?fragment&row=" + a.id.String(), nil, http.StatusNotFound, "could not find that request"},
		"a guessed request":             {bob, unknown, nil, http.StatusNotFound, "could not find that request"},
		"no identifier":                 {bob, "/elm-street/staff/requests/1", nil, http.StatusNotFound, "could not find that request"},
		"a file that is not there":      {bob, a.page + "/attachments/3", nil, http.StatusNotFound, "no such file"},
		"file 0":                        {bob, a.page + "/attachments/0", nil, http.StatusNotFound, "no such file"},
		"a file by its identifier":      {bob, a.page + "/attachments/" + a.file.ID.String(), nil, http.StatusNotFound, "no such file"},
		"a deed by GET":                 {bob, a.page + "?" + with(form, "do", "take").Encode(), nil, http.StatusOK, annConcern},
		"a deed that there is not":      {bob, a.page, with(form, "do", "erase"), http.StatusBadRequest, "could not read"},
		"somebody else's form":          {kim, a.page, with(form, "do", "note", "text", typed), http.StatusForbidden, "out of date"},
		"a form that has seen nothing":  {bob, a.page, with(form, "do", "note", "text", typed, "seen", ""), http.StatusConflict, typed},
		"a form of the future":          {bob, a.page, with(form, "do", "note", "text", typed, "seen", "99"), http.StatusConflict, typed},
		"given to a manager":            {bob, a.page, with(form, "do", "give", "to", may.String(), "text", typed), http.StatusBadRequest, typed},
		"reopened, though it is open":   {bob, a.page, with(form, "do", "reopen", "text", typed), http.StatusConflict, typed},
		"a note that is too long":       {bob, a.page, with(form, "do", "note", "text", strings.Repeat("x", request.MaxText+1)), http.StatusBadRequest, "at most 10,000"},
		"a move that there is not":      {bob, a.page + "/patient", with(form, "do", "take"), http.StatusBadRequest, "could not read"},
		"a patient of another practice": {bob, a.page + "/patient", with(form, "do", "move", "to", stranger.String(), "text", "why"), http.StatusBadRequest, "Choose one of the patients"},
		"no patient":                    {bob, a.page + "/patient", with(form, "do", "move", "to", "00000000-0000-0000-0000-000000000000", "text", "why"), http.StatusBadRequest, "Choose one of the patients"},
	} {
		method := http.MethodGet
		if c.form != nil {
			method = http.MethodPost
		}
		answer := c.by.do(method, c.path, c.form)
		if answer.wants(t, c.status, "", c.says); c.by == eve && (strings.Contains(answer.body, annName) || strings.Contains(answer.body, annConcern)) {
			t.Errorf("%s: it is shown", name)
		}
	}
	var done int
	must(t, a.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE stream = $1`, a.id).Scan(&done))
	if logged := a.watched.String(); done != 1 || strings.Contains(logged, annName) || strings.Contains(logged, typed) || strings.Contains(logged, fileName) {
		t.Errorf("%d events; the log is\n%s", done, logged)
	}
}

// A restricted record hides the request's text, its files, and colleagues' notes.
// Members without access can still take the request, and assign it to one with access.
func TestRestrictedRecordHidesRequestText_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	bob := a.signedIn(t, elm, "bob")
	form := with(bob.get(a.page).form(t, a.page), "do", "note", "text", "a colleague’s note")
	bob.post(a.page, form).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=note", "")
	const why = "The surgery of the same name was meant."
	must(t, a.pages.Desk.MarkPatientRequestEnteredInError(t.Context(), commands.MarkPatientRequestEnteredInError{Tenant: elm, Patient: a.ann, Request: a.id, Reason: why}))
	bob.get(a.page).wants(t, http.StatusOK, "", "entered in error: "+why)
	must(t, a.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: a.ann, Usernames: []string{"dr.lee"}}))
	answer := bob.get(a.page)
	answer.wants(t, http.StatusOK, "", "restricted")
	answer.wants(t, http.StatusOK, "", "This request was entered in error.")
	for _, hidden := range []string{annConcern, fileName, "a colleague’s note", why} {
		if strings.Contains(answer.body, hidden) {
			t.Errorf("%q is shown", hidden)
		}
	}
	form = with(answer.form(t, a.page), "do", "note", "text", "a guess", "outcome", string(request.Replied))
	for _, do := range []string{"note", "complete"} {
		bob.post(a.page, with(form, "do", do)).wants(t, http.StatusForbidden, "", "restricted")
	}
	bob.get(a.page+"/attachments/1").wants(t, http.StatusForbidden, "", "restricted")
	bob.post(a.page+"/patient", with(form, "do", "move", "to", event.NewID().String())).wants(t, http.StatusForbidden, "", "restricted")
	bob.post(a.page, with(form, "do", "take", "text", "")).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=take", "")
	if n := a.appended(t, "attachment.opened.v1"); n != 0 {
		t.Errorf("%d files were opened", n)
	}
}
