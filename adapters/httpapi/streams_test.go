package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
)

// An identifier of another kind, of another practice or not yet used gets the answer
// for an unknown one, from every endpoint, and no stream gets an event.
func TestNoEndpointTakesAStream(t *testing.T) {
	t.Parallel()
	bodies := map[application.EndpointName]string{
		access.CreatePatientRequest: `{"patientId":"` + annID + `","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"a cough"}]}`,
		access.CreateNote:           `{"patientId":"` + annID + `","note":"a cough"}`,
		access.OpenCareRecord:       `{"patientId":"` + annID + `"}`,
		access.SetContactDetails:    `{"patientId":"` + annID + `","telephone":"020 7946 0958","email":null,"nhsNumber":null}`,
		access.BookAppointment:      `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T12:00:00Z"}`,
		access.CallInPatient:        `{"appointmentId":"` + appointmentID + `","roomId":"` + roomID + `"}`,
		access.ClearCallIn:          `{"appointmentId":"` + appointmentID + `"}`,
		access.MarkDidNotAttend:     `{"appointmentId":"` + appointmentID + `"}`,
		access.StartConsultation:    `{"patientId":"` + annID + `","appointmentId":"` + appointmentID + `"}`,
	}
	app := application.ID{UUID: uuid.MustParse(unknownID)}
	targets := []event.Stream{
		practice.StreamOf("oak-lane"), practice.ClosuresStream("oak-lane"), practice.IntakeStream("elm-street", request.Medical),
		practice.EnablementStream("pine-close", app), patient.StreamOf("elm-street", ann), patient.StreamOf("oak-lane", ann),
		signingkey.StreamOf(), epoch.StreamOf(), application.RereadStream(app, written),
		site.StreamOf("elm-street", main), site.RoomStreamOf("elm-street", room), {Tenant: "elm-street", ID: visit.UUID},
	}
	for _, endpoint := range access.Endpoints() {
		body, has := bodies[endpoint.Name]
		if !has && endpoint.NamesPatient && endpoint.Name != access.RetrieveCareRecord {
			t.Errorf("no body of %s", endpoint.Name)
		}
		for _, known := range identifiers.FindAllString(body, -1) {
			wants := answered(t, endpoint.Name, strings.ReplaceAll(body, known, unknownID), uuid.Nil)
			for _, target := range targets {
				if target.ID.String() == known {
					continue
				}
				if got := answered(t, endpoint.Name, strings.ReplaceAll(body, known, target.ID.String()), target.ID); got != wants {
					t.Errorf("%s with %s of %q in place of %s: %s, want %s", endpoint.Name, target.ID, target.Tenant, known, got, wants)
				}
			}
		}
	}
}

var identifiers = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// answered returns the answer to a body, which must not append to a stream.
func answered(t *testing.T, endpoint application.EndpointName, body string, stream uuid.UUID) string {
	t.Helper()
	d := &desk{caller: asApplication}
	status, answer := d.call(t, string(endpoint), "", body)
	for _, e := range d.appended {
		if e.Stream.ID == stream {
			t.Errorf("%s with %s adds %s to it", endpoint, stream, e.EventName())
		}
	}
	return http.StatusText(status) + " " + codesOf(answer)
}
