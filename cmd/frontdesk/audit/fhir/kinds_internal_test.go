package fhir

import (
	"reflect"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

func TestEveryOperationIsCoded(t *testing.T) {
	t.Parallel()
	for _, e := range domain.Events() {
		if about, is := e.(event.Patient); is && operationOf(about).action == "" {
			t.Errorf("%s: no action for its operation", e.EventName())
		}
	}
	for _, e := range access.Endpoints() {
		if requestedBy(e.Name).action == "" {
			t.Errorf("%s: no action for its operation", e.Name)
		}
	}
}

// The system of our names is in exports that others keep.
func TestTheSystemOfNamesNeverChanges_D82(t *testing.T) {
	t.Parallel()
	if want := event.DerivedID("code-system", "names"); uuid.MustParse(names) != want {
		t.Errorf("%s, want %s", names, want.URN())
	}
}

func TestAPurposeIsItsCodeOrItsWords_D82(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]CodeableConcept{
		"":                   nil,
		"TREAT":              {{Coding: []Coding{{System: "http://terminology.hl7.org/CodeSystem/v3-ActReason", Code: "TREAT"}}}},
		"treat":              {{Text: "treat"}},
		"direct\u00a0care\n": {{Text: "direct care"}},
	} {
		if got := purpose(said); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v, want %v", said, got, want)
		}
	}
}
