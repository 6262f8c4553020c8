package opening

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// change is a change that a manager requests.
type change struct {
	do     string       // its name in forms
	typ    request.Type // "" for all types
	intent func(context.Context, commands.Desk) error
	title  string
	begins time.Time // zero for now
}

// types are the types that the change affects.
func (c change) types() []request.Type {
	if c.typ != "" {
		return []request.Type{c.typ}
	}
	return request.Types()
}

// read reads the change in a form, or its faults.
func (s *Section) read(v *pagekit.Visit, zone *time.Location) (change, pagekit.Faulty, error) {
	do, typ := v.Form.Get("do"), request.Type(v.Form.Get("type"))
	switch do {
	case "close":
		c, wrong := closing(v, zone)
		return c, wrong, nil
	case "reopen":
		c, wrong := reopening(v, zone)
		return c, wrong, nil
	}
	if !slices.Contains(request.Types(), typ) {
		return change{}, pagekit.Faulty{}, pagekit.ErrUnreadable
	}
	c, wrong := ofType(v, do, typ, zone)
	if c.intent == nil && len(wrong.Faults) == 0 {
		return change{}, pagekit.Faulty{}, pagekit.ErrUnreadable
	}
	return c, wrong, nil
}

// ofType reads a change of one type.
func ofType(v *pagekit.Visit, do string, typ request.Type, zone *time.Location) (c change, wrong pagekit.Faulty) {
	c = change{do: do, typ: typ, title: doing[do] + " " + lower(typeNames[typ])}
	switch do {
	case "off":
		c.intent = intentOf(commands.Desk.SwitchRequestTypeOff, commands.SwitchRequestTypeOff{Tenant: v.Tenant, RequestType: typ})
	case "on":
		c.intent = intentOf(commands.Desk.SwitchRequestTypeOn, commands.SwitchRequestTypeOn{Tenant: v.Tenant, RequestType: typ})
	case "resume":
		c.intent = intentOf(commands.Desk.ResumeRequestType, commands.ResumeRequestType{Tenant: v.Tenant, RequestType: typ})
	case "pause":
		until, bad := endTyped(v.Form, zone)
		c.intent, wrong = intentOf(commands.Desk.PauseRequestType, commands.PauseRequestType{Tenant: v.Tenant, RequestType: typ, Until: until}), bad
	case "hours":
		hours, bad := hoursTyped(v.Form)
		c.intent, wrong = intentOf(commands.Desk.SetOpeningHours, commands.SetOpeningHours{Tenant: v.Tenant, RequestType: typ, Hours: hours}), bad
	}
	return c, wrong
}

// doing are the changes of a type as titles of the confirmation page.
var doing = map[string]string{"off": "Switch off", "on": "Switch on", "pause": "Pause", "resume": "End the pause of", "hours": "Change the hours of"}

func intentOf[Intent any](method func(commands.Desk, context.Context, Intent) error, intent Intent) func(context.Context, commands.Desk) error {
	return func(ctx context.Context, desk commands.Desk) error { return method(desk, ctx, intent) }
}

func closing(v *pagekit.Visit, zone *time.Location) (c change, wrong pagekit.Faulty) {
	c = change{do: "close", title: "Close the practice"}
	if v.Form.Get("begin") != "now" {
		c.begins, wrong = momentTyped(v.Form, "from", zone)
	}
	until, bad := endTyped(v.Form, zone)
	wrong.Faults = append(wrong.Faults, bad.Faults...)
	c.intent = intentOf(commands.Desk.ClosePractice, commands.ClosePractice{Tenant: v.Tenant, From: c.begins, Until: until})
	return c, wrong
}

// reopening ends the closure that covers an instant. To cancel a future closure, the
// form has the instant at which it would begin.
func reopening(v *pagekit.Visit, zone *time.Location) (c change, wrong pagekit.Faulty) {
	c = change{do: "reopen", title: "Open the practice"}
	begins, err := time.Parse(time.RFC3339Nano, v.Form.Get("begins"))
	switch {
	case err == nil:
		c.begins = begins
	case v.Form.Get("begin") != "now":
		c.begins, wrong = momentTyped(v.Form, "from", zone)
	}
	c.intent = intentOf(commands.Desk.ReopenPractice, commands.ReopenPractice{Tenant: v.Tenant, From: c.begins})
	return c, wrong
}

// change makes a change, after the manager has seen its effect for patients.
func (s *Section) change(v *pagekit.Visit) error {
	if !v.Owns(purpose) {
		return pagekit.ErrStale
	}
	found, err := s.Availability.Receptions(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	c, wrong, err := s.read(v, found.Zone)
	if err != nil {
		return err
	}
	if len(wrong.Faults) > 0 {
		return s.again(v, found, c, wrong)
	}
	rehearsal := &commands.Rehearsal{Store: s.Desk.Store}
	if err := s.carryOut(v, c, rehearsal); err != nil {
		return s.refuse(v, found, c, err)
	}
	if len(rehearsal.Changes) == 0 {
		return s.again(v, found, c, pagekit.Wrong(fieldOf(c), "This would change nothing: it is so already"))
	}
	return s.make(v, found, c, found.After(rehearsal.Events()...))
}

// carryOut runs the change's decision, and appends its events to a store.
func (s *Section) carryOut(v *pagekit.Visit, c change, store commands.Store) error {
	desk := s.Desk
	desk.Store = store
	return c.intent(v.AsStaff(), desk)
}

// make makes the change if it was confirmed for the current state, and otherwise asks
// for confirmation.
func (s *Section) make(v *pagekit.Visit, found practice.Receptions, c change, after practice.Receptions) error {
	sure := v.Form.Get("sure")
	if sure == "" {
		return s.ask(v, http.StatusOK, found, c, after)
	}
	if !v.Session.Owns(sure, seenOf(found)) {
		return s.ask(v, http.StatusConflict, found, c, after)
	}
	if err := s.carryOut(v, c, s.Desk.Store); err != nil {
		return s.refuse(v, found, c, err)
	}
	return v.GoTo(v.Base() + "/opening?done=" + c.do)
}

// seenOf encodes everything that the confirmation depends on.
func seenOf(found practice.Receptions) string {
	return fmt.Sprintf("opening\x00%v %v", found.Intakes, found.Closures)
}

// fieldOf is the field next to which a fault of a change is shown.
func fieldOf(c change) string {
	switch c.do {
	case "hours":
		return firstStretch
	case "pause":
		return "until-date"
	case "close", "reopen":
		return "from-date"
	}
	return "main"
}

// refuse shows why a rule refuses a change.
func (s *Section) refuse(v *pagekit.Visit, found practice.Receptions, c change, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return err
	}
	return s.again(v, found, c, pagekit.Wrong(fieldOf(c), refusal.Detail))
}

// again shows the form of a change with its faults.
func (s *Section) again(v *pagekit.Visit, found practice.Receptions, c change, wrong pagekit.Faulty) error {
	if c.typ == "" {
		return s.aboutAll(v, c.do, http.StatusBadRequest, v.Form, wrong)
	}
	s.showType(v, http.StatusBadRequest, found, c.typ, v.Form, wrong)
	return nil
}

// momentTyped reads a date and a time of the form in the practice's time zone. Of a
// repeated hour, the first counts. A skipped time is a fault.
func momentTyped(typed url.Values, field string, zone *time.Location) (at time.Time, wrong pagekit.Faulty) {
	date, clock := typed.Get(field+"-date"), typed.Get(field+"-time")
	switch {
	case date == "":
		return at, pagekit.Wrong(field+"-date", "Enter a date")
	case clock == "":
		return at, pagekit.Wrong(field+"-time", "Enter a time")
	}
	_, noTime := time.Parse("15:04", clock)
	if _, _, isDay := parse.Day(date, zone); !isDay || noTime != nil {
		return at, pagekit.Wrong(field+"-date", "Enter a date and a time, such as 2026-12-24 and 12:30")
	}
	at, ok := parse.Clock(date, clock, zone)
	if !ok {
		return time.Time{}, pagekit.Wrong(field+"-time", "Enter another time: the clocks go forward then, and this one is left out")
	}
	return at.UTC(), pagekit.Faulty{}
}

// endTyped reads an end; zero for none.
func endTyped(typed url.Values, zone *time.Location) (time.Time, pagekit.Faulty) {
	switch typed.Get("end") {
	case "never":
		return time.Time{}, pagekit.Faulty{}
	case "at":
		return momentTyped(typed, "until", zone)
	}
	return time.Time{}, pagekit.Wrong("end-at", "Choose until when")
}
