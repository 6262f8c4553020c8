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

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Identifiers that the desk below knows, and those that it creates.
const (
	annID          = "0190c7a2-0000-7000-8000-0000000000a1"
	billID         = "0190c7a2-0000-7000-8000-0000000000a2" // only named staff may see the record
	appointmentID  = "0190c7a2-0000-7000-8000-0000000000e1"
	siteID         = "0190c7a2-0000-7000-8000-0000000000c1"
	roomID         = "0190c7a2-0000-7000-8000-0000000000d1"
	noteID         = "0190c7a2-0000-7000-8000-000000000091"
	consultationID = "0190c7a2-0000-7000-8000-0000000000f1"
	unknownID      = "0190c7a2-0000-7000-8000-0000000000ff"
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

// atWritten is a clock that shows written.
func atWritten() time.Time { return written }

// mayAll returns a caller with every grant, and the rights of its user.
func mayAll(mode application.Mode, user access.Rights) access.Caller {
	user.Known, user.Enabled, user.Granted = true, true, true
	return access.Caller{Claim: access.Claim{Tenant: "elm-street", Mode: mode}, Rights: user}
}

// recognise is the type of API.Recognise.
type recognise = func(context.Context, []string, string, access.Endpoint) (func(context.Context) (access.Caller, error), error)

// proves accepts a caller for every endpoint.
func proves(caller access.Caller) recognise {
	return func(_ context.Context, _ []string, _ string, endpoint access.Endpoint) (func(context.Context) (access.Caller, error), error) {
		caller := caller
		caller.Endpoint = endpoint
		return func(context.Context) (access.Caller, error) { return caller, nil }, nil
	}
}

// refuses refuses every caller.
func refuses(err error) recognise {
	return func(context.Context, []string, string, access.Endpoint) (func(context.Context) (access.Caller, error), error) {
		return nil, err
	}
}

// stays returns the caller's original rights.
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

// desk is an API for one caller over a practice's day, and its effects.
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
		Desk: commands.Desk{Store: store, Patients: store, Responses: store, Receptions: store, Now: atWritten},
		RecordOpenTo: func(_ context.Context, _ string, id patient.ID, _ staff.ID) (bool, error) {
			return id.String() != billID, nil
		},
		CareRecord: func(_ context.Context, tenant string, _ patient.ID, _ bool) (projections.CareRecord, error) {
			d.read = append(d.read, fmt.Sprintf("%s after %d", tenant, len(store.Log())-before))
			return projections.CareRecord{PatientName: "Ann Archer", Entries: d.entries, Complete: true}, nil
		},
		Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler),
	}
}

// asked reports whether events were appended or read.
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
