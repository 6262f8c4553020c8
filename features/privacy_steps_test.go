package features_test

import (
	"errors"
	"net/url"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

// privacySteps are about the pages of privacy officers, and the texts for staff.
func (w *world) privacySteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" lets only "([^"]*)" see the record of "([^"]*)"$`, w.letsOnly)
	sc.Step(`^"([^"]*)" has broken the glass of "([^"]*)" because "([^"]*)"$`, w.hasBrokenGlass)
	sc.Step(`^"([^"]*)" comes to see "([^"]*)" about "([^"]*)"$`, w.comesToSee)
	sc.Step(`^"([^"]*)" asks on the page for "([^"]*)" to be erased$`, func(name, about string) error {
		return w.browser(name).fill(w.guarded(about), "ask", url.Values{"basis": {string(erasure.CourtOrder)}, "reason": {"A court says so."}})
	})
	sc.Step(`^"([^"]*)" confirms on the page that "([^"]*)" is erased$`, w.confirmsOnPage)
}

// guarded is the page about a patient's privacy.
func (w *world) guarded(about string) string { return "privacy/patients/" + w.patients[about].String() }

func (w *world) letsOnly(officer, member, about string) error {
	id, err := w.Staff.StaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	return w.browser(officer).fill(w.guarded(about), "restrict", url.Values{"member": {id.String()}})
}

func (w *world) hasBrokenGlass(member, about, reason string) error {
	id, err := w.Staff.StaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	ctx := event.WithMetadata(w.ctx, event.Metadata{Actor: event.Staff(id.UUID)})
	return w.Desk.BreakGlass(ctx, commands.BreakGlass{Tenant: w.tenant(w.practice), Patient: w.patients[about], By: id, Reason: reason})
}

// comesToSee waits for a line of the access record, because they are written after the
// answer, and then for those of its own page views.
func (w *world) comesToSee(officer, text, about string) error {
	err := w.comesToSay(func() error { return w.browser(officer).get(w.guarded(about) + "?show=lists") }, text)
	if err != nil {
		return err
	}
	return w.lookRecorded(about)
}

func (w *world) lookRecorded(about string) error {
	looks := accesslog.CallFilter{Tenant: w.tenant(w.practice), Patient: w.patients[about], Endpoint: "privacy-patient"}
	return eventually(func() error {
		for _, err := range w.Auditor.OpenedAccessRecord().Calls(w.ctx, looks) {
			return err
		}
		return errors.New("the look at the page is not recorded")
	})
}

// confirmsOnPage sends the form that confirms, also if the page does not offer it.
func (w *world) confirmsOnPage(officer, about string) error {
	b := w.browser(officer)
	err := b.fill(w.guarded(about), "withdraw", nil) // refused, because it gives no reason
	form := forms.FindString(w.page)
	sent := url.Values{"do": {"confirm"}}
	for _, f := range forms.FindAllString(w.page, -1) {
		if strings.Contains(f, `name="erasure"`) {
			form = f
		}
	}
	for _, field := range hidden.FindAllStringSubmatch(form, -1) {
		sent.Set(field[1], field[2])
	}
	sent.Set("do", "confirm")
	return errors.Join(err, b.send(forms.FindStringSubmatch(form)[1], sent))
}
