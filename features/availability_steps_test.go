package features_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/request"
)

// availabilitySteps are about when a practice accepts requests.
func (w *world) availabilitySteps(sc *godog.ScenarioContext) {
	sc.Step(`^the practice switches (medical|admin) requests off$`, w.switchedOff)
	sc.Step(`^the practice switches (medical|admin) requests on$`, w.switchedOn)
	sc.Step(`^the practice pauses (medical|admin) requests$`, w.paused)
	sc.Step(`^the practice pauses (medical|admin) requests for (\S+)$`, w.pausedFor)
	sc.Step(`^the practice resumes (medical|admin) requests$`, w.resumed)
	sc.Step(`^the practice takes (medical|admin) requests on "([^"]*)" and "([^"]*)"$`, w.takes)
	sc.Step(`^the practice closes for (\S+)$`, w.closedFor)
	sc.Step(`^the practice reopens$`, w.reopened)
	sc.Step(`^it is 12:00 on a (\w+) in London$`, w.isNoonOn)
	sc.Step(`^the portal shows (medical|admin) as "([^"]*)" with no next opening$`, w.portalShows)
	sc.Step(`^the portal shows (medical|admin) as "([^"]*)" until (\S+) from now$`, w.portalShowsUntil)
}

func (w *world) switchedOff(typ string) error {
	return w.Desk.SwitchRequestTypeOff(w.ctx, commands.SwitchRequestTypeOff{Tenant: w.tenant(w.practice), RequestType: request.Type(typ)})
}

func (w *world) switchedOn(typ string) error {
	return w.Desk.SwitchRequestTypeOn(w.ctx, commands.SwitchRequestTypeOn{Tenant: w.tenant(w.practice), RequestType: request.Type(typ)})
}

func (w *world) paused(typ string) error {
	return w.Desk.PauseRequestType(w.ctx, commands.PauseRequestType{Tenant: w.tenant(w.practice), RequestType: request.Type(typ)})
}

func (w *world) pausedFor(typ, length string) error {
	until, err := w.after(length)
	if err != nil {
		return err
	}
	return w.Desk.PauseRequestType(w.ctx, commands.PauseRequestType{
		Tenant: w.tenant(w.practice), RequestType: request.Type(typ), Until: until,
	})
}

func (w *world) resumed(typ string) error {
	return w.Desk.ResumeRequestType(w.ctx, commands.ResumeRequestType{Tenant: w.tenant(w.practice), RequestType: request.Type(typ)})
}

func (w *world) takes(typ, first, second string) error {
	return w.Desk.SetOpeningHours(w.ctx, commands.SetOpeningHours{
		Tenant: w.tenant(w.practice), RequestType: request.Type(typ), Hours: []string{first, second},
	})
}

func (w *world) closedFor(length string) error {
	until, err := w.after(length)
	if err != nil {
		return err
	}
	return w.Desk.ClosePractice(w.ctx, commands.ClosePractice{Tenant: w.tenant(w.practice), Until: until})
}

func (w *world) reopened() error {
	return w.Desk.ReopenPractice(w.ctx, commands.ReopenPractice{Tenant: w.tenant(w.practice)})
}

// isNoonOn moves the clock forward to the next such day; it never goes back.
func (w *world) isNoonOn(day string) error {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		return err
	}
	now := w.Clock.Now().In(london)
	for range 8 {
		noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, london)
		if noon.Weekday().String() == day && !noon.Before(w.Clock.Now()) {
			w.Clock.Pass(noon.Sub(w.Clock.Now()))
			return nil
		}
		now = now.AddDate(0, 0, 1)
	}
	return fmt.Errorf("there is no %s in a week", day)
}

func (w *world) after(length string) (time.Time, error) {
	d, err := time.ParseDuration(length)
	return w.Clock.Now().Add(d), err
}

func (w *world) portalShows(typ, status string) error { return w.portal(typ, status, time.Time{}) }

func (w *world) portalShowsUntil(typ, status, length string) error {
	until, err := w.after(length)
	if err != nil {
		return err
	}
	return w.portal(typ, status, until)
}

// portal asks as the portal does, for any application.
func (w *world) portal(typ, status string, next time.Time) error {
	for name := range w.applications {
		if err := w.calls(name, "GET", "/transactional-api/request-type-availability"); err != nil {
			return err
		}
	}
	var shown struct {
		RequestTypes []struct {
			RequestType, Status string
			NextOpening         time.Time
		}
	}
	if err := json.Unmarshal(w.answer.body, &shown); err != nil {
		return err
	}
	for _, s := range shown.RequestTypes {
		if s.RequestType == typ && s.Status == status && s.NextOpening.Equal(next) {
			return nil
		}
	}
	return fmt.Errorf("the portal shows %s", w.answer.body)
}
