package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
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
)

var (
	ann     = patient.ID{UUID: uuid.MustParse(annID)}
	visit   = appointment.ID{UUID: uuid.MustParse(appointmentID)}
	main    = site.ID{UUID: uuid.MustParse(siteID)}
	room    = site.RoomID{UUID: uuid.MustParse(roomID)}
	written = time.Date(2026, 3, 2, 12, 0, 0, 345_678_000, time.UTC)

	asApplication = commands.Caller{Tenant: "elm-street", Mode: application.ApplicationRestricted}
	asUser        = commands.Caller{Tenant: "elm-street", Mode: application.UserRestricted, AuthorisedUntil: written}
	asUserForAnn  = commands.Caller{Tenant: "elm-street", Mode: application.UserRestricted, Patients: []patient.ID{ann}}
)

// desk is an API for one caller, whose commands remember what they were asked.
type desk struct {
	caller  commands.Caller
	entries []projections.RecordEntry
	asked   []any
}

// do remembers a command; commands about nobody are refused.
func (d *desk) do(about uuid.UUID, unknown error, command any) error {
	d.asked = append(d.asked, command)
	if about.String() == nobodyID {
		return unknown
	}
	return nil
}

func (d *desk) clinical() httpapi.Clinical {
	return httpapi.Clinical{
		CheckRecord: func(_ context.Context, caller commands.Caller, id patient.ID) error {
			if id.String() == billID && caller.Mode == application.UserRestricted {
				return commands.ErrRecordRestricted
			}
			return nil
		},
		CareRecord: func(_ context.Context, tenant string, id patient.ID) (projections.CareRecord, error) {
			return projections.CareRecord{PatientName: "Ann Archer", Entries: d.entries, Complete: true},
				d.do(id.UUID, patient.ErrUnknown, "read "+tenant)
		},
		OpenCareRecord: func(_ context.Context, c commands.OpenCareRecord) error {
			return d.do(c.Patient.UUID, patient.ErrUnknown, c)
		},
		CreateNote: func(_ context.Context, c commands.CreateNote) (record.NoteID, error) {
			return record.NoteID{UUID: uuid.MustParse(noteID)}, d.do(c.Patient.UUID, patient.ErrUnknown, c)
		},
		BookAppointment: func(_ context.Context, c commands.BookAppointment) (appointment.ID, error) {
			return visit, d.do(c.Patient.UUID, patient.ErrUnknown, c)
		},
		CallInPatient: func(_ context.Context, c commands.CallInPatient) error {
			return d.do(c.Appointment.UUID, appointment.ErrUnknown, c)
		},
		ClearCallIn: func(_ context.Context, c commands.ClearCallIn) error {
			return d.do(c.Appointment.UUID, appointment.ErrUnknown, c)
		},
		MarkDidNotAttend: func(_ context.Context, c commands.MarkDidNotAttend) error {
			return d.do(c.Appointment.UUID, appointment.ErrUnknown, c)
		},
		StartConsultation: func(_ context.Context, c commands.StartConsultation) (consultation.ID, error) {
			return consultation.ID{UUID: uuid.MustParse(consultationID)}, d.do(c.Patient.UUID, patient.ErrUnknown, c)
		},
	}
}

// call calls an endpoint with a body, or without one by GET.
func (d *desk) call(t *testing.T, endpoint, query, body string) (status int, answer map[string]any) {
	t.Helper()
	api := &httpapi.API{
		Domain: "frontdesk.example", DefaultTenant: "elm-street",
		Authenticate: func(context.Context, []string, string, application.Endpoint) (commands.Caller, error) {
			return d.caller, nil
		},
		Clinical: d.clinical(),
		InFlight: 8, Limit: time.Minute, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	method, content := http.MethodPost, io.Reader(strings.NewReader(body))
	if body == "" {
		method, content = http.MethodGet, http.NoBody
	}
	server := httptest.NewServer(api.Handler())
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
	upper := strings.ToUpper(annID)
	for _, c := range []struct {
		endpoint, body, want string
		command              any
	}{
		{"create-note", `{"patientId":"` + annID + `","note":" a cough "}`, `{"noteId":"` + noteID + `"}`,
			commands.CreateNote{Tenant: "elm-street", Patient: ann, Text: " a cough "}},
		{"open-care-record", `{"patientId":"` + upper + `","more":1}`, `{"patientId":"` + annID + `"}`,
			commands.OpenCareRecord{Tenant: "elm-street", Patient: ann}},
		{"book-appointment", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00.345678+00:00"}`,
			`{"appointmentId":"` + appointmentID + `"}`,
			commands.BookAppointment{Tenant: "elm-street", Patient: ann, Site: main, At: written}},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomId":"` + roomID + `"}`, `{"appointmentId":"` + appointmentID + `"}`,
			commands.CallInPatient{Tenant: "elm-street", Appointment: visit, Room: room}},
		{"call-in-patient", `{"appointmentId":"` + appointmentID + `","roomId":null}`, `{"appointmentId":"` + appointmentID + `"}`,
			commands.CallInPatient{Tenant: "elm-street", Appointment: visit}},
		{"clear-call-in", `{"appointmentId":"` + appointmentID + `"}`, `{"appointmentId":"` + appointmentID + `"}`,
			commands.ClearCallIn{Tenant: "elm-street", Appointment: visit}},
		{"mark-did-not-attend", `{"appointmentId":"` + appointmentID + `"}`, `{"appointmentId":"` + appointmentID + `"}`,
			commands.MarkDidNotAttend{Tenant: "elm-street", Appointment: visit}},
		{"start-consultation", `{"patientId":"` + annID + `"}`, `{"consultationId":"` + consultationID + `"}`,
			commands.StartConsultation{Tenant: "elm-street", Patient: ann}},
		{"start-consultation", `{"patientId":"` + annID + `","appointmentId":"` + appointmentID + `"}`, `{"consultationId":"` + consultationID + `"}`,
			commands.StartConsultation{Tenant: "elm-street", Patient: ann, Appointment: visit}},
	} {
		t.Run(c.endpoint, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asApplication}
			status, answer := d.call(t, c.endpoint, "", c.body)
			var want map[string]any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, answer); status != http.StatusOK || diff != "" {
				t.Errorf("status %d, answer (-want +got):\n%s", status, diff)
			}
			if diff := cmp.Diff([]any{c.command}, d.asked); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
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
			if len(d.asked) > 0 {
				t.Errorf("a faulty body became %v", d.asked)
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
			if !c.allowed && (status != http.StatusForbidden || codesOf(answer) != "patient-not-authorised" || len(d.asked) > 0) {
				t.Errorf("status %d, %v, commands %v", status, answer, d.asked)
			}
		})
	}
}

func TestARestrictedRecordIsClosedToAnotherUser_D17(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, endpoint, query, body string }{
		{"a note", "create-note", "", `{"patientId":"` + billID + `","note":"a"}`},
		{"an empty note: access comes first", "create-note", "", `{"patientId":"` + billID + `","note":""}`},
		{"an opening", "open-care-record", "", `{"patientId":"` + billID + `"}`},
		{"an odd opening: access comes first", "open-care-record", "", `{"patientId":"` + billID + `","PatientId":""}`},
		{"a reading", "retrieve-care-record", "patientId=" + billID, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asUser}
			status, answer := d.call(t, c.endpoint, c.query, c.body)
			want := map[string]any{"errors": []any{map[string]any{
				"code": "unauthorized", "description": "The specified user may not access this patient"}}}
			if diff := cmp.Diff(want, answer); status != http.StatusForbidden || diff != "" || len(d.asked) > 0 {
				t.Errorf("status %d, commands %v, answer (-want +got):\n%s", status, d.asked, diff)
			}
		})
	}
	status, _ := (&desk{caller: asApplication}).call(t, "retrieve-care-record", "patientId="+billID, "")
	if status != http.StatusOK {
		t.Errorf("an application-restricted call is answered %d", status)
	}
}

func TestACareRecordIsOpenedBeforeItIsRead_D37(t *testing.T) {
	t.Parallel()
	d := &desk{caller: asApplication, entries: []projections.RecordEntry{
		entry(consultationID, "Dr Lee", consultation.Started{Consultation: consultation.ID{UUID: uuid.MustParse(consultationID)}, Patient: ann}),
		entry(noteID, "", record.NoteCreated{Note: record.NoteID{UUID: uuid.MustParse(noteID)}, Patient: ann, Text: "a cough"}),
		entry(roomID, "", request.Submitted{
			Patient: ann, Type: request.Admin, Requester: request.ByPatient,
			Response:    []request.Answer{{Question: "requestDetails", Answer: "a letter"}},
			Attachments: []request.Attachment{{FileName: "letter.doc", ContentType: "application/msword", Size: 3}},
		}),
	}}
	status, answer := d.call(t, "retrieve-care-record", url.Values{"patientId": {annID}, "more": {"1", "2"}}.Encode(), "")
	const at = "2026-03-02T12:00:00.345678Z"
	want := map[string]any{
		"patient": map[string]any{"patientId": annID, "name": "Ann Archer", "birthDate": nil},
		"notes":   []any{map[string]any{"noteId": noteID, "note": "a cough", "userName": nil, "createdAt": at}},
		"patientRequests": []any{map[string]any{
			"patientRequestId": roomID, "requestType": "admin", "requester": "patient", "isHighPriority": false, "proxyDetails": nil,
			"response":    []any{map[string]any{"question": "requestDetails", "answer": "a letter"}},
			"attachments": []any{map[string]any{"fileName": "letter.doc", "contentType": "application/msword"}},
			"submittedAt": at,
		}},
		"consultations": []any{map[string]any{
			"consultationId": consultationID, "appointmentId": nil, "userName": "Dr Lee", "startedAt": at,
		}},
	}
	if diff := cmp.Diff(want, answer); status != http.StatusOK || diff != "" {
		t.Errorf("status %d, answer (-want +got):\n%s", status, diff)
	}
	asked := []any{commands.OpenCareRecord{Tenant: "elm-street", Patient: ann}, "read elm-street"}
	if diff := cmp.Diff(asked, d.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func entry(id, userName string, e event.Event) projections.RecordEntry {
	return projections.RecordEntry{Event: e, ID: uuid.MustParse(id), At: written, UserName: userName}
}

func TestACareRecordNamesItsPatientOnce_D17(t *testing.T) {
	t.Parallel()
	for query, code := range map[string]string{
		"":                   "missing-patient-id",
		"patientId=":         "missing-patient-id",
		"patientid=" + annID: "missing-patient-id",
		"patientId=x":        "invalid-patient-id",
		"patientId=" + annID + "&patientId=" + annID: "invalid-patient-id",
		"patientId=&patientId=" + annID:              "invalid-patient-id",
		"patientId=" + annID + ";x":                  "invalid-patient-id",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asUser}
			status, answer := d.call(t, "retrieve-care-record", query, "")
			if codes := codesOf(answer); status != http.StatusBadRequest || codes != code || len(d.asked) > 0 {
				t.Errorf("status %d, codes %q, want %q, asked %v", status, codes, code, d.asked)
			}
		})
	}
}
