package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// What the desk below knows, and what it makes.
const (
	annID          = "0190c7a2-0000-7000-8000-0000000000a1"
	billID         = "0190c7a2-0000-7000-8000-0000000000a2" // nobody but named staff may see the record
	appointmentID  = "0190c7a2-0000-7000-8000-0000000000e1"
	siteID         = "0190c7a2-0000-7000-8000-0000000000c1"
	roomID         = "0190c7a2-0000-7000-8000-0000000000d1"
	noteID         = "0190c7a2-0000-7000-8000-000000000091"
	consultationID = "0190c7a2-0000-7000-8000-0000000000f1"
	nobodyID       = "0190c7a2-0000-7000-8000-0000000000ff"
	noID           = "00000000-0000-0000-0000-000000000000"
)

var (
	ann     = patient.ID{UUID: uuid.MustParse(annID)}
	visit   = appointment.ID{UUID: uuid.MustParse(appointmentID)}
	main    = site.ID{UUID: uuid.MustParse(siteID)}
	room    = site.RoomID{UUID: uuid.MustParse(roomID)}
	written = time.Date(2026, 3, 2, 12, 0, 0, 345_678_000, time.UTC)

	lee = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}

	asApplication = mayAll(application.ApplicationRestricted, access.Rights{})
	asUser        = mayAll(application.UserRestricted, access.Rights{Staff: lee, AuthorisedUntil: written})
	asUserForAnn  = mayAll(application.UserRestricted, access.Rights{Staff: lee, Patients: []patient.ID{ann}})
)

// mayAll is a caller to whom everything is granted, with the rights of its
// user.
func mayAll(mode application.Mode, user access.Rights) access.Caller {
	user.Known, user.Enabled, user.Granted = true, true, true
	return access.Caller{Claim: access.Claim{Tenant: "elm-street", Mode: mode}, Rights: user}
}

// recognise finds out who calls, and later proves it.
type recognise = func(context.Context, []string, string, access.Endpoint) (func(context.Context) (access.Caller, error), error)

// proves lets a caller call any endpoint.
func proves(caller access.Caller) recognise {
	return func(_ context.Context, _ []string, _ string, endpoint access.Endpoint) (func(context.Context) (access.Caller, error), error) {
		caller := caller
		caller.Endpoint = endpoint
		return func(context.Context) (access.Caller, error) { return caller, nil }, nil
	}
}

// refuses lets nobody call.
func refuses(err error) recognise {
	return func(context.Context, []string, string, access.Endpoint) (func(context.Context) (access.Caller, error), error) {
		return nil, err
	}
}

// stays has the rights that a caller has from the beginning.
func stays(caller access.Caller) func(context.Context, access.Claim, time.Time) (access.Rights, error) {
	return func(context.Context, access.Claim, time.Time) (access.Rights, error) { return caller.Rights, nil }
}

// practiceDay is a store in which Ann has an appointment with these events.
func practiceDay(t *testing.T, happened ...event.Event) *commandtest.Store {
	t.Helper()
	store := commandtest.NewStore()
	bill := patient.ID{UUID: uuid.MustParse(billID)}
	for _, change := range []event.Change{
		{Stream: patient.StreamOf("elm-street", ann), Events: []event.Event{patient.Registered{Patient: ann, Name: "Ann Archer"}}},
		{Stream: patient.StreamOf("elm-street", bill), Events: []event.Event{patient.Registered{Patient: bill, Name: "Bill Baker"}}},
		{Stream: site.StreamOf("elm-street", main), Events: []event.Event{site.Added{Site: main, Name: "Main"}}},
		{Stream: site.RoomStreamOf("elm-street", room), Events: []event.Event{site.RoomAdded{Room: room, Site: main, Name: "Room 1"}}},
		{Stream: appointment.StreamOf("elm-street", visit), Events: append([]event.Event{
			appointment.Booked{Subject: annsVisit, At: written}}, happened...)},
	} {
		if _, err := store.Append(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

var annsVisit = appointment.Subject{Appointment: visit, Patient: ann, Site: main}

// desk is an API for one caller over a practice's day, and what came of it.
type desk struct {
	caller  access.Caller
	given   []event.Event // of Ann's appointment
	entries []projections.RecordEntry

	appended []event.Recorded
	read     []string // the practices whose records were read, and after how many events
}

func (d *desk) api(store *commandtest.Store) *httpapi.API {
	before := len(store.Log())
	return &httpapi.API{
		Domain: "frontdesk.example", DefaultTenant: "elm-street", Recognise: proves(d.caller), Rights: stays(d.caller),
		Desk: commands.Desk{Store: store, Patients: store, Answers: store, Receptions: store, Now: func() time.Time { return written }},
		RecordOpenTo: func(_ context.Context, _ string, id patient.ID, _ staff.ID) (bool, error) {
			return id.String() != billID, nil
		},
		CareRecord: func(_ context.Context, tenant string, _ patient.ID, _ bool) (projections.CareRecord, error) {
			d.read = append(d.read, fmt.Sprintf("%s after %d", tenant, len(store.Log())-before))
			return projections.CareRecord{PatientName: "Ann Archer", Entries: d.entries, Complete: true}, nil
		},
		Limit: time.Minute, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

// asked reports whether anything was appended or read.
func (d *desk) asked() bool { return len(d.appended)+len(d.read) > 0 }

// call calls an endpoint with a body, or without one by GET.
func (d *desk) call(t *testing.T, endpoint, query, body string) (status int, answer map[string]any) {
	t.Helper()
	store := practiceDay(t, d.given...)
	before := len(store.Log())
	defer func() { d.appended = store.Log()[before:] }()
	method, content := http.MethodPost, io.Reader(strings.NewReader(body))
	if body == "" {
		method, content = http.MethodGet, http.NoBody
	}
	server := httptest.NewServer(d.api(store).Handler())
	defer server.Close()
	call, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/transactional-api/"+endpoint+"?"+query, content)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(call)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// codesOf are the codes of an error body.
func codesOf(answer map[string]any) (codes string) {
	list, _ := answer["errors"].([]any)
	for _, one := range list {
		codes += " " + one.(map[string]any)["code"].(string)
	}
	return strings.TrimSpace(codes)
}

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
			func(uuid.UUID) []event.Event { return []event.Event{appointment.DidNotAttend{Subject: annsVisit}} }},
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
		{"book-appointment", `{}`, "missing-patient-id missing-site-id missing-appointment-time"},
		{"book-appointment", `{"patientId":1,"siteId":"{` + siteID + `}","at":"tomorrow"}`,
			"invalid-patient-id invalid-site-id invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02 12:00:00Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":0}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00,5Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T9:00:00Z"}`, "invalid-appointment-time"},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00+24:00"}`, "invalid-appointment-time"},
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

func TestWhoIsUnknownIsRefusedByTheCommand(t *testing.T) {
	t.Parallel()
	for endpoint, c := range map[string]struct{ query, body, code string }{
		"create-note":          {"", `{"patientId":"` + nobodyID + `","note":"a cough"}`, "patient-not-found"},
		"open-care-record":     {"", `{"patientId":"` + nobodyID + `"}`, "patient-not-found"},
		"retrieve-care-record": {"patientId=" + nobodyID, "", "patient-not-found"},
		"call-in-patient":      {"", `{"appointmentId":"` + nobodyID + `"}`, "appointment-not-found"},
		"clear-call-in":        {"", `{"appointmentId":"` + nobodyID + `"}`, "appointment-not-found"},
		"mark-did-not-attend":  {"", `{"appointmentId":"` + nobodyID + `"}`, "appointment-not-found"},
		"start-consultation":   {"", `{"patientId":"` + nobodyID + `"}`, "patient-not-found"},
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

// The UUID of zeros is well-formed, and nothing has it.
func TestTheUUIDOfZerosIsNobodys_D20(t *testing.T) {
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

func TestAScopedCallerActsOnThePatientOfTheScopeAlone_5_5(t *testing.T) {
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
			if c.endpoint == "call-in-patient" { // it names no patient whom a scope could cover
				code = "unauthorized"
			}
			if !c.allowed && (status != http.StatusForbidden || codesOf(answer) != code || d.asked()) {
				t.Errorf("status %d, %v, appended %v", status, answer, d.appended)
			}
		})
	}
}
