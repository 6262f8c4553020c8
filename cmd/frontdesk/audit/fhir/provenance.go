package fhir

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Provenance records who has made a change.
type Provenance struct {
	ResourceType string            `json:"resourceType"`
	ID           uuid.UUID         `json:"id"` // referenceTo the event
	Target       []Reference       `json:"target"`
	Recorded     time.Time         `json:"recorded"`
	Reason       []CodeableConcept `json:"reason,omitempty"`
	Activity     CodeableConcept   `json:"activity"`
	Agent        []Author          `json:"agent"`
}

// Author is a party to the change, and the person they represented.
type Author struct {
	Type       *CodeableConcept  `json:"type,omitempty"`
	Role       []CodeableConcept `json:"role,omitempty"`
	Who        Reference         `json:"who"`
	OnBehalfOf *Reference        `json:"onBehalfOf,omitempty"`
}

var performer = concept(Coding{"http://terminology.hl7.org/CodeSystem/provenance-participant-type", "performer", "Performer"})

// Changes reports whether an event has a Provenance: it is about a patient and has changed
// something.
func Changes(e event.Recorded) bool {
	return e.About() != uuid.Nil && operationOf(e.Event).code != ""
}

// ProvenanceOf returns the Provenance of an event that [Changes] something. The targets are
// the changed thing and the patient: a Provenance is searched by its patient there.
func ProvenanceOf(e event.Recorded, personal bool) Provenance {
	actor, done := hide(e.Metadata.Actor, personal), operationOf(e.Event)
	p := Provenance{
		ResourceType: "Provenance", ID: e.ID, Target: []Reference{referenceTo("Patient", e.About())}, Recorded: e.At, Reason: purposeOf(actor),
		Activity: CodeableConcept{Coding: []Coding{
			{"http://terminology.hl7.org/CodeSystem/v3-DataOperation", done.code, done.words}, {System: names, Code: e.EventName()},
		}},
	}
	if noun(e.EventName()) != "patient" {
		p.Target = append([]Reference{thing(e)}, p.Target...)
	}
	for _, party := range parties(actor) {
		author := Author{Who: party.who, OnBehalfOf: party.forOf}
		if party.began {
			author.Type = performer
		}
		if party.role != "" {
			author.Role = []CodeableConcept{{Text: party.role}}
		}
		p.Agent = append(p.Agent, author)
	}
	return p
}

// thing returns the subject of an event's stream. A patient's stream has an identifier of its
// own, which is not the patient's.
func thing(e event.Recorded) Reference {
	return referenceTo(resources[noun(e.EventName())], e.Stream.ID)
}
