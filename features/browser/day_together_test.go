package browser_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// together is a practice on one day, with an application that sends a request, fetches the reply
// and shows who is called in.
type together struct {
	*program
	portal                         *testworld.Application
	ann                            patient.ID
	rose, doctor, manager, officer *tab
	request, cough, reply, spaced  string
}

// TestBrowserFourRolesShareADay_D163 is one day: a patient asks through an application, a
// receptionist replies and books, a clinician calls in and writes the record, a manager sees the
// work in numbers, and a privacy officer who has seen the patient's data.
func TestBrowserFourRolesShareADay_D163(t *testing.T) {
	t.Parallel()
	d := &together{program: start(t), cough: "A cough that wakes me each night", reply: "Please come and see us today.", spaced: "943 476 5919"}
	d.ann = d.receive()
	d.Member(elm, "jo.price", staff.PrivacyOfficer)
	d.portal = d.Application("Portal", elm).Grant(access.CreatePatientRequest, access.RequestOutcome, access.CalledIn)
	d.rose, d.doctor, d.manager, d.officer = newTab(t), newTab(t), newTab(t), newTab(t)
	d.namesSites(d.manager)

	d.asks()
	d.receptionistReplies()
	d.receptionistBooks()
	d.clinicianSees()
	d.managerCounts()
	d.officerReads()
	for _, b := range []*tab{d.rose, d.doctor, d.officer} {
		b.quiet()
	}
}

// calls makes a call of the application, which has to be answered 200.
func (d *together) calls(endpoint application.EndpointName, body string) string {
	d.t.Helper()
	answer := d.portal.Call(elm, endpoint, body)
	if answer.Status != http.StatusOK {
		d.t.Fatalf("%s is answered %d %s", endpoint, answer.Status, answer.Body)
	}
	return answer.Body
}

// shown fails unless the application is shown a text.
func (d *together) shown(endpoint application.EndpointName, text string) {
	d.t.Helper()
	if body := d.calls(endpoint, ""); !strings.Contains(body, text) {
		d.t.Errorf("%s shows %s, want %s", endpoint, body, text)
	}
}

func (d *together) asks() {
	d.t.Helper()
	body := d.calls(access.CreatePatientRequest, fmt.Sprintf(
		`{"patientId": %q, "requestType": "medical", "requester": "patient", "response": [{"question": "healthConcern", "answer": %q}]}`, d.ann, d.cough))
	var made struct {
		ID string `json:"patientRequestId"`
	}
	testworld.Must(d.t, json.Unmarshal([]byte(body), &made))
	d.request = made.ID
}

// receptionistReplies writes down how Ann can be reached, finds her by her number, and replies.
func (d *together) receptionistReplies() {
	d.t.Helper()
	b := d.rose
	b.open(d.page(elm, "requests"))
	b.signIn("rose", password)
	b.comes(d.page(elm, "requests"), d.cough)
	b.fits("together-inbox")
	b.open(d.page(elm, "patients/"+d.ann.String()+"/contact"))
	b.do(chromedp.SetValue("#telephone", "01632 960 001"), chromedp.SetValue("#email", "ann@elm.example"), chromedp.SetValue("#nhs-number", d.spaced))
	b.press("Save")
	b.shows("The contact details have been changed.")
	b.fits("together-patient")
	testworld.Must(d.t, d.Drain(d.t.Context()))
	b.do(chromedp.SetValue("#seek", d.spaced))
	b.press("Find")
	b.shows("1 patient found")
	d.free(b, d.spaced, "01632 960 001", "ann@elm.example")

	b.open(d.page(elm, "requests/"+d.request))
	b.shows("01632 960 001")
	b.do(chromedp.SetValue("#text", "Sent by the portal."), chromedp.Click("#outcome-replied"), chromedp.SetValue("#answer", d.reply))
	b.press("Complete the request")
	b.open(d.page(elm, "requests/"+d.request))
	b.shows("Not fetched yet by Portal")
	b.fits("together-reply")
	d.shown("request-outcome?patientRequestId="+application.EndpointName(d.request), d.reply)
	b.comes(d.page(elm, "requests/"+d.request), "Fetched by Portal")
	b.fits("together-reply-fetched")
	d.free(b, d.reply, d.cough, "Archer")
}

// receptionistBooks books Ann with Dr Lee, and marks her as arrived.
func (d *together) receptionistBooks() {
	d.t.Helper()
	b := d.rose
	b.open(d.page(elm, "day/book?patient="+d.ann.String()))
	b.do(chromedp.SetValue("#date", "1 July 2026"), chromedp.SetValue("#time", "1:10pm"), chromedp.SetValue("#minutes", "10"))
	b.choose("#clinician", "Dr Lee")
	b.choose("#kind", "Face to face")
	b.press("Show this day")
	b.fits("together-book")
	b.press("Book")
	b.shows("The appointment is booked.")
	b.open(d.page(elm, "day"))
	b.press("Arrived: Ann Archer")
	b.shows("The patient is marked as arrived.")
	b.fits("together-day")
}

// clinicianSees calls Ann in from the list of their own appointments, while the application shows
// the waiting room, and writes the record.
func (d *together) clinicianSees() {
	d.t.Helper()
	b := d.doctor
	b.open(d.page(elm, "day"))
	b.signIn("dr.lee", password)
	b.open(d.page(elm, "day"))
	b.choose("#with", "Dr Lee")
	b.choose("#room", "Room 1")
	b.press("Show")
	b.fits("together-day-of-clinician")
	d.shown(access.CalledIn, `{"calledIn":[]}`)
	b.press("Call in to Room 1: Ann Archer")
	b.shows("Cancel call-in")
	d.shown(access.CalledIn, "Ann Archer")
	d.shown(access.CalledIn, `"roomName":"Room 1"`)
	b.press("Start: Ann Archer")
	b.press("Start the consultation")
	b.shows("Consultation started")
	d.shown(access.CalledIn, `{"calledIn":[]}`)
	b.open(d.page(elm, "patients/"+d.ann.String()))
	b.shows(d.spaced)
	b.do(chromedp.SetValue("#note", "Chest clear."))
	b.press("Add note")
	b.shows("The note has been added to the record.")
}

// managerCounts sees numbers, and no patients.
func (d *together) managerCounts() {
	d.t.Helper()
	b := d.manager
	b.open(d.page(elm, "overview"))
	if done := js[string](b, `document.querySelector('td[data-label="Done today"]').innerText`); done != "1" {
		d.t.Errorf("%s requests are done", done)
	}
	b.fits("together-overview")
	if text := ask(b, chromedp.Text("main")); strings.Contains(text, "Archer") || strings.Contains(text, d.cough) {
		d.t.Errorf("the manager reads of a patient:\n%s", text)
	}
	if answer := b.open(d.page(elm, "patients/"+d.ann.String()+"/contact")); answer.Status != http.StatusForbidden {
		d.t.Errorf("the manager's contact page is answered %d", answer.Status)
	}
}

// officerReads finds Ann by her number, reads who has seen her data, and makes her copy.
func (d *together) officerReads() {
	d.t.Helper()
	b := d.officer
	b.open(d.page(elm, "privacy"))
	b.signIn("jo.price", password)
	b.open(d.page(elm, "privacy"))
	b.do(chromedp.SetValue("#name", d.spaced))
	b.press("Find")
	b.shows("1 patient was found.")
	d.free(b, d.spaced)
	b.loading(chromedp.Click(`//main//a[contains(., "Ann Archer")]`))
	about := b.at().String()
	for link, texts := range map[string][]string{
		"Openings": {"Rose Reed", "Dr Lee"}, "Lists": {"Rose Reed", "Dr Lee"}, "App calls": {"Portal"}, "Changes": {"Rose Reed changed how the patient can be reached", "Rose Reed answered the patient"},
	} {
		b.open(about)
		b.loading(chromedp.Click(`//main//a[normalize-space(.) = "` + link + `"]`))
		for _, text := range texts {
			b.shows(text)
		}
		b.picture("together-privacy-" + link)
	}
	b.open(about)
	content := d.fetched(b, "/copy")
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	testworld.Must(d.t, err)
	var all bytes.Buffer
	for _, f := range files.File {
		entry, err := f.Open()
		testworld.Must(d.t, err)
		_, err = io.Copy(&all, entry)
		testworld.Must(d.t, err)
	}
	for _, text := range []string{d.cough, d.reply, "01632 960 001", "ann@elm.example", "9434765919", "Chest clear.", "with <bdi>Dr Lee</bdi>, 10 minutes, face-to-face"} {
		if !strings.Contains(all.String(), text) {
			d.t.Errorf("the copy lacks %q", text)
		}
	}
}

// free fails if the title or the address of a page has one of the texts.
func (d *together) free(b *tab, texts ...string) {
	d.t.Helper()
	where := ask(b, chromedp.Title()) + " " + b.at().String()
	for _, text := range texts {
		if strings.Contains(where, text) || strings.Contains(where, strings.ReplaceAll(text, " ", "+")) {
			d.t.Errorf("%q is in %s", text, where)
		}
	}
}

// choose chooses an option of a select by its name.
func (b *tab) choose(field, name string) {
	b.t.Helper()
	value := js[string](b, `[...document.querySelectorAll("`+field+` option")].find(o => o.text === "`+name+`").value`)
	b.do(chromedp.SetValue(field, value))
}
