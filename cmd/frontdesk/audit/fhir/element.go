package fhir

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Coding is a code of a system.
type Coding struct {
	System  string `json:"system"`
	Code    string `json:"code"`
	Display string `json:"display,omitempty"`
}

// CodeableConcept is a concept by its codes, or in words.
type CodeableConcept struct {
	Coding []Coding `json:"coding,omitempty"`
	Text   string   `json:"text,omitempty"`
}

// Reference refers to a thing by its identifier or name, never by the address of a resource.
type Reference struct {
	Type       string      `json:"type,omitempty"` // referenceTo the resource that it would be
	Identifier *Identifier `json:"identifier,omitempty"`
	Display    string      `json:"display,omitempty"`
	NoDisplay  *Absent     `json:"_display,omitempty"`
}

// Identifier is a value of a system.
type Identifier struct {
	System string `json:"system"`
	Value  string `json:"value"`
}

// Absent replaces a member that is left out, and gives the reason.
type Absent struct {
	Extension []Extension `json:"extension"`
}

// Extension is a code that FHIR has no member for.
type Extension struct {
	URL       string `json:"url"`
	ValueCode string `json:"valueCode"`
}

// The systems of identifiers.
const (
	uris = "urn:ietf:rfc:3986"
	gmc  = "https://fhir.hl7.org.uk/Id/gmc-number"
	ods  = "https://fhir.nhs.uk/Id/ods-organization-code"
)

// referenceTo refers to one of our things by its resource type; "" if it has none.
func referenceTo(resource string, id uuid.UUID) Reference {
	return Reference{Type: resource, Identifier: &Identifier{uris, id.URN()}}
}

// inSystem returns an identifier, and nil for a value that is not to be shown.
func inSystem(system, value string) *Identifier {
	if value == "" || value == event.Hidden || value == event.Erased {
		return nil
	}
	return &Identifier{system, value}
}

// named adds a name to a reference, or the reason why it has none.
func (r Reference) named(name string) Reference {
	switch name {
	case event.Hidden:
		r.NoDisplay = absent("masked")
	case event.Erased:
		r.NoDisplay = absent("unknown")
	default:
		r.Display = plain(name)
	}
	return r
}

func absent(why string) *Absent {
	return &Absent{[]Extension{{"http://hl7.org/fhir/StructureDefinition/data-absent-reason", why}}}
}

// plain returns a text as FHIR has them: no white space but single spaces.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// visible returns a text, and "" if it is hidden or erased.
func visible(text string) string {
	if text == event.Hidden || text == event.Erased {
		return ""
	}
	return plain(text)
}

// concept returns the concept with these codes.
func concept(codes ...Coding) *CodeableConcept { return &CodeableConcept{Coding: codes} }
