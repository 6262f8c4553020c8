package fhir

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/audit"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
)

// AuditEvent is one access, or attempted access, to a patient's data.
type AuditEvent struct {
	ResourceType   string            `json:"resourceType"`
	ID             uuid.UUID         `json:"id"` // referenceTo the event, or of the call
	Type           Coding            `json:"type"`
	Subtype        []Coding          `json:"subtype"`
	Action         string            `json:"action,omitempty"`
	Recorded       time.Time         `json:"recorded"`
	Outcome        string            `json:"outcome"`
	OutcomeDesc    string            `json:"outcomeDesc,omitempty"`
	PurposeOfEvent []CodeableConcept `json:"purposeOfEvent,omitempty"`
	Agent          []Agent           `json:"agent"`
	Source         Source            `json:"source"`
	Entity         []Entity          `json:"entity,omitempty"`
}

// Agent is who had a part in it.
type Agent struct {
	Type      *CodeableConcept  `json:"type,omitempty"`
	Role      []CodeableConcept `json:"role,omitempty"`
	Who       Reference         `json:"who"`
	AltID     string            `json:"altId,omitempty"`
	Requestor bool              `json:"requestor"`
}

// Source is the service that reports the event, and the practice.
type Source struct {
	Site     string    `json:"site,omitempty"`
	Observer Reference `json:"observer"`
	Type     []Coding  `json:"type"`
}

// Entity is a subject of the event.
type Entity struct {
	What   *Reference `json:"what,omitempty"`
	Type   Coding     `json:"type"`
	Role   *Coding    `json:"role,omitempty"`
	Query  []byte     `json:"query,omitempty"`
	Detail []Detail   `json:"detail,omitempty"`
}

// Detail is a further fact about an entity.
type Detail struct {
	Type  string `json:"type"`
	Value string `json:"valueString"`
}

// Concerns reports whether an event has an AuditEvent: it is about a patient, or an auditor
// has read patients' data.
func Concerns(e event.Recorded) bool {
	_, reading := e.Event.(audit.Queried)
	return reading || e.About() != uuid.Nil
}

// OfEvent returns the AuditEvent of an event that [Concerns] patients.
func OfEvent(e event.Recorded, personal bool) AuditEvent {
	name, actor := e.EventName(), hide(e.Metadata.Actor, personal)
	a := newAuditEvent(e.ID, e.At, e.Stream.Tenant, actor)
	a.Type, a.Action, a.Outcome = patientRecord, operationOf(e.Event).action, "0"
	a.Subtype = []Coding{{System: names, Code: name}}
	changed := thing(e)
	a.Entity = append(about(e.About()), Entity{What: &changed, Type: object, Role: &domainResource, Detail: []Detail{
		{"event", e.ID.String()}, {"idx", strconv.FormatInt(e.Idx, 10)}, {"version", strconv.Itoa(e.Version)},
	}})
	if q, ok := e.Event.(audit.Queried); ok {
		a.Type = auditLogUsed
		a.Entity = append(a.Entity, queried(q))
	}
	if id, err := uuid.Parse(e.Metadata.RequestID); err == nil {
		a.Entity = append(a.Entity, request(id))
	}
	return a
}

// OfCall returns the AuditEvent of a judged call, or of a page that has shown patients.
func OfCall(c access.Call, personal bool) AuditEvent {
	a := newAuditEvent(c.RequestID, c.At, c.Tenant, hide(c.Actor(), personal))
	a.Type, a.Action, a.Outcome, a.OutcomeDesc = activity, requestedBy(c.Endpoint).action, outcome(c.Status), plain(c.Reason)
	a.Subtype = []Coding{{System: names, Code: string(c.Endpoint)}}
	a.Entity = about(c.Patient.UUID)
	how := []Detail{{"mode", string(c.Mode)}, {"status", strconv.Itoa(c.Status)}}
	if c.Repeats > 0 {
		how = append(how, Detail{"repeats", strconv.Itoa(c.Repeats)})
	}
	if c.Looked() {
		a.Action = operations[catalogue.Read].action
		for _, id := range c.Patients {
			a.Entity = append(a.Entity, about(id.UUID)...)
		}
	} else {
		how = append(how, Detail{"tokenHash", c.TokenHash.String()})
	}
	if len(a.Entity) > 0 {
		a.Type = patientRecord
	}
	a.Entity = append(a.Entity, request(c.RequestID, how...))
	return a
}

// newAuditEvent returns the part that is common to all AuditEvents.
func newAuditEvent(id uuid.UUID, at time.Time, tenant string, actor event.Actor) AuditEvent {
	a := AuditEvent{
		ResourceType: "AuditEvent", ID: id, Recorded: at, PurposeOfEvent: purposeOf(actor),
		Source: Source{Site: plain(tenant), Observer: frontdesk, Type: []Coding{
			{"http://terminology.hl7.org/CodeSystem/security-source-type", "4", "Application Server"},
		}},
	}
	for _, p := range parties(actor) {
		agent := Agent{Type: p.kind, Who: p.who, AltID: p.alias, Requestor: p.began}
		if p.role != "" {
			agent.Role = []CodeableConcept{{Text: p.role}}
		}
		a.Agent = append(a.Agent, agent)
	}
	return a
}

// outcome returns FHIR's code for a status. FHIR describes "4" as often a 400, and "8" as a
// 500.
func outcome(status int) string {
	switch {
	case status < 400:
		return "0"
	case status < 500:
		return "4"
	}
	return "8"
}

const entityType = "http://terminology.hl7.org/CodeSystem/audit-entity-type"

var (
	human          = Coding{entityType, "1", "Person"}
	object         = Coding{entityType, "2", "System Object"}
	domainResource = Coding{roles, "4", "Domain Resource"}
)

const roles = "http://terminology.hl7.org/CodeSystem/object-role"

func about(patient uuid.UUID) []Entity {
	if patient == uuid.Nil {
		return nil
	}
	who := referenceTo("Patient", patient)
	return []Entity{{What: &who, Type: human, Role: &Coding{roles, "1", "Patient"}}}
}

// request is the call, by the X-Request-Id of its answer, as IHE's Basic Audit has it.
func request(id uuid.UUID, details ...Detail) Entity {
	what := referenceTo("", id)
	return Entity{What: &what, Type: Coding{"https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType", "XrequestId", ""}, Detail: details}
}

// queried is an auditor's query. The command is optional for readers of the log.
func queried(q audit.Queried) Entity {
	details := []Detail{{"count", strconv.FormatInt(q.Count, 10)}, {"personal", strconv.FormatBool(q.Personal)}}
	if command := plain(q.Command); command != "" {
		details = append(details, Detail{"command", command})
	}
	return Entity{Type: object, Role: &Coding{roles, "24", "Query"}, Query: []byte(q.Filter), Detail: details}
}
