package staffweb_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// setContact is what an application does.
func (s *service) setContact(t *testing.T, of patient.ID, c patient.Contact) {
	t.Helper()
	must(t, s.pages.Desk.SetContactDetails(t.Context(), commands.SetContactDetails{Tenant: elm, Patient: of, Contact: c}))
	s.drain(t)
}

const nhsNumber, spacedNumber = "9434765919", "943 476 5919"

func TestContactDetailsAreChanged_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	at := patientsPage + "/" + ann.String()
	path := at + "/contact"
	b.get(at).wants(t, http.StatusOK, "", "<dt>Telephone</dt><dd>not known</dd>")
	first, second := b.get(path).form(t, path), b.get(path).form(t, path)
	change := func(form url.Values, telephone, email, number string) seen {
		return b.post(path, with(form, "telephone", telephone, "email", email, "nhs-number", number))
	}
	wrong := change(first, "12", "ann", "943 476 5918")
	for _, text := range []string{"Enter a telephone number with 5 to 15 digits", "Enter an email address in the correct format", "one of its digits is wrong", `value="943 476 5918"`} {
		wrong.wants(t, http.StatusBadRequest, "", text)
	}
	change(first, "", "", "943 476").wants(t, http.StatusBadRequest, "", "Enter an NHS number with 10 digits")
	change(first, "", "", " ").wants(t, http.StatusSeeOther, at, "")
	change(first, "(01632) 960-001", "ann@example.org", " "+spacedNumber+" ").wants(t, http.StatusSeeOther, at+"?done=contact", "")
	page := b.get(at + "?done=contact")
	for _, text := range []string{"The contact details have been changed.", "01632 960 001", "ann@example.org", spacedNumber} {
		page.wants(t, http.StatusOK, "", text)
	}
	change(second, "", "", "").wants(t, http.StatusConflict, "", "They are now 01632 960 001, ann@example.org, 943 476 5919.")
	if n := s.count(t, "patient.contact-details-set.v1"); n != 1 {
		t.Errorf("the details were changed %d times", n)
	}
	change(url.Values{}, "1", "2", "3").wants(t, http.StatusForbidden, "", "The details are now 01632 960 001")
	if last := s.looks.all(); last[len(last)-1].Endpoint != "patient-contact" || !slices.Equal(last[len(last)-1].Patients, []patient.ID{ann}) {
		t.Errorf("the access record has %+v", last)
	}
}

// A restricted record hides contact details from other members, also those that it had on
// their screens.
func TestClosedRecordHidesContacts_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	s.setContact(t, ann, patient.Contact{Telephone: "020 7946 0958", Email: "ann@example.org", NHSNumber: nhsNumber})
	at := patientsPage + "/" + ann.String()
	form := b.get(at+"/contact").form(t, at+"/contact")
	must(t, s.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: ann, Usernames: []string{"dr.lee"}}))
	refused := b.post(at+"/contact", with(form, "telephone", "020 7946 0999"))
	refused.wants(t, http.StatusForbidden, "", "you do not have access")
	refused.wants(t, http.StatusForbidden, "", "020 7946 0999")
	stale := b.post(at+"/contact", with(form, "token", "", "telephone", "", "email", "", "nhs-number", ""))
	for _, page := range []seen{b.get(at), b.get(at + "/contact"), b.post(at+"/contact", with(form, "telephone", "x", "email", "x", "nhs-number", "x")), stale} {
		for _, hidden := range []string{"7946 0958", "ann@example.org", spacedNumber, nhsNumber} {
			if strings.Contains(page.body, hidden) {
				t.Errorf("%s is shown:\n%s", hidden, page.body)
			}
		}
	}
	if n := s.count(t, "patient.contact-details-set.v1"); n != 1 {
		t.Errorf("the details were changed %d times", n-1)
	}
}

func TestRegisteredWithContacts_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	s.setContact(t, ann, patient.Contact{NHSNumber: nhsNumber})
	register := patientsPage + "/register"
	form := with(b.get(register).form(t, register), "name", "Bill Baker", "born", "1 3 1990", "telephone", "x", "email", "x", "nhs-number", "1")
	wrong := b.post(register, form)
	for _, text := range []string{"Enter a telephone number", "Enter an email address", "Enter an NHS number"} {
		wrong.wants(t, http.StatusBadRequest, "", text)
	}
	form = with(form, "telephone", "01632 960 002", "email", "bill@example.org", "nhs-number", spacedNumber)
	shared := b.post(register, form)
	shared.wants(t, http.StatusConflict, "", "<bdi>Bill Baker</bdi> has the same NHS number as ")
	shared.wants(t, http.StatusConflict, "", patientsPage+"/"+ann.String())
	anyway := shared.form(t, register)
	b.post(register, with(with(form, "anyway", anyway.Get("anyway")), "name", "Cy Cole")).wants(t, http.StatusConflict, "", "<bdi>Cy Cole</bdi> has the same NHS number as ") // not the details that were confirmed
	made := ""
	for range 2 { // a form that is sent twice
		made = b.post(register, with(form, "anyway", anyway.Get("anyway"))).Header.Get("Location")
	}
	b.post(register, with(form, "anyway", anyway.Get("anyway"), "telephone", "01632 960 003")).wants(t, http.StatusConflict, "", "This form has registered a patient already.")
	s.drain(t)
	page := b.get(made)
	for _, text := range []string{"01632 960 002", "bill@example.org", "<bdi>Bill Baker</bdi> has the same NHS number as ", "<bdi>Ann Archer</bdi></a> (born on 29 February 1980)"} {
		page.wants(t, http.StatusOK, "", text)
	}
	b.get(patientsPage+"/"+ann.String()).wants(t, http.StatusOK, "", "<bdi>Ann Archer</bdi> has the same NHS number as ")
	if registered, set := s.count(t, "patient.registered.v1"), s.count(t, "patient.contact-details-set.v1"); registered != 2 || set != 2 {
		t.Errorf("%d are registered, %d have contact details", registered, set)
	}
}

// A number that another patient has is saved once the other has been named. Both pages name
// both, until one of them is corrected.
func TestSharedNumberNamesBoth_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	s.setContact(t, ann, patient.Contact{NHSNumber: nhsNumber})
	bill := s.patient(t, elm, "Bill Baker", "")
	oaks := s.patient(t, oak, "Ann Oakes", "")
	must(t, s.pages.Desk.SetContactDetails(t.Context(), commands.SetContactDetails{Tenant: oak, Patient: oaks, Contact: patient.Contact{NHSNumber: nhsNumber}}))
	at := patientsPage + "/" + bill.String()
	form := with(b.get(at+"/contact").form(t, at+"/contact"), "nhs-number", spacedNumber)
	asked := b.post(at+"/contact", form)
	asked.wants(t, http.StatusConflict, "", "<bdi>Bill Baker</bdi> has the same NHS number as ")
	asked.wants(t, http.StatusConflict, "", "Save anyway")
	if last := s.looks.all(); !slices.ContainsFunc(last, func(c access.Call) bool {
		return c.Endpoint == "patients" && slices.Equal(c.Patients, []patient.ID{ann})
	}) {
		t.Errorf("the access record does not say that Ann was named: %+v", last)
	}
	b.post(at+"/contact", with(asked.form(t, at+"/contact"), "nhs-number", spacedNumber)).wants(t, http.StatusSeeOther, at+"?done=contact", "")
	s.drain(t)
	for _, id := range []patient.ID{ann, bill} {
		page := b.get(patientsPage + "/" + id.String())
		for _, text := range []string{"<bdi>Bill Baker</bdi>", "<bdi>Ann Archer</bdi>", "has the same NHS number as"} {
			page.wants(t, http.StatusOK, "", text)
		}
		if strings.Contains(page.body, "Oakes") {
			t.Errorf("a patient of another practice is named:\n%s", page.body)
		}
	}
	b.post(at+"/contact", with(b.get(at+"/contact").form(t, at+"/contact"), "telephone", "01632 960 001")).wants(t, http.StatusSeeOther, at+"?done=contact", "")
	b.post(at+"/contact", with(b.get(at+"/contact").form(t, at+"/contact"), "nhs-number", "")).wants(t, http.StatusSeeOther, at+"?done=contact", "")
	s.drain(t)
	if page := b.get(patientsPage + "/" + ann.String()); strings.Contains(page.body, "Baker") {
		t.Errorf("the warning stays:\n%s", page.body)
	}
}

// A page that cannot compare NHS numbers says so.
func TestFullIndexIsSaidOnPages_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t, func(p *staffweb.Pages) { p.PatientIndex.Most = 1 })
	s.patient(t, elm, "Bill Baker", "")
	b.get(patientsPage+"/"+ann.String()).wants(t, http.StatusOK, "", "<bdi>Ann Archer</bdi>")
	s.setContact(t, ann, patient.Contact{NHSNumber: nhsNumber})
	b.get(patientsPage+"/"+ann.String()).wants(t, http.StatusOK, "", "We could not check whether another patient has the same NHS number.")
}

// The number that a member looks for is in no address, log, title or line of the access record.
func TestPatientIsFoundByNumber_D161(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	s.setContact(t, ann, patient.Contact{NHSNumber: nhsNumber})
	s.member(t, "pia", staff.PrivacyOfficer)
	for _, c := range []struct {
		fields url.Values
		status int
		want   string
	}{
		{url.Values{"nhs-number": {spacedNumber}}, http.StatusOK, "1 patient found"},
		{url.Values{"nhs-number": {nhsNumber}, "name": {"bill"}}, http.StatusOK, "No patient found"},
		{url.Values{"find": {nhsNumber}}, http.StatusOK, "1 patient found"},
		{url.Values{"find": {spacedNumber}}, http.StatusOK, "1 patient found"},
		{url.Values{"find": {"900 000 0009"}}, http.StatusOK, "No patient found"},
		{url.Values{"find": {"943 476 5918"}}, http.StatusBadRequest, "one of its digits is wrong"},
		{url.Values{"nhs-number": {"943"}}, http.StatusBadRequest, "Enter an NHS number with 10 digits"},
	} {
		form := b.get(patientsPage).form(t, patientsPage)
		maps.Copy(form, c.fields)
		answer := b.post(patientsPage, form)
		address := answer.Header.Get("Location")
		if typed := anyID.ReplaceAllString(address, ""); strings.ContainsAny(typed, "0123456789") { // an ID has such digits by chance
			t.Errorf("the address is %s", address)
		}
		if address != "" {
			answer = b.get(address)
		}
		answer.wants(t, c.status, "", c.want)
		_, title, _ := strings.Cut(answer.body, "<title>")
		if title, _, _ = strings.Cut(title, "</title>"); title == "" || strings.Contains(title, "943") {
			t.Errorf("the title is %q", title)
		}
	}
	officer := s.browser(t)
	officer.signIn(elm, "pia")
	form := with(officer.get(privacyPage).form(t, privacyPage), "name", spacedNumber)
	officer.post(privacyPage, form).wants(t, http.StatusOK, "", "Ann Archer")
	// Patients with one name and one date of birth differ by their number.
	twin := s.patient(t, elm, "Ann Archer", "1980-02-29")
	s.drain(t)
	both := officer.post(privacyPage, with(form, "name", "Ann Archer"))
	both.wants(t, http.StatusOK, "", "2 patients were found.")
	both.wants(t, http.StatusOK, "", "NHS number "+spacedNumber)
	officer.get(privacyPage+"/patients/"+ann.String()).wants(t, http.StatusOK, "", "<dt>NHS number</dt><dd>"+spacedNumber+"</dd>")
	officer.get(privacyPage+"/patients/"+twin.String()).wants(t, http.StatusOK, "", "<dt>NHS number</dt><dd>not known</dd>")
	written := s.watched.String() + fmt.Sprint(s.looks.all())
	var searches string
	must(t, s.pool.QueryRow(t.Context(), `SELECT string_agg(p::text, '') FROM patient_searches p`).Scan(&searches))
	for _, digits := range []string{nhsNumber, spacedNumber, "943476", "9000000009"} {
		if strings.Contains(written+searches, digits) {
			t.Errorf("%s is written down", digits)
		}
	}
}
