package auditing

import (
	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Evidence is the last event that changed what a rule goes by.
type Evidence struct {
	Rule access.Rule
	event.Recorded
}

// witness sees the events of a replay and remembers, for each rule, the last one that
// changed what the rule goes by. It decides nothing.
type witness struct {
	question Question
	member   staff.ID
	events   map[access.Rule]event.Recorded
}

func (w *witness) see(r event.Recorded) {
	if rule := w.ruleOf(r); rule != access.RuleNone {
		w.events[rule] = r
	}
}

func (w *witness) evidence() (all []Evidence) {
	for _, rule := range access.Rules() {
		if e, found := w.events[rule]; found {
			all = append(all, Evidence{rule, e})
		}
	}
	return all
}

// ruleOf returns the rule that an event is evidence for.
func (w *witness) ruleOf(r event.Recorded) access.Rule {
	q := w.question
	switch e := r.Event.(type) {
	case application.Registered:
		return when(r.Stream.ID == q.Application.UUID, access.RuleKnown)
	case practice.ApplicationEnabled:
		return when(e.Application == q.Application, access.RuleEnabled)
	case practice.ApplicationDisabled:
		return when(e.Application == q.Application, access.RuleEnabled)
	case application.EndpointGranted:
		return w.granted(r, e.Endpoint, e.Mode)
	case application.EndpointRevoked:
		return w.granted(r, e.Endpoint, e.Mode)
	case staff.Registered:
		if q.Mode != application.UserRestricted || e.Username != q.Username && r.Stream.ID != q.Staff.UUID {
			return access.RuleNone
		}
		w.member.UUID = r.Stream.ID
		return access.RuleStaff
	case staff.Deactivated, staff.Reactivated:
		return when(r.Stream.ID == w.member.UUID, access.RuleStaff)
	case authorisation.Granted:
		return w.authorised(e.Subject)
	case authorisation.Revoked:
		return w.authorised(e.Subject)
	case patient.RecordRestricted:
		return w.restricted(e.Patient)
	case patient.RestrictionLifted:
		return w.restricted(e.Patient)
	}
	return access.RuleNone
}

func when(holds bool, rule access.Rule) access.Rule {
	if holds {
		return rule
	}
	return access.RuleNone
}

func (w *witness) granted(r event.Recorded, endpoint application.EndpointName, mode application.Mode) access.Rule {
	q := w.question
	return when(r.Stream.ID == q.Application.UUID && endpoint == q.Endpoint.Name && mode == q.Mode, access.RuleGranted)
}

// authorised returns the rule that an authorisation is evidence for: one that is limited
// to the question's patient, or a standing one.
func (w *witness) authorised(s authorisation.Subject) access.Rule {
	switch {
	case s.Application != w.question.Application || s.Staff != w.member || w.member.UUID == uuid.Nil:
		return access.RuleNone
	case s.Scoped():
		return when(w.isPatient(s.Patient), access.RuleScope)
	}
	return access.RuleAuthorised
}

func (w *witness) restricted(id patient.ID) access.Rule {
	return when(w.question.Endpoint.ShowsRecord && w.question.Mode == application.UserRestricted && w.isPatient(id), access.RuleRecord)
}

func (w *witness) isPatient(id patient.ID) bool {
	asked, err := uuid.Parse(w.question.Patient)
	return err == nil && asked == id.UUID
}
