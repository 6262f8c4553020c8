package features_test

import (
	"errors"
	"net/url"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

// displaySteps are about the screens in waiting rooms.
func (w *world) displaySteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" adds a display that names people by "([^"]*)"$`, w.addsDisplay)
	sc.Step(`^the screen opens the link$`, func() error { return w.connects(theScreen) })
	sc.Step(`^"([^"]*)" opens the display's link$`, func(name string) error { return w.browser(name).open(w.link) })
	sc.Step(`^the screen opens its board$`, w.opensBoard)
	sc.Step(`^"([^"]*)" is called in$`, w.isCalledIn)
	sc.Step(`^the screen comes to say "([^"]*)"$`, w.screenSays)
	sc.Step(`^"([^"]*)" removes the display$`, func(name string) error { return w.browser(name).fill("displays", "remove", nil) })
	sc.Step(`^the last "([^"]*)" was done by the display$`, func(name string) error {
		return w.comesToShow(name, func(by event.Actor) bool { return by.Kind == event.ByDisplay })
	})
}

const theScreen = "the screen"

func (w *world) siteHere() string { return w.things["the site of "+w.practice].String() }

func (w *world) addsDisplay(manager, naming string) error {
	err := w.browser(manager).fill("displays?add", "add", url.Values{"name": {"Waiting room"}, "site": {w.siteHere()}, "naming": {naming}})
	return errors.Join(err, w.handed())
}

func (w *world) connects(screen string) error {
	b := w.browser(screen)
	if err := b.open(w.link); err != nil {
		return err
	}
	return b.fill("displays/link", "/displays/link", nil)
}

func (w *world) opensBoard() error { return w.browser(theScreen).get("board/" + w.siteHere()) }

func (w *world) isCalledIn(patient string) error {
	w.appointment.UUID = w.things["the appointment of "+patient]
	return w.Desk.CallInPatient(w.ctx, commands.CallInPatient{Tenant: w.tenant(w.practice), Appointment: w.appointment})
}

// screenSays waits for the board, which follows the log.
func (w *world) screenSays(text string) error {
	text = strings.ReplaceAll(text, "<number>", w.appointment.Number())
	return w.comesToSay(w.opensBoard, text)
}
