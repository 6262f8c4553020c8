package app_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/commands"
)

// lookAfterPatients finds, sees, registers and changes patients on the pages. One has more
// namesakes than fit on a page, and a record that is restricted to another user.
func (l *lively) lookAfterPatients(answered func(method, path string, form url.Values) string) {
	l.t.Helper()
	send := func(path, to string, fields url.Values) string {
		l.t.Helper()
		_, main, _ := strings.Cut(answered(http.MethodGet, path, nil), "<main")
		_, form, _ := strings.Cut(main, `/`+to+`"`)
		sent := firstForm(form)
		maps.Copy(sent, fields)
		return answered(http.MethodPost, to, sent)
	}
	wants := func(page, text string) {
		l.t.Helper()
		if !strings.Contains(page, text) {
			l.t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
	for range 51 {
		_, err := l.Desk.RegisterPatient(l.t.Context(), commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
		l.must(err)
	}
	l.must(l.Drain(l.t.Context()))
	found := send("patients", "patients", url.Values{"name": {"ann"}})
	wants(found, "Showing 1 to 50.")
	_, search, _ := strings.Cut(found, "?search=")
	wants(answered(http.MethodGet, "patients?from=50&search="+search[:36], nil), "Showing 51 to")
	send("patients", "patients", url.Values{"identifier": {l.patient.String()}})
	wants(send("patients/register", "patients/register", url.Values{"name": {"Ann Archer"}}), "Possible duplicate.")
	wants(send("patients/register", "patients/register", url.Values{"name": {"Zed Zebra"}}), "has been registered")
	at := "patients/" + l.patient.String()
	wants(answered(http.MethodGet, at+"/timeline", nil), "opened the record")
	wants(send(at+"/details", at+"/details", url.Values{"name": {"Ann Baker"}}), "have been changed")
	wants(send(at, at+"/notes", url.Values{"note": {"Seen."}}), "has been added")
	l.must(l.Desk.RestrictPatientRecord(l.t.Context(), commands.RestrictPatientRecord{Tenant: "elm-street", Patient: l.patient, Usernames: []string{"kim"}}))
	wants(send(at, at+"/glass", url.Values{"reason": {"An emergency."}}), "You have opened this record.")
	page := answered(http.MethodGet, at, nil)
	_, entry, _ := strings.Cut(page, "?before=")
	if len(entry) > 36 {
		wants(answered(http.MethodGet, at+"?before="+entry[:36], nil), "These are older entries")
	}
	l.must(l.Desk.RestrictPatientRecord(l.t.Context(), commands.RestrictPatientRecord{Tenant: "elm-street", Patient: l.patient}))
}
