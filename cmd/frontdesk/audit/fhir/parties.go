package fhir

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// party is a person or system that took part in an event.
type party struct {
	kind  *CodeableConcept // as an AuditEvent has it
	who   Reference
	alias string     // another name of theirs: an e-mail address
	role  string     // in which they acted, in words
	forOf *Reference // represented person; nil for none
	began bool       // initiated it
}

var (
	person  = concept(Coding{"http://terminology.hl7.org/CodeSystem/extra-security-role-type", "humanuser", "human user"})
	client  = concept(Coding{dicom, "110153", "Source Role ID"})
	program = concept(Coding{dicom, "110150", "Application"})
)

// frontdesk is the program that keeps the log.
var frontdesk = Reference{Type: "Device", Display: "frontdesk"}

// parties returns the parties, the initiator first. They are as the log knows them; the
// practitioner and the organisation of an act claim are on the application's word.
func parties(a event.Actor) []party {
	first := principal(a)
	all := []party{first}
	if a.Kind != event.ByApplication && a.Application != uuid.Nil {
		all = append(all, party{kind: client, who: referenceTo("Device", a.Application), forOf: &first.who})
	}
	if a.For != uuid.Nil {
		member := referenceTo("Practitioner", a.For)
		all[0].forOf = &member
		all = append(all, party{kind: person, who: member})
	}
	if a.OnBehalfOf != nil {
		claimed := claimedBy(*a.OnBehalfOf)
		all[0].forOf = &claimed[0].who
		all = append(all, claimed...)
	}
	return all
}

func principal(a event.Actor) party {
	switch id, err := uuid.Parse(a.ID); {
	case a.Kind == event.ByApplication && err == nil:
		return party{kind: client, who: referenceTo("Device", id), began: true}
	case a.Kind == event.ByStaff && err == nil:
		return party{kind: person, who: referenceTo("Practitioner", id), began: true}
	case a.Kind == event.ByDisplay && err == nil:
		return party{kind: program, who: referenceTo("Device", id), began: true}
	case a.Kind == event.ByService:
		return party{kind: program, who: Reference{Type: "Device", Display: plain(a.ID)}, began: true}
	}
	a.For = uuid.Nil
	return party{kind: person, who: Reference{Display: plain(a.String())}, began: true}
}

// claimedBy returns the practitioner and the organisation of an act claim.
func claimedBy(claim event.OnBehalfOf) []party {
	p, o := claim.Practitioner, claim.Organisation
	organisation := Reference{Type: "Organization", Identifier: inSystem(ods, plain(o.ODSCode))}.named(o.Name)
	practitioner := Reference{Type: "Practitioner", Identifier: inSystem(gmc, plain(p.GMCNumber))}.named(p.Name)
	return []party{
		{kind: person, who: practitioner, alias: visible(p.Email), role: plain(claim.Role), forOf: &organisation},
		{who: organisation},
	}
}

// hide returns the actor without the name in an act claim, unless it is to be shown.
func hide(a event.Actor, personal bool) event.Actor {
	if a.OnBehalfOf != nil && !personal {
		hidden, _ := a.OnBehalfOf.Split()
		a.OnBehalfOf = &hidden
	}
	return a
}

func purposeOf(a event.Actor) []CodeableConcept {
	if a.OnBehalfOf == nil {
		return nil
	}
	return purpose(a.OnBehalfOf.Purpose)
}
