package httpapi

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

func (a *API) patientRequests() table {
	return table{
		access.CreatePatientRequest:    a.post(a.withFiles, a.createPatientRequest),
		access.RequestOutcome:          {http.MethodGet: a.handle(query(body.ErrInvalidQuery, "patientRequestId"), tagged(a.requestOutcome))},
		access.RequestTypeAvailability: a.get(query(nil), a.requestTypeAvailability),
	}
}

// createPatientRequest is POST of a patient request → {patientRequestId}.
func (a *API) createPatientRequest(r *http.Request, caller judged, f *body.Form) (any, error) {
	submission, err := f.PatientRequest(caller.patient)
	if err != nil {
		return nil, err
	}
	submission.Application = caller.Application
	id, err := caller.desk.SubmitPatientRequest(r.Context(), commands.SubmitPatientRequest{
		Tenant: caller.Tenant, Submission: submission, Receptions: caller.Receptions,
	})
	if err != nil {
		return nil, err
	}
	return map[string]request.ID{"patientRequestId": id}, nil
}

// withFiles reads the body of a patient request and stores its files as they arrive.
// After the answer, files that no request names are discarded.
func (a *API) withFiles(r *http.Request, caller access.Caller) (*body.Form, error) {
	call := callOf(r.Context())
	files := &body.Files{Tenant: caller.Tenant, Uploads: a.Uploads, Texts: call.texts, Upload: call.file}
	form, err := files.ReadCall(r.Context(), r)
	if files.Stored() {
		call.after = append(call.after, files.Close)
	}
	return form, err
}

// requestOutcomeBody is how a request ended. The other members are null unless it is completed.
type requestOutcomeBody struct {
	PatientRequestID request.ID       `json:"patientRequestId"`
	Status           string           `json:"status"`
	Outcome          *request.Outcome `json:"outcome"`
	CompletedAt      *Instant         `json:"completedAt"`
	Answer           *string          `json:"answer"` // null if the practice has written none
}

// The statuses of a request in [requestOutcomeBody].
const (
	requestOpen      = "open"
	requestCompleted = "completed"
)

// requestOutcome is GET ?patientRequestId= → how the request of the application ended (D149).
func (a *API) requestOutcome(r *http.Request, caller judged, f *body.Form) (any, error) {
	invalid := body.InvalidParameter("patientRequestId")
	id := request.ID{UUID: f.ID("patientRequestId", invalid, invalid)}
	if err := f.Err(); err != nil {
		return nil, err
	}
	found, err := a.RequestOutcome(r.Context(), caller.Tenant, id, caller.Application)
	if err != nil {
		return nil, err
	}
	if caller.Mode == application.UserRestricted {
		open, err := a.RecordOpenTo(r.Context(), caller.Tenant, found.Patient, caller.Staff)
		if err != nil {
			return nil, err
		}
		if !open { // for this user it does not exist
			return nil, request.ErrUnknown
		}
	}
	c := callOf(r.Context())
	c.shown, c.things = []patient.ID{found.Patient}, []uuid.UUID{id.UUID}
	if found.Answer != "" { // so that the practice's page knows that it was fetched (D162)
		c.things = append(c.things, found.AnswerEvent)
	}
	shown := requestOutcomeBody{PatientRequestID: id, Status: requestOpen}
	if found.Outcome != "" {
		shown.Status, shown.Outcome, shown.CompletedAt = requestCompleted, &found.Outcome, new(Instant(found.CompletedAt))
		shown.Answer = orNull(found.Answer)
	}
	return shown, nil
}

// requestTypeAvailability is GET → {requestTypes}. Patient portals ask it.
func (a *API) requestTypeAvailability(r *http.Request, caller judged, _ *body.Form) (any, error) {
	types, err := a.RequestTypes(r.Context(), caller.Tenant, a.Now())
	if err != nil {
		return nil, err
	}
	body := make([]availability, len(types))
	for i, t := range types {
		body[i] = availability{RequestType: t.Type, Status: t.Status}
		if !t.NextOpening.IsZero() {
			body[i].NextOpening = &t.NextOpening
		}
	}
	return map[string][]availability{"requestTypes": body}, nil
}

// availability is one request type as a patient portal shows it.
type availability struct {
	RequestType request.Type    `json:"requestType"`
	Status      practice.Status `json:"status"`
	NextOpening *time.Time      `json:"nextOpening"`
}
