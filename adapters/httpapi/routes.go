package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// API serves the Transactional API. All fields are needed except DefaultTenant,
// Allow, Record, Rest and Metrics.
type API struct {
	Domain        string // tenants are served on {tenantId}.<Domain>
	DefaultTenant string // the tenant that a bare address or localhost stands for; "" for none

	// Recognise finds out as whom a call comes to an endpoint of a tenant, by the
	// values of the Authorization headers. Then prove proves it, for which it may
	// wait for the application's key set.
	Recognise func(ctx context.Context, authorization []string, tenant string, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error)
	// Allow refuses an application that calls too often; nil for no limit.
	Allow func(application.ID) error
	// RecordOpenTo reports whether a member of staff may see a patient's record.
	RecordOpenTo func(ctx context.Context, tenant string, id patient.ID, member staff.ID) (bool, error)

	Desk    commands.Desk
	Uploads body.Uploads // keeps the files of a patient request while it is read

	// RequestTypes returns the availability of a tenant's request types at an
	// instant.
	RequestTypes func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error)
	// CareRecord returns the record of a patient. It shows everything that was
	// appended before the call.
	CareRecord func(ctx context.Context, tenant string, id patient.ID) (projections.CareRecord, error)
	// SigningKeys returns the key set that webhooks are verified with, as JSON.
	SigningKeys func(context.Context) ([]byte, error)

	// Record takes a judged call for the access record. It does not wait. Nil
	// keeps none.
	Record func(access.Call)

	InFlight int           // calls served at once; further ones are answered 503
	Limit    time.Duration // for one call, after its body has arrived
	Rest     time.Duration // for throwing away the rest of a body that was answered early; 0 means 5 s
	Now      func() time.Time
	Metrics  *Metrics // nil measures nothing
	Log      *slog.Logger
}

// Handler returns the API as one handler. All its answers are JSON and carry an
// X-Request-Id.
func (a *API) Handler() http.Handler {
	return a.identified(a.paced(a.limited(a.routes())))
}

// endpoints shows the whole API on one screen: how each endpoint of the catalogue
// is called, what is read of a call, and what answers it. openapi.json describes
// it for callers.
func (a *API) endpoints() map[application.EndpointName]methods {
	return map[application.EndpointName]methods{
		access.CreatePatientRequest:    a.post(a.withFiles, a.createPatientRequest),
		access.RequestTypeAvailability: a.get(nothing, a.requestTypeAvailability),
		access.CreateNote:              a.post(members("patientId", "note"), a.createNote),
		access.RetrieveCareRecord:      a.get(patientQuery, a.retrieveCareRecord),
		access.OpenCareRecord:          a.post(members("patientId"), a.openCareRecord),
		access.BookAppointment:         a.post(members("patientId", "siteId", "at"), a.bookAppointment),
		access.CallInPatient:           a.post(members("appointmentId", "roomId"), a.callInPatient),
		access.ClearCallIn:             a.post(members("appointmentId"), a.clearCallIn),
		access.MarkDidNotAttend:        a.post(members("appointmentId"), a.markDidNotAttend),
		access.StartConsultation:       a.post(members("patientId", "appointmentId"), a.startConsultation),
		access.Ping:                    {http.MethodGet: a.after(nothing, a.ping), http.MethodPost: a.after(nothing, a.ping)},
	}
}

func (a *API) routes() *mux.Router {
	router := mux.NewRouter().SkipClean(true)
	api := router.MatcherFunc(a.isTenantHost).PathPrefix("/transactional-api").Subrouter()
	endpoints := a.endpoints()
	for _, e := range access.Endpoints() {
		a.route(api, e, endpoints[e.Name])
	}
	a.public(api, "/jwks", "jwks", a.publicKeys)
	a.public(api, "/openapi.json", "openapi", a.describe)
	router.NotFoundHandler = a.answering(func(http.ResponseWriter, *http.Request) error { return errNotFound })
	return router
}

// methods are the HTTP methods of an endpoint, with what serves each. A call is
// served only if its caller has not been refused.
type methods map[string]func(http.ResponseWriter, *http.Request, access.Caller) error

// route serves an endpoint under its name.
func (a *API) route(router *mux.Router, e access.Endpoint, by methods) {
	router.Handle("/"+string(e.Name), a.measured(e.Name, a.recorded(e, a.answering(func(w http.ResponseWriter, r *http.Request) error {
		serve, ok := by[r.Method]
		if !ok {
			return notAllowed(w, by)
		}
		caller, err := a.caller(r, e)
		if err != nil {
			return err
		}
		return serve(w, asCaller(r, caller), caller)
	}))))
}

// reader reads the input of a call into a form, which keeps the faults of the
// input. An error means that the service could not read it.
type reader func(*http.Request, access.Caller) (*body.Form, error)

// answerer answers a call that has been read and judged. [API.answering] answers
// its error.
type answerer func(http.ResponseWriter, *http.Request, judged, *body.Form) error

func (a *API) post(read reader, answer answerer) methods {
	return methods{http.MethodPost: a.after(read, answer)}
}

func (a *API) get(read reader, answer answerer) methods {
	return methods{http.MethodGet: a.after(read, answer)}
}

// after reads the input of a call, judges the caller by the patient whom the call
// names, and only then answers. So no answerer can forget to judge.
func (a *API) after(read reader, answer answerer) func(http.ResponseWriter, *http.Request, access.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, caller access.Caller) error {
		form, err := read(r, caller)
		if err != nil {
			return err
		}
		judged, err := a.judge(r, caller, form)
		if err != nil {
			return err
		}
		return answer(w, r, judged, form)
	}
}

// nothing is the reader of a call that has no input.
func nothing(*http.Request, access.Caller) (*body.Form, error) { return &body.Form{}, nil }

// members reads a body with the given members and without files.
func members(names ...string) reader {
	return func(r *http.Request, _ access.Caller) (*body.Form, error) {
		return body.Read(r, callOf(r.Context()).text, names...)
	}
}

// patientQuery reads the patient that a query names.
func patientQuery(r *http.Request, _ access.Caller) (*body.Form, error) {
	return body.Query(r, "patientId", body.ErrInvalidPatientID), nil
}
