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

// Evidence is the last event that changed the input of a rule.
type Evidence struct {
	Rule access.Rule
	event.Recorded
}

// evidenceCollector sees the events of a replay and keeps, for each rule, the last one that
// changed the rule's input. It decides nothing.
type evidenceCollector struct {
	question Question
	member   staff.ID
	events   map[access.Rule]event.Recorded
}

func (c *evidenceCollector) see(r event.Recorded) {
	if rule := c.ruleOf(r); rule != access.RuleNone {
		c.events[rule] = r
	}
}

func (c *evidenceCollector) evidence() (all []Evidence) {
	for _, rule := range access.Rules() {
		if e, found := c.events[rule]; found {
			all = append(all, Evidence{rule, e})
		}
	}
	return all
}

// ruleOf returns the rule that an event is evidence for.
func (c *evidenceCollector) ruleOf(r event.Recorded) access.Rule {
	q := c.question
	switch e := r.Event.(type) {
	case application.Registered:
		return ruleIf(r.Stream.ID == q.Application.UUID, access.RuleKnown)
	case practice.ApplicationEnabled:
		return ruleIf(e.Application == q.Application, access.RuleEnabled)
	case practice.ApplicationDisabled:
		return ruleIf(e.Application == q.Application, access.RuleEnabled)
	case application.EndpointGranted:
		return c.granted(r, e.Endpoint, e.Mode)
	case application.EndpointRevoked:
		return c.granted(r, e.Endpoint, e.Mode)
	case staff.Registered:
		if q.Mode != application.UserRestricted || e.Username != q.Username && r.Stream.ID != q.Staff.UUID {
			return access.RuleNone
		}
		c.member.UUID = r.Stream.ID
		return access.RuleStaff
	case staff.Deactivated, staff.Reactivated:
		return ruleIf(r.Stream.ID == c.member.UUID, access.RuleStaff)
	case authorisation.Granted:
		return c.authorised(e.Subject)
	case authorisation.Revoked:
		return c.authorised(e.Subject)
	case patient.RecordRestricted:
		return c.restricted(e.Patient)
	case patient.RestrictionLifted:
		return c.restricted(e.Patient)
	}
	return access.RuleNone
}

func ruleIf(holds bool, rule access.Rule) access.Rule {
	if holds {
		return rule
	}
	return access.RuleNone
}

func (c *evidenceCollector) granted(r event.Recorded, endpoint application.EndpointName, mode application.Mode) access.Rule {
	q := c.question
	return ruleIf(r.Stream.ID == q.Application.UUID && endpoint == q.Endpoint.Name && mode == q.Mode, access.RuleGranted)
}

// authorised returns the rule that an authorisation is evidence for: one that is limited
// to the question's patient, or a standing one.
func (c *evidenceCollector) authorised(s authorisation.Subject) access.Rule {
	switch {
	case s.Application != c.question.Application || s.Staff != c.member || c.member.UUID == uuid.Nil:
		return access.RuleNone
	case s.Scoped():
		return ruleIf(c.isPatient(s.Patient), access.RuleScope)
	}
	return access.RuleAuthorised
}

func (c *evidenceCollector) restricted(id patient.ID) access.Rule {
	return ruleIf(c.question.Endpoint.ShowsRecord && c.question.Mode == application.UserRestricted && c.isPatient(id), access.RuleRecord)
}

func (c *evidenceCollector) isPatient(id patient.ID) bool {
	asked, err := uuid.Parse(c.question.Patient)
	return err == nil && asked == id.UUID
}
