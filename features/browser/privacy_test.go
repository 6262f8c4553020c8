package browser_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// guarded is a practice with two privacy officers and a patient whose restricted record
// was opened with a reason.
func guarded(t *testing.T) (*program, patient.ID) {
	t.Helper()
	p := start(t)
	ctx := t.Context()
	for username, name := range map[string]string{"po.ann": "Ann Officer", "po.bob": "Bob Officer"} {
		by := event.WithMetadata(ctx, event.Metadata{Actor: event.Operator("registers-"+username, "")})
		_, err := p.Desk.RegisterStaff(by, commands.RegisterStaff{
			Tenant: elm, Username: username, Name: name, Email: "staff@practice.example", Roles: staff.Roles{staff.PrivacyOfficer}, Password: password,
		})
		testworld.Must(t, err)
	}
	_, err := p.Desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: elm, Username: "dr.fox", Name: "Dr Fox", Email: "staff@practice.example", Roles: staff.Roles{staff.Clinician}, Password: password,
	})
	testworld.Must(t, err)
	p.Pass(24 * time.Hour) // new accounts erase nobody
	zoe, err := p.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: elm, Name: "Zoë Quill <b>", BirthDate: "1980-02-29"})
	testworld.Must(t, err)
	testworld.Must(t, p.Desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: elm, Patient: zoe, Usernames: []string{"dr.lee"}}))
	fox, err := p.Staff.StaffByUsername(ctx, elm, "dr.fox")
	testworld.Must(t, err)
	testworld.Must(t, p.Desk.BreakGlass(event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(fox.UUID)}), commands.BreakGlass{Tenant: elm, Patient: zoe, By: fox, Reason: "Dr Lee is away, and she is in pain."}))
	return p, zoe
}

// fetched is the answer to a form of the page, in the browser's session.
func (p *program) fetched(b *tab, form string) []byte {
	p.t.Helper()
	cookies, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{})
	testworld.Must(p.t, err)
	token := js[string](b, `document.querySelector('form[action$="`+form+`"] input[name=token]').value`)
	address := js[string](b, `document.querySelector('form[action$="`+form+`"]').action`)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, address, strings.NewReader("token="+token))
	testworld.Must(p.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range cookies.Cookies {
		request.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	answer, err := http.DefaultClient.Do(request)
	testworld.Must(p.t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	testworld.Must(p.t, err)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "application/zip" || answer.Header.Get("Cache-Control") != "no-store" {
		p.t.Errorf("the copy is answered %s, %v", answer.Status, answer.Header)
	}
	return content
}

// Two privacy officers see who has broken the glass and who has accessed a patient's
// data. They change who may see the record, make a copy, and erase the data together.
func TestBrowserGuardsPrivacy_D90(t *testing.T) {
	t.Parallel()
	p, zoe := guarded(t)
	ann, bob := newTab(t), newTab(t)
	ann.open(p.page(elm, "privacy"))
	ann.signIn("po.ann", password)
	ann.titled("Privacy")
	ann.shows("Dr Fox opened the record at")
	ann.shows("Dr Lee is away, and she is in pain.")
	ann.fits("privacy")
	ann.press("Find")
	ann.shows("Enter a name, a date of birth, an NHS number or an identifier")
	ann.fits("privacy-wrong")
	ann.do(chromedp.SetValue("#name", "zoe q"))
	ann.press("Find")
	ann.shows("1 patient was found.")
	ann.fits("privacy-found")

	about := p.page(elm, "privacy/patients/"+zoe.String())
	ann.open(about)
	ann.titled("Data of a patient")
	ann.shows("Dr Fox opened the restricted record for half an hour, and gave a reason")
	ann.fits("privacy-patient")
	ann.loading(chromedp.Click(`//main//a[normalize-space(.) = "Lists"]`))
	ann.shows("Ann Officer saw the patient on the privacy pages")
	ann.fits("privacy-lists")
	ann.do(chromedp.SetValue("#from", "soon"))
	ann.press("Filter")
	ann.shows("Enter a date with a day, month and year")
	ann.fits("privacy-wrong-day")
	ann.loading(chromedp.Click(`//main//a[normalize-space(.) = "Changes"]`))
	for _, text := range []string{"the service itself registered the patient", "restricted the record to named staff"} {
		ann.shows(text)
	}
	ann.do(chromedp.Click("//label[normalize-space(.)='Dr Lee']"))
	ann.press("Change who may see it")
	ann.shows("Choose who may see the record.")
	ann.fits("privacy-nobody-chosen")
	ann.do(chromedp.Click("//label[normalize-space(.)='Dr Fox']"), chromedp.Click("//label[normalize-space(.)='Dr Lee']"))
	ann.press("Change who may see it")
	ann.shows("The record has been restricted.")
	ann.press("Lift the restriction")
	ann.shows("The restriction has been lifted.")

	content := p.fetched(ann, "/copy")
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	testworld.Must(t, err)
	if len(files.File) < 4 {
		t.Errorf("the copy has %d files", len(files.File))
	}
	ann.open(about)
	ann.shows("Ann Officer read or downloaded the patient’s data")

	ann.do(chromedp.SetValue("#reason", "She has asked for it."))
	ann.press("Request erasure")
	ann.shows("The basis must be")
	ann.do(chromedp.Click("#basis-" + string(erasure.UnlawfulProcessing)))
	ann.press("Request erasure")
	ann.shows("Another privacy officer has to confirm it")
	ann.fits("privacy-asked")
	p.Pass(25 * time.Hour)

	bob.open(p.page(elm, "privacy"))
	bob.signIn("po.bob", password)
	bob.shows("Erasure requests awaiting approval")
	bob.open(about)
	bob.do(chromedp.SetValue("#hold", "There is a claim."))
	bob.press("Keep the data")
	bob.shows("The data are kept by a hold.")
	bob.fits("privacy-held")
	bob.do(chromedp.SetValue(`input[name^="release-"]`, "The claim is settled."))
	bob.press("Lift this hold")
	bob.fits("privacy-confirm")
	bob.withoutScript()
	bob.open(about)
	bob.press("Erase the data for good")
	bob.shows("Confirmation that personal data was erased")
	if answer := bob.open(about); answer.Status != http.StatusNotFound {
		t.Errorf("the page of somebody who is erased is answered %d", answer.Status)
	}
	bob.shows("We could not find that patient")

	ann.open(p.page(elm, "privacy"))
	ann.signIn("po.ann", password)
	ann.open(p.page(elm, "privacy/erasures"))
	ann.shows("becomes final after the master key has been rotated")
	ann.fits("privacy-erasures")
	ann.do(chromedp.Click(".people a"))
	ann.shows("Confirmation that personal data was erased")
	ann.fits("privacy-letter")
}
