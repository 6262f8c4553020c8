package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

func TestEachClinicalEndpointIsItsCommand(t *testing.T) {
	t.Parallel()
	instant := written.Truncate(time.Millisecond)
	calledIn := appointment.CalledIn{Subject: annsVisit, Room: room, CalledInAt: instant}
	for _, c := range []struct {
		endpoint, body, answer string // the answer's one member
		given                  []event.Event
		want                   func(made uuid.UUID) []event.Event // of the identifier that is answered
	}{
		{"create-note", `{"patientId":"` + annID + `","note":" a cough "}`, "noteId", nil, func(made uuid.UUID) []event.Event {
			return []event.Event{record.NoteCreated{Note: record.NoteID{UUID: made}, Patient: ann, Text: " a cough "}}
		}},
		{"open-care-record", `{"patientId":"` + strings.ToUpper(annID) + `","more":1}`, "patientId", nil, func(uuid.UUID) []event.Event {
			return record.Open(ann)
		}},
		{"set-contact-details", `{"patientId":"` + annID + `","telephone":" +44 20 7946 0958","email":null,"nhsNumber":"943 476 5919"}`, "patientId", nil,
			func(uuid.UUID) []event.Event {
				return []event.Event{patient.ContactDetailsSet{Patient: ann, Telephone: "+44 20 7946 0958", NHSNumber: "9434765919"}}
			}},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00.345678+00:00"}`,
			"appointmentId", nil, func(made uuid.UUID) []event.Event {
				return []event.Event{appointment.Booked{
					Subject: appointment.Subject{Appointment: appointment.ID{UUID: made}, Patient: ann, Site: main}, At: written}}
			}},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomId":"` + roomID + `"}`, "appointmentId", nil,
			func(uuid.UUID) []event.Event { return []event.Event{calledIn} }},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomId":null}`, "appointmentId", []event.Event{calledIn},
			func(uuid.UUID) []event.Event {
				return []event.Event{appointment.CalledIn{Subject: annsVisit, CalledInAt: instant}}
			}},
		{"clear-call-in", `{"appointmentId":"` + appointmentID + `"}`, "appointmentId", []event.Event{calledIn},
			func(uuid.UUID) []event.Event {
				return []event.Event{appointment.CallInRemoved{Subject: annsVisit, Reason: appointment.Cleared, RemovedAt: instant}}
			}},
		{"mark-did-not-attend", `{"appointmentId":"` + appointmentID + `"}`, "appointmentId", nil,
			func(uuid.UUID) []event.Event {
				return []event.Event{appointment.DidNotAttend{Subject: annsVisit, MarkedAt: instant}}
			}},
		{"start-consultation", `{"patientId":"` + annID + `"}`, "consultationId", nil, func(made uuid.UUID) []event.Event {
			return []event.Event{consultation.Started{Consultation: consultation.ID{UUID: made}, Patient: ann}}
		}},
		{"start-consultation", `{"patientId":"` + annID + `","appointmentId":"` + appointmentID + `"}`, "consultationId", nil,
			func(made uuid.UUID) []event.Event {
				return []event.Event{appointment.Attended{Subject: annsVisit},
					consultation.Started{Consultation: consultation.ID{UUID: made}, Patient: ann, Appointment: visit}}
			}},
	} {
		t.Run(c.endpoint, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asApplication, given: c.given}
			status, answer := d.call(t, c.endpoint, "", c.body)
			text, _ := answer[c.answer].(string)
			made, err := uuid.Parse(text)
			if status != http.StatusOK || len(answer) != 1 || err != nil {
				t.Fatalf("status %d, answer %v", status, answer)
			}
			if known := map[string]string{"patientId": annID, "appointmentId": appointmentID}[c.answer]; known != text && c.endpoint != "book-appointment" && known != "" {
				t.Errorf("answered %s %s", c.answer, text)
			}
			var got []event.Event
			for _, e := range d.appended {
				got = append(got, e.Event)
				if e.Stream.Tenant != "elm-street" {
					t.Errorf("appended for %q", e.Stream.Tenant)
				}
			}
			if diff := cmp.Diff(c.want(made), got); diff != "" {
				t.Errorf("appended (-want +got):\n%s", diff)
			}
		})
	}
}

func TestABodyIsRefusedWithEveryFaultAtOnce_D2(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ endpoint, body, codes string }{
		{"create-note", `{}`, "missing-patient-id empty-note"},
		{"create-note", `{"patientId":"x","note":"\t"}`, "invalid-patient-id empty-note"},
		{"create-note", `{"patientId":"` + annID + `","note":null}`, "empty-note"},
		{"create-note", `{"patientId":"","note":7}`, "invalid-request-body"},
		{"create-note", `{"patientId":"` + annID + `","note":"a cough","Note":"b"}`, "invalid-request-body"},
		{"create-note", `["` + annID + `"]`, "invalid-request-body"},
		{"create-note", `{"patientId":"` + annID + `","note":"a","note":"b"}`, "invalid-request-body"},
		{"open-care-record", `{"patientId":null}`, "missing-patient-id"},
		{"open-care-record", `{"patientId":["` + annID + `"]}`, "invalid-patient-id"},
		{"set-contact-details", `{"patientId":"` + annID + `","telephone":"020 7946 0958"}`, "missing-contact-detail"},
		{"set-contact-details", `{"patientId":"` + annID + `","telephone":"x","email":"x","nhsNumber":"9434765918"}`, "invalid-telephone invalid-email invalid-nhs-number"},
		{"set-contact-details", `{"patientId":"` + annID + `","telephone":7,"email":null,"nhsNumber":null}`, "invalid-request-body"},
		{"book-appointment", `{}`, "missing-patient-id missing-site-id missing-appointment-time"},
		{"book-appointment", `{"patientId":1,"siteId":"{` + siteID + `}","at":"tomorrow"}`,
			"invalid-patient-id invalid-site-id invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02 12:00:00Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":0}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00,5Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T9:00:00Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00+24:00"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"0001-01-01T00:00:00Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"0001-01-01T01:00:00+01:00"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":""}`, "missing-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":null}`, "missing-appointment-time"},
		{"call-in-patient", `{"roomId":"x"}`, "missing-appointment-id invalid-room-id"},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomId":"` + uuid.Nil.String() + `"}`, "invalid-room-id"},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomID":"` + roomID + `"}`, "invalid-request-body"},
		{"clear-call-in", `{"appointmentId":"x"}`, "invalid-appointment-id"},
		{"mark-did-not-attend", `{"appointmentId":""}`, "missing-appointment-id"},
		{"start-consultation", `{"appointmentId":false}`, "missing-patient-id invalid-appointment-id"},
	} {
		t.Run(c.endpoint+" "+c.body, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asApplication}
			status, answer := d.call(t, c.endpoint, "", c.body)
			if codes := codesOf(answer); status != http.StatusBadRequest || codes != c.codes {
				t.Errorf("status %d, codes %q, want %q", status, codes, c.codes)
			}
			if d.asked() {
				t.Errorf("a faulty body became %v", d.appended)
			}
		})
	}
}

func TestCommandRefusesUnknownCaller(t *testing.T) {
	t.Parallel()
	for endpoint, c := range map[string]struct{ query, body, code string }{
		"create-note":          {"", `{"patientId":"` + unknownID + `","note":"a cough"}`, "patient-not-found"},
		"open-care-record":     {"", `{"patientId":"` + unknownID + `"}`, "patient-not-found"},
		"retrieve-care-record": {"patientId=" + unknownID, "", "patient-not-found"},
		"call-in-patient":      {"", `{"appointmentId":"` + unknownID + `"}`, "appointment-not-found"},
		"clear-call-in":        {"", `{"appointmentId":"` + unknownID + `"}`, "appointment-not-found"},
		"mark-did-not-attend":  {"", `{"appointmentId":"` + unknownID + `"}`, "appointment-not-found"},
		"start-consultation":   {"", `{"patientId":"` + unknownID + `"}`, "patient-not-found"},
	} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			status, answer := (&desk{caller: asApplication}).call(t, endpoint, c.query, c.body)
			if codes := codesOf(answer); status != http.StatusBadRequest || codes != c.code {
				t.Errorf("status %d, codes %q, want %q", status, codes, c.code)
			}
		})
	}
}

// The UUID of zeros is well-formed, and unused.
func TestZeroUUIDIsUnknown_D20(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ endpoint, query, body, code string }{
		{"create-note", "", `{"patientId":"` + noID + `","note":"a cough"}`, "patient-not-found"},
		{"open-care-record", "", `{"patientId":"` + noID + `"}`, "patient-not-found"},
		{"retrieve-care-record", "patientId=" + noID, "", "patient-not-found"},
		{"book-appointment", "", `{"patientId":"` + noID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00Z"}`, "patient-not-found"},
		{"book-appointment", "", `{"patientId":"` + annID + `","siteId":"` + noID + `","at":"2026-03-02T12:00:00Z"}`, "site-not-found"},
		{"call-in-patient", "", `{"appointmentId":"` + noID + `"}`, "appointment-not-found"},
		{"call-in-patient", "", `{"appointmentId":"` + appointmentID + `","roomId":"` + noID + `"}`, "invalid-room-id"},
		{"clear-call-in", "", `{"appointmentId":"` + noID + `"}`, "appointment-not-found"},
		{"mark-did-not-attend", "", `{"appointmentId":"` + noID + `"}`, "appointment-not-found"},
		{"start-consultation", "", `{"patientId":"` + noID + `"}`, "patient-not-found"},
		{"start-consultation", "", `{"patientId":"` + annID + `","appointmentId":"` + noID + `"}`, "invalid-appointment-id"},
	} {
		t.Run(c.endpoint+" "+c.code, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asApplication}
			status, answer := d.call(t, c.endpoint, c.query, c.body)
			if codes := codesOf(answer); status != http.StatusBadRequest || codes != c.code || d.asked() {
				t.Errorf("status %d, codes %q, want %q; appended %v", status, codes, c.code, d.appended)
			}
		})
	}
}

func TestScopeLimitsCallerToItsPatient_5_5(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, endpoint, query, body string
		allowed                     bool
	}{
		{"the patient", "create-note", "", `{"patientId":"` + strings.ToUpper(annID) + `","note":"a"}`, true},
		{"another patient", "create-note", "", `{"patientId":"` + billID + `","note":"a"}`, false},
		{"no patient", "create-note", "", `{"note":"a"}`, false},
		{"a broken body", "create-note", "", `{"patientId":"` + annID + `"`, false},
		{"the patient", "open-care-record", "", `{"patientId":"` + annID + `"}`, true},
		{"another patient", "open-care-record", "", `{"patientId":"` + billID + `"}`, false},
		{"another patient", "book-appointment", "", `{"patientId":"` + billID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00Z"}`, false},
		{"another patient", "start-consultation", "", `{"patientId":"` + billID + `","appointmentId":"` + appointmentID + `"}`, false},
		{"an appointment alone", "call-in-patient", "", `{"appointmentId":"` + appointmentID + `"}`, false},
		{"the patient", "retrieve-care-record", "patientId=" + strings.ToUpper(annID), "", true},
		{"another patient", "retrieve-care-record", "patientId=" + billID, "", false},
		{"no patient", "retrieve-care-record", "", "", false},
		{"the patient twice", "retrieve-care-record", "patientId=" + annID + "&patientId=" + annID, "", false},
		{"a broken query", "retrieve-care-record", "patientId=" + annID + "&x=%zz", "", false},
	} {
		t.Run(c.endpoint+" for "+c.name, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asUserForAnn}
			status, answer := d.call(t, c.endpoint, c.query, c.body)
			if c.allowed && status != http.StatusOK {
				t.Errorf("status %d, %v", status, answer)
			}
			code := "patient-not-authorised"
			if c.endpoint == "call-in-patient" { // it names no patient that a scope could cover
				code = "unauthorized"
			}
			if !c.allowed && (status != http.StatusForbidden || codesOf(answer) != code || d.asked()) {
				t.Errorf("status %d, %v, appended %v", status, answer, d.appended)
			}
		})
	}
}
