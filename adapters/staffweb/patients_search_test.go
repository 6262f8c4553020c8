package staffweb_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// find sends the form of the patients' page.
func (b *browser) find(fields url.Values) seen {
	b.t.Helper()
	form := b.get(patientsPage).form(b.t, patientsPage)
	maps.Copy(form, fields)
	answer := b.post(patientsPage, form)
	if address := answer.Header.Get("Location"); strings.Contains(address, "?search=") {
		return b.get(address)
	}
	return answer
}

func TestSearchFindsPatients_D85(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	s.patient(t, elm, "<b>Zoë</b> Archer", "")
	s.patient(t, oak, "Ann Oakes", "1980-02-29")
	for _, c := range []struct {
		fields url.Values
		want   string
	}{
		{url.Values{"name": {"an"}}, "1 patient found"},
		{url.Values{"name": {"ARCH"}}, "2 patients found"},
		{url.Values{"name": {"zoe arch"}}, "&lt;b&gt;Zoë&lt;/b&gt; Archer"},
		{url.Values{"born": {"29/02/1980"}}, "Born on 29 February 1980"},
		{url.Values{"born": {"1980-02-29"}, "name": {"zoe"}}, "No patient found"},
		{url.Values{"name": {"oakes"}}, "No patient found"},
		{url.Values{"find": {"Archer, Zoe"}}, "1 patient found"},
		{url.Values{"find": {"29.2.80"}}, "1 patient found"},
		{url.Values{"find": {"29021980"}}, "1 patient found"},
		{url.Values{"identifier": {uuid.NewString()}}, "No patient found"},
	} {
		page := b.find(c.fields)
		page.wants(t, http.StatusOK, "", c.want)
		if page.Header.Get("Cache-Control") != "no-store" || strings.Contains(page.body, "Ann Oakes") {
			t.Errorf("%v: %v\n%s", c.fields, page.Header, page.body)
		}
	}
	b.find(url.Values{"identifier": {ann.String()}}).wants(t, http.StatusSeeOther, patientsPage+"/"+ann.String(), "")
	for field, fault := range map[string]string{"": "Enter a name, date of birth, NHS number or patient ID", "born": "Enter a date of birth with a day", "identifier": "36 letters"} {
		b.find(url.Values{field: {"31 February"}}).wants(t, http.StatusBadRequest, "", fault)
	}
	b.post(patientsPage, url.Values{"name": {"ann"}}).wants(t, http.StatusForbidden, "", "You signed in again")

	b.find(url.Values{"name": {"an"}})
	lines := s.looks.all()
	last := lines[len(lines)-1]
	if last.Endpoint != "patients" || !slices.Equal(last.Patients, []patient.ID{ann}) || len(lines) != 11 {
		t.Errorf("%d lines, the last is %+v", len(lines), last)
	}
	for _, name := range []string{"Archer", "archer", "ARCH", "zoe", "Zo"} {
		if strings.Contains(s.watched.String(), name) || strings.Contains(fmt.Sprint(lines), name) {
			t.Errorf("%s is written down:\n%s\n%v", name, s.watched, lines)
		}
	}
}

// searchIn is the stored search of a page with results on several pages.
func searchIn(page seen) string {
	_, rest, _ := strings.Cut(page.body, "?search=")
	return rest[:36]
}

func TestSearchPagesAreStored_D85(t *testing.T) {
	t.Parallel()
	s, b, _ := reception(t)
	var changes []event.Change
	for n := range 501 {
		id := patient.ID{UUID: event.NewID()}
		changes = append(changes, event.Change{Stream: patient.StreamOf(elm, id), Events: []event.Event{patient.Registered{Patient: id, Name: fmt.Sprintf("Bill %03d", n)}}})
	}
	_, err := s.store.Append(t.Context(), changes...)
	must(t, err)
	s.drain(t)
	first := b.find(url.Values{"name": {"bill"}})
	for _, want := range []string{"More than 500 patients found", "Showing 1 to 50.", "Bill 049"} {
		first.wants(t, http.StatusOK, "", want)
	}
	search := searchIn(first)
	turn := func(by *browser, from string) seen {
		return by.get(patientsPage + "?" + url.Values{"search": {search}, "from": {from}}.Encode())
	}
	turn(b, "50").wants(t, http.StatusOK, "", "Showing 51 to 100.")
	if last := s.looks.all()[1]; len(last.Patients) != 50 {
		t.Errorf("%d patients were noted as shown", len(last.Patients))
	}
	for from, want := range map[string]string{"450": "Bill 499", "9999": "Showing 451 to 500.", "-1": "Bill 000", "x": "Bill 000"} {
		turn(b, from).wants(t, http.StatusOK, "", want)
	}
	other := s.browser(t)
	other.signIn(elm, "rose")
	turn(other, "50").wants(t, http.StatusNotFound, "", "This search has ended")
	for range 10 {
		b.find(url.Values{"name": {"bill"}})
	}
	turn(b, "50").wants(t, http.StatusNotFound, "", "This search has ended")
	var kept int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM patient_searches`).Scan(&kept))
	if kept != 10 {
		t.Errorf("%d searches are kept of one session", kept)
	}
	search = searchIn(b.find(url.Values{"name": {"bill"}}))
	s.Pass(29 * time.Minute)
	turn(b, "50").wants(t, http.StatusOK, "", "Showing 51 to 100.")
	s.Pass(time.Minute)
	turn(b, "50").wants(t, http.StatusNotFound, "", "This search has ended")
}
