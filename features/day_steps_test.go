package features_test

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/domain/appointment"
)

// daySteps are about the pages for the practice's day.
func (w *world) daySteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" looks at the appointment$`, w.looksAtAppointment)
	sc.Step(`^"([^"]*)" does "([^"]*)" to the appointment$`, func(name, do string) error {
		return w.changesAppointment(name, do, url.Values{"room": {""}})
	})
	sc.Step(`^"([^"]*)" does "([^"]*)" to the appointment as he has seen it$`, w.doesAsSeen)
	sc.Step(`^"([^"]*)" moves the appointment to "([^"]*)" at "([^"]*)"$`, func(name, date, clock string) error {
		return w.changesAppointment(name, "move", url.Values{"date": {date}, "time": {clock}})
	})
	sc.Step(`^"([^"]*)" books "([^"]*)" for "([^"]*)" at "([^"]*)"$`, w.books)
	sc.Step(`^"([^"]*)" confirms "([^"]*)"$`, func(name, do string) error { return w.browser(name).submit(do, nil) })
	sc.Step(`^"([^"]*)" undoes it$`, func(name string) error { return w.browser(name).submit("undo", nil) })
	sc.Step(`^"([^"]*)" adds the site "([^"]*)"$`, func(name, site string) error {
		return w.browser(name).fill("sites", "/sites", url.Values{"name": {site}})
	})
}

func (w *world) visit() string { return "day/" + w.appointment.String() }

// looksAtAppointment keeps a form of the page.
func (w *world) looksAtAppointment(name string) error {
	if err := w.browser(name).get(w.visit()); err != nil {
		return err
	}
	_, form, found := strings.Cut(w.page, "<h2>Update status</h2>")
	if !found {
		return fmt.Errorf("no form in %s", w.page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	w.seen = url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(form, -1) {
		w.seen.Set(field[1], field[2])
	}
	return nil
}

func (w *world) changesAppointment(name, do string, values url.Values) error {
	return w.browser(name).fill(w.visit(), do, values)
}

func (w *world) doesAsSeen(name, do string) error {
	sent := maps.Clone(w.seen)
	sent.Set("do", do)
	return w.browser(name).send("/"+w.tenant(w.practice)+"/staff/"+w.visit(), sent)
}

// books keeps the appointment if it was booked.
func (w *world) books(name, patient, date, clock string) error {
	b := w.browser(name)
	err := b.fill("day/book?patient="+w.patients[patient].String(), "/day/book", url.Values{"date": {date}, "time": {clock}})
	if err != nil {
		return err
	}
	return w.lastBooked()
}

func (w *world) lastBooked() error {
	last, err := w.last("appointment.booked.v1")
	if err == nil {
		w.appointment = last.Event.(appointment.Booked).Appointment
	}
	return err
}
