package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// expected is a patient with an appointment at a site of Elm Street, after an interval.
func (p *program) expected(name string, at site.ID, in time.Duration) (who patient.ID) {
	p.t.Helper()
	who, err := p.Desk.RegisterPatient(p.t.Context(), commands.RegisterPatient{Tenant: elm, Name: name, BirthDate: "1980-02-29"})
	testworld.Must(p.t, err)
	_, err = p.Desk.BookAppointment(p.t.Context(), commands.BookAppointment{Tenant: elm, Patient: who, Site: at, At: p.Now().Add(in)})
	testworld.Must(p.t, err)
	return who
}

// A manager names a site and its rooms, and a receptionist runs a day there.
func TestBrowserRunsADay_D86(t *testing.T) {
	t.Parallel()
	p, manager, b := start(t), newTab(t), newTab(t)
	b.open(p.page(elm, "day"))
	b.signIn("dr.lee", password)
	b.open(p.page(elm, "day"))
	b.shows("The practice has no sites yet.")
	b.fits("day-no-sites")
	at := p.namesSites(manager)

	ann := p.expected("Ann Archer", at, -10*time.Minute)
	p.expected("Bartholomew Featherstonehaugh-Cholmondeley", at, 0)
	p.expected("Cleo Carver", at, 30*time.Minute)
	b.open(p.page(elm, "day"))
	b.fits("day")
	b.do(chromedp.SetValue("#room", js[string](b, `[...document.querySelectorAll("#room option")].at(-1).value`)))
	b.press("Show")
	b.press("Arrived: Ann Archer")
	b.shows("The patient is marked as arrived.")
	b.press("Call in to Treatment room: Ann Archer")
	b.shows("Cancel call-in")
	b.press("Arrived: Bartholomew")
	b.press("Arrived: Cleo")
	b.fits("day-under-way")
	b.press("Start: Ann Archer")
	b.fits("start")
	b.press("Start the consultation")
	b.shows("Consultation started")

	b.loading(chromedp.Click(`//a[starts-with(normalize-space(.), "Cleo")]`))
	b.fits("appointment")
	b.do(chromedp.SetValue("#date", "30 6 2026"), chromedp.SetValue("#time", "9.40"))
	b.press("Move")
	b.shows("Choose today or a later day")
	b.fits("appointment-wrong")
	b.do(chromedp.SetValue("#date", "2/7/26"))
	b.press("Move")
	b.shows("9:40am on Thursday 2 July 2026")
	b.press("Cancel the appointment")
	b.fits("cancel")
	b.press("Cancel the appointment")
	b.shows("You cannot change this appointment.")
	b.fits("appointment-cancelled")

	b.open(p.page(elm, "day?patient="+ann.String()))
	b.fits("book")
	js[string](b, `document.querySelector("#time").value = ""`)
	b.press("Book")
	b.shows("Enter a time, for example 8:30am or 14:30")
	b.fits("book-wrong")
	b.do(chromedp.SetValue("#date", "3 July 2026"), chromedp.SetValue("#time", "2:30pm"))
	b.press("Book")
	b.shows("The appointment is booked.")
	b.shows("Friday 3 July 2026")
	b.fits("day-booked")
	p.plansWithClinician(b, ann)
	b.open(p.page(elm, "day?patient="+ann.String()))
	b.do(chromedp.SetValue("#date", "3 July 2026"), chromedp.SetValue("#time", "2.30pm"))
	b.press("Book")
	b.shows("The patient already has an appointment at 2:30pm on Friday 3 July 2026.")
	b.fits("book-doubt")
	b.press("Book anyway")
	b.shows("The appointment is booked.")
	b.quietBut("400", "409") // invalid forms, and a doubt
	manager.quietBut("400")
}

// plansWithClinician books at the first free time of a clinician's day.
func (p *program) plansWithClinician(b *tab, ann patient.ID) {
	p.t.Helper()
	choose := func(field, name string) {
		b.do(chromedp.SetValue("#"+field, js[string](b, `[...document.querySelectorAll("#`+field+` option")].find(o => o.text == "`+name+`").value`)))
	}
	for _, at := range []string{"10am", "10:05am"} {
		b.open(p.page(elm, "day?patient="+ann.String()))
		b.do(chromedp.SetValue("#date", "6 July 2026"), chromedp.SetValue("#time", at), chromedp.SetValue("#minutes", "10"))
		choose("clinician", "Dr Lee")
		choose("kind", "Telephone")
		if at == "10am" {
			b.press("Book")
			b.shows("The appointment is booked.")
		}
	}
	b.press("Book")
	b.shows("Dr Lee has another appointment from 10:00am to 10:10am.")
	b.fits("book-busy")
	b.press("Show this day")
	b.shows("From 10:10am")
	b.fits("book-taken")
	b.loading(chromedp.Click(`//main//a[starts-with(., "free")]`))
	b.press("Book")
	b.shows("The appointment is booked.")
	choose("with", "Dr Lee")
	b.press("Show")
	b.shows("10:10am")
	b.fits("day-of-clinician")
	choose("with", "All clinicians")
	b.press("Show")
}

// namesSites walks the manager's pages, and returns the first site.
func (p *program) namesSites(b *tab) site.ID {
	p.t.Helper()
	b.open(p.page(elm, "sites"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "sites"))
	b.fits("sites-none")
	b.press("Add")
	b.shows("Enter a name for the site.")
	b.fits("sites-wrong")
	b.do(chromedp.SetValue("#name", "Elm House"))
	b.press("Add")
	b.shows("The site has been added.")
	for _, room := range []string{"Room 1", "Treatment room"} {
		b.do(chromedp.SetValue("#new", room))
		b.press("Save")
		b.shows("The names have been saved.")
	}
	b.fits("site")
	js[string](b, `document.querySelector("#room1").value = ""`)
	b.press("Save")
	b.shows("Enter a name for the room.")
	b.fits("site-wrong")
	b.open(p.page(elm, "sites"))
	b.do(chromedp.SetValue("#name", "The Annexe"))
	b.press("Add")
	b.open(p.page(elm, "sites"))
	b.fits("sites")
	var id site.ID
	testworld.Must(p.t, id.UnmarshalText([]byte(js[string](b, `document.querySelector("main h2 a").pathname.split("/").pop()`))))
	return id
}
