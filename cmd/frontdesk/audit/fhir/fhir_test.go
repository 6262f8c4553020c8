package fhir_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/audit/fhir"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("0190c7a2-0000-7000-8000-%012d", n)) }

var (
	ann   = patient.ID{UUID: id(1)}
	diary = id(2)
	lee   = id(3)
	at    = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)
	claim = &event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: "Dr Zoë Lee", Email: "zoe@oak.example", GMCNumber: "1234567"},
		Organisation: event.Organisation{Name: "Oak Lane", ODSCode: "A12345"},
		Role:         "GP", Purpose: "TREAT",
	}
)

func recorded(e event.Event, by event.Actor) event.Recorded {
	return event.Recorded{
		Event: e, Idx: 17, ID: id(10), Stream: event.Stream{Tenant: "elm", ID: id(11)}, Version: 1, At: at,
		Metadata: event.Metadata{Actor: by, RequestID: id(12).String()},
	}
}

func text(t *testing.T, resource any) string {
	t.Helper()
	data, err := json.MarshalIndent(resource, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wants(t *testing.T, resource any, parts ...string) {
	t.Helper()
	got := text(t, resource)
	for _, part := range parts {
		if !strings.Contains(strings.Join(strings.Fields(got), ""), strings.Join(strings.Fields(part), "")) {
			t.Errorf("it lacks %s:\n%s", part, got)
		}
	}
}

const (
	annIs  = `{"type": "Patient", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:0190c7a2-0000-7000-8000-000000000001"}}`
	masked = `"_display": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}]}`
)

func TestAnEventIsAnAuditEvent_D82(t *testing.T) {
	t.Parallel()
	e := recorded(record.NoteCreated{Patient: ann, Text: "cough"}, event.Application(diary, "application-restricted", claim))
	if !fhir.Concerns(e) {
		t.Fatal("it does not concern patients")
	}
	wants(t, fhir.OfEvent(e, true),
		`"resourceType": "AuditEvent", "id": "0190c7a2-0000-7000-8000-000000000010"`,
		`"action": "C", "recorded": "2026-03-02T12:00:00.123456Z", "outcome": "0"`,
		`"subtype": [{"system": "urn:uuid:ba673739-02bc-5735-ae01-2be1adcfb077", "code": "care-record.note-created.v1"}]`,
		`"purposeOfEvent": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-ActReason", "code": "TREAT"}]}]`,
		`"who": {"type": "Device", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:`+diary.String()+`"}}, "requestor": true`,
		`"role": [{"text": "GP"}], "who": {"type": "Practitioner", "identifier": {"system": "https://fhir.hl7.org.uk/Id/gmc-number", "value": "1234567"},
		  "display": "Dr Zoë Lee"}, "altId": "zoe@oak.example", "requestor": false`,
		`"who": {"type": "Organization", "identifier": {"system": "https://fhir.nhs.uk/Id/ods-organization-code", "value": "A12345"}, "display": "Oak Lane"}`,
		`"site": "elm"`, `"what": `+annIs, `{"type": "idx", "valueString": "17"}`, `"code": "XrequestId"`)
	hidden := fhir.OfEvent(e, false)
	wants(t, hidden, masked, `"display": "Oak Lane"`, `"text": "GP"`)
	for _, secret := range []string{"Zoë", "zoe@", "1234567", "cough"} {
		if strings.Contains(text(t, hidden), secret) {
			t.Errorf("%s is shown: %s", secret, text(t, hidden))
		}
	}
	if claim.Practitioner.Name != "Dr Zoë Lee" {
		t.Error("the event was changed")
	}
}

func TestErasedPersonIsUnknown_D82(t *testing.T) {
	t.Parallel()
	erased := &event.OnBehalfOf{Practitioner: event.Practitioner{Name: event.Erased, Email: event.Erased, GMCNumber: event.Erased}}
	got := fhir.OfEvent(recorded(record.CareRecordOpened{Patient: ann}, event.Application(diary, "", erased)), true)
	wants(t, got, `"valueCode": "unknown"`)
	if strings.Contains(text(t, got), "[erased]") {
		t.Errorf("a mark of ours is in it: %s", text(t, got))
	}
}

func TestReadingTheLogIsAnAuditEvent_D82(t *testing.T) {
	t.Parallel()
	reading := audit.Queried{Command: "log", Filter: "tenant=elm", Personal: true, Count: 12} // referenceTo many patients
	e := recorded(reading, event.Operator("frontdesk_audit", "anna@desk7"))
	e.Metadata.RequestID = ""
	if !fhir.Concerns(e) || fhir.Changes(e) {
		t.Error("a reading of many patients concerns them, and changes nothing")
	}
	wants(t, fhir.OfEvent(e, false), `"code": "110101"`, `"action": "R"`, `"query": "dGVuYW50PWVsbQ=="`, `{"type": "count", "valueString": "12"}`,
		`"who": {"display": "operator:frontdesk_audit (anna@desk7)"}, "requestor": true`)
}

func TestACallIsAnAuditEvent_D82(t *testing.T) {
	t.Parallel()
	call := access.Call{
		RequestID: id(12), At: at, Tenant: "elm", Application: application.ID{UUID: diary}, Mode: application.UserRestricted, Staff: staff.ID{UUID: lee},
		Endpoint: access.RetrieveCareRecord, Patient: ann, Status: 403, Code: "unauthorized", Reason: "The app is not  authorised",
	}
	wants(t, fhir.OfCall(call, false), `"id": "`+id(12).String()+`"`, `"code": "110110"`, `"action": "R"`, `"outcome": "4", "outcomeDesc": "The app is not authorised"`,
		`"who": {"type": "Practitioner", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:`+lee.String()+`"}}, "requestor": true`,
		`"who": {"type": "Device", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:`+diary.String()+`"}}, "requestor": false`,
		`"what": `+annIs, `{"type": "status", "valueString": "403"}`)
	for status, want := range map[int]string{200: "0", 399: "0", 400: "4", 499: "4", 500: "8", 503: "8"} {
		if call.Status = status; fhir.OfCall(call, false).Outcome != want {
			t.Errorf("%d has the outcome %s, want %s", status, fhir.OfCall(call, false).Outcome, want)
		}
	}
	call.Patient, call.Staff, call.Act = patient.ID{}, staff.ID{}, claim
	wants(t, fhir.OfCall(call, true), `"code": "110100"`, `"display": "Dr Zoë Lee"`)
	wants(t, fhir.OfCall(call, false), masked)
}

func TestAChangeHasAProvenance_D82(t *testing.T) {
	t.Parallel()
	note := recorded(record.NoteEnteredInError{Patient: ann}, event.Operator("anna", "").ActingFor(lee))
	if !fhir.Changes(note) {
		t.Error("it changes nothing")
	}
	wants(t, fhir.ProvenanceOf(note, false), `"code": "NULLIFY"`, `"recorded": "2026-03-02T12:00:00.123456Z"`,
		`"target": [{"identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:0190c7a2-0000-7000-8000-000000000011"}}, `+annIs+`]`,
		`"who": {"display": "operator:anna"}, "onBehalfOf": {"type": "Practitioner"`)
	wants(t, fhir.ProvenanceOf(recorded(patient.RecordRestricted{Patient: ann}, event.Service("frontdesk")), false),
		`"target": [`+annIs+`]`, `"who": {"type": "Device", "display": "frontdesk"}`)
	wants(t, fhir.ProvenanceOf(recorded(patient.RecordRestricted{Patient: ann}, event.Display(lee)), false),
		`"who": {"type": "Device", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:`+lee.String()+`"}}`)
	called := recorded(record.NoteCreated{Patient: ann}, event.Application(diary, "", claim))
	wants(t, fhir.ProvenanceOf(called, true), `"reason"`, `"onBehalfOf": {"type": "Practitioner"`, `"onBehalfOf": {"type": "Organization"`)
	wants(t, fhir.ProvenanceOf(recorded(record.NoteCreated{Patient: ann}, event.Staff(lee).Through(diary, "", nil)), false),
		`"who": {"type": "Device", "identifier": {"system": "urn:ietf:rfc:3986", "value": "urn:uuid:`+diary.String()+`"}}, "onBehalfOf": {"type": "Practitioner"`)
	for _, e := range []event.Event{record.CareRecordOpened{Patient: ann}, authorisation.Granted{}, audit.Queried{Patient: ann}} {
		if fhir.Changes(recorded(e, event.Service("frontdesk"))) {
			t.Errorf("%s of no patient, or that is a reading, has a Provenance", e.EventName())
		}
	}
}
