package app

import (
	"errors"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Rule is one of those by which a call is judged.
type Rule string

// The rules, in the order in which they are asked (D1).
const (
	RuleNone       Rule = "none"                   // refused nothing
	RuleKnown      Rule = "application-registered" // D11
	RuleEnabled    Rule = "application-enabled"    // §5.6
	RuleGranted    Rule = "endpoint-granted"       // §5.6
	RuleStaff      Rule = "staff-active"           // D14; it refuses as the next one does
	RuleAuthorised Rule = "user-authorised"        // §5.4
	RuleScope      Rule = "patient-in-scope"       // §5.5, D12
	RuleRecord     Rule = "record-open"            // D17
)

func rules() []Rule {
	return []Rule{RuleKnown, RuleEnabled, RuleGranted, RuleStaff, RuleAuthorised, RuleScope, RuleRecord}
}

// ruleOf is the rule that a refusal is of.
func ruleOf(err error) Rule {
	if refusal, ok := errors.AsType[*bearer.Refusal](err); ok {
		return map[bearer.Reason]Rule{
			"unknown-application": RuleKnown, "not-enabled": RuleEnabled, "not-granted": RuleGranted, "not-authorised": RuleAuthorised,
		}[refusal.Reason]
	}
	switch {
	case errors.Is(err, commands.ErrWrongPatient):
		return RuleScope
	case errors.Is(err, commands.ErrRecordRestricted):
		return RuleRecord
	}
	return RuleNone
}

// witness remembers, of all events, the last that changed what each rule asks.
// It decides nothing.
type witness struct {
	question Question
	member   staff.ID
	events   map[Rule]event.Recorded
}

func (w *witness) see(r event.Recorded) {
	if rule := w.ruleOf(r); rule != RuleNone {
		w.events[rule] = r
	}
}

func (w *witness) evidence() (all []Evidence) {
	for _, rule := range rules() {
		if e, found := w.events[rule]; found {
			all = append(all, Evidence{rule, e})
		}
	}
	return all
}

func (w *witness) ruleOf(r event.Recorded) Rule {
	q := w.question
	switch e := r.Event.(type) {
	case application.Registered:
		return when(r.Stream.ID == q.Application.UUID, RuleKnown)
	case practice.ApplicationEnabled:
		return when(e.Application == q.Application, RuleEnabled)
	case practice.ApplicationDisabled:
		return when(e.Application == q.Application, RuleEnabled)
	case application.EndpointGranted:
		return w.granted(r, e.Endpoint, e.Mode)
	case application.EndpointRevoked:
		return w.granted(r, e.Endpoint, e.Mode)
	case staff.Registered:
		if e.Username != q.Username || q.Mode != application.UserRestricted {
			return RuleNone
		}
		w.member.UUID = r.Stream.ID
		return RuleStaff
	case staff.Deactivated:
		return when(r.Stream.ID == w.member.UUID, RuleStaff)
	case authorisation.Granted:
		return w.authorised(e.Subject)
	case authorisation.Revoked:
		return w.authorised(e.Subject)
	case patient.RecordRestricted:
		return w.restricted(e.Patient)
	case patient.RestrictionLifted:
		return w.restricted(e.Patient)
	}
	return RuleNone
}

func when(holds bool, rule Rule) Rule {
	if holds {
		return rule
	}
	return RuleNone
}

func (w *witness) granted(r event.Recorded, endpoint application.Endpoint, mode application.Mode) Rule {
	q := w.question
	return when(r.Stream.ID == q.Application.UUID && endpoint == q.Endpoint && mode == q.Mode, RuleGranted)
}

// authorised tells a standing authorisation from one for the question's patient.
func (w *witness) authorised(s authorisation.Subject) Rule {
	switch {
	case s.Application != w.question.Application || s.Staff != w.member || w.member.UUID == uuid.Nil:
		return RuleNone
	case s.Scoped():
		return when(w.isPatient(s.Patient), RuleScope)
	}
	return RuleAuthorised
}

func (w *witness) restricted(id patient.ID) Rule {
	return when(w.question.Endpoint.ShowsRecord() && w.question.Mode == application.UserRestricted && w.isPatient(id), RuleRecord)
}

func (w *witness) isPatient(id patient.ID) bool {
	asked, err := uuid.Parse(w.question.Patient)
	return err == nil && asked == id.UUID
}
