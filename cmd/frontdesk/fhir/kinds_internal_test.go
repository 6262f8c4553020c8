package fhir

import (
	"reflect"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

func TestEveryEventAboutAPatientHasAnOperation_D82(t *testing.T) {
	t.Parallel()
	about := map[string]bool{}
	for _, e := range domain.Events() {
		if _, has := reflect.TypeOf(e).FieldByName("Patient"); !has {
			continue
		}
		if about[e.EventName()] = true; events[e.EventName()].action == "" {
			t.Errorf("nothing says what %s does", e.EventName())
		}
	}
	for name := range events {
		if !about[name] {
			t.Errorf("there is no %s about a patient", name)
		}
	}
}

func TestEveryEndpointHasAnOperation_D82(t *testing.T) {
	t.Parallel()
	for _, e := range access.Endpoints() {
		if endpoints[e.Name].action == "" {
			t.Errorf("nothing says what %s does", e.Name)
		}
	}
	if len(endpoints) != len(access.Endpoints()) {
		t.Error("there are operations of endpoints that nobody serves")
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
