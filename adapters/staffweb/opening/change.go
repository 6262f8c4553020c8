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
func (s *Section) read(r *pagekit.Request, zone *time.Location) (change, pagekit.FormErrors, error) {
	do, typ := r.Form.Get("do"), request.Type(r.Form.Get("type"))
	switch do {
	case "close":
		c, wrong := readClosing(r, zone)
		return c, wrong, nil
	case "reopen":
		c, wrong := readReopening(r, zone)
		return c, wrong, nil
	}
	if !slices.Contains(request.Types(), typ) {
		return change{}, pagekit.FormErrors{}, pagekit.ErrUnreadable
	}
	c, wrong := readTypeChange(r, do, typ, zone)
	if c.intent == nil && len(wrong.Faults) == 0 {
		return change{}, pagekit.FormErrors{}, pagekit.ErrUnreadable
	}
	return c, wrong, nil
}

// readTypeChange reads a change of one type.
func readTypeChange(r *pagekit.Request, do string, typ request.Type, zone *time.Location) (c change, wrong pagekit.FormErrors) {
	c = change{do: do, typ: typ, title: typeTitles[do] + " " + lower(typeNames[typ])}
	switch do {
	case "off":
		c.intent = intentOf(commands.Desk.SwitchRequestTypeOff, commands.SwitchRequestTypeOff{Tenant: r.Tenant, RequestType: typ})
	case "on":
		c.intent = intentOf(commands.Desk.SwitchRequestTypeOn, commands.SwitchRequestTypeOn{Tenant: r.Tenant, RequestType: typ})
	case "resume":
		c.intent = intentOf(commands.Desk.ResumeRequestType, commands.ResumeRequestType{Tenant: r.Tenant, RequestType: typ})
	case "pause":
		until, bad := parseEnd(r.Form, zone)
		c.intent, wrong = intentOf(commands.Desk.PauseRequestType, commands.PauseRequestType{Tenant: r.Tenant, RequestType: typ, Until: until}), bad
	case "hours":
		hours, bad := parseHours(r.Form)
		c.intent, wrong = intentOf(commands.Desk.SetOpeningHours, commands.SetOpeningHours{Tenant: r.Tenant, RequestType: typ, Hours: hours}), bad
	}
	return c, wrong
}

// typeTitles are the changes of a type as titles of the confirmation page.
var typeTitles = map[string]string{"off": "Switch off", "on": "Switch on", "pause": "Pause", "resume": "End the pause of", "hours": "Change the hours of"}

func intentOf[Intent any](method func(commands.Desk, context.Context, Intent) error, intent Intent) func(context.Context, commands.Desk) error {
	return func(ctx context.Context, desk commands.Desk) error { return method(desk, ctx, intent) }
}

func readClosing(r *pagekit.Request, zone *time.Location) (c change, wrong pagekit.FormErrors) {
	c = change{do: "close", title: "Close the practice"}
	if r.Form.Get("begin") != "now" {
		c.begins, wrong = parseMoment(r.Form, "from", zone)
	}
	until, bad := parseEnd(r.Form, zone)
	wrong.Faults = append(wrong.Faults, bad.Faults...)
	c.intent = intentOf(commands.Desk.ClosePractice, commands.ClosePractice{Tenant: r.Tenant, From: c.begins, Until: until})
	return c, wrong
}

// readReopening ends the closure that covers an instant. To cancel a future closure, the
// form has the instant at which it would begin.
func readReopening(r *pagekit.Request, zone *time.Location) (c change, wrong pagekit.FormErrors) {
	c = change{do: "reopen", title: "Open the practice"}
	begins, err := time.Parse(time.RFC3339Nano, r.Form.Get("begins"))
	switch {
	case err == nil:
		c.begins = begins
	case r.Form.Get("begin") != "now":
		c.begins, wrong = parseMoment(r.Form, "from", zone)
	}
	c.intent = intentOf(commands.Desk.ReopenPractice, commands.ReopenPractice{Tenant: r.Tenant, From: c.begins})
	return c, wrong
}

// change makes a change, after the manager has seen its effect for patients.
func (s *Section) change(r *pagekit.Request) error {
	found, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	c, wrong, err := s.read(r, found.Zone)
	if err != nil {
		return err
	}
	if !r.HasToken(purpose) {
		status, unsent := r.Unsent(fieldOf(c))
		return s.showForm(r, status, found, c, unsent)
	}
	if len(wrong.Faults) > 0 {
		return s.showForm(r, http.StatusBadRequest, found, c, wrong)
	}
	rehearsal := &commands.Rehearsal{Store: s.Desk.Store}
	if err := s.carryOut(r, c, rehearsal); err != nil {
		return s.showRefusal(r, found, c, err)
	}
	if len(rehearsal.Changes) == 0 {
		return s.showForm(r, http.StatusBadRequest, found, c, pagekit.FormError(fieldOf(c), "You have not changed anything"))
	}
	return s.apply(r, found, c, found.After(rehearsal.Events()...))
}

// carryOut runs the change's decision, and appends its events to a store.
func (s *Section) carryOut(r *pagekit.Request, c change, store commands.Store) error {
	desk := s.Desk
	desk.Store = store
	return c.intent(r.StaffContext(), desk)
}

// apply makes the change if it was confirmed for the current state, and otherwise asks
// for confirmation.
func (s *Section) apply(r *pagekit.Request, found practice.Receptions, c change, after practice.Receptions) error {
	sure := r.Form.Get("sure")
	if sure == "" {
		return s.showCheck(r, http.StatusOK, found, c, after)
	}
	if !r.Session.Owns(sure, seenOf(found)) {
		return s.showCheck(r, http.StatusConflict, found, c, after)
	}
	if err := s.carryOut(r, c, s.Desk.Store); err != nil {
		return s.showRefusal(r, found, c, err)
	}
	return r.Redirect(r.Base() + "/opening?done=" + c.do)
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

// showRefusal shows why a rule refuses a change.
func (s *Section) showRefusal(r *pagekit.Request, found practice.Receptions, c change, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return err
	}
	return s.showForm(r, http.StatusBadRequest, found, c, pagekit.FormError(fieldOf(c), refusal.Detail))
}

// showForm shows the form of a change with its faults.
func (s *Section) showForm(r *pagekit.Request, status int, found practice.Receptions, c change, wrong pagekit.FormErrors) error {
	if c.typ == "" {
		return s.showForAll(r, c.do, status, r.Form, wrong)
	}
	s.showType(r, status, found, c.typ, r.Form, wrong)
	return nil
}

// parseMoment reads a date and a time of the form in the practice's time zone. Of a
// repeated hour, the first counts. A skipped time is a fault.
func parseMoment(typed url.Values, field string, zone *time.Location) (at time.Time, wrong pagekit.FormErrors) {
	date, isDate := pagekit.ParseDate(typed.Get(field + "-date"))
	clock, isTime := pagekit.ParseTime(typed.Get(field + "-time"))
	switch {
	case !isDate:
		return at, pagekit.FormError(field+"-date", pagekit.DateFault(typed.Get(field+"-date"), pagekit.DateError))
	case !isTime:
		return at, pagekit.FormError(field+"-time", pagekit.TimeError)
	}
	at, ok := parse.Clock(date, clock, zone)
	if !ok {
		return time.Time{}, pagekit.FormError(field+"-time", "Enter another time: the clocks go forward then, and this one is left out")
	}
	return at.UTC(), pagekit.FormErrors{}
}

// parseEnd reads an end; zero for none.
func parseEnd(typed url.Values, zone *time.Location) (time.Time, pagekit.FormErrors) {
	switch typed.Get("end") {
	case "never":
		return time.Time{}, pagekit.FormErrors{}
	case "at":
		return parseMoment(typed, "until", zone)
	}
	return time.Time{}, pagekit.FormError("end-at", "Choose until when")
}
