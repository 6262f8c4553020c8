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
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// API serves the Transactional API. All fields are needed except DefaultTenant,
// Record, Rest and Metrics.
type API struct {
	Domain        string // tenants are served on {tenantId}.<Domain> (D36)
	DefaultTenant string // who is meant by a bare address or localhost; "" for nobody (D36)

	// Authenticate judges who is calling (D1, steps 2 to 5): by the values of
	// the Authorization headers, for a tenant and an endpoint.
	Authenticate func(ctx context.Context, authorization []string, tenant string, endpoint application.Endpoint) (commands.Caller, error)

	// SubmitPatientRequest handles that command.
	SubmitPatientRequest func(context.Context, commands.SubmitPatientRequest) (request.ID, error)
	Uploads              body.Uploads // where the files of a patient request go meanwhile

	// RequestTypes is the availability of a tenant's request types at an instant.
	RequestTypes func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error)

	Clinical

	// SigningKeys is the key set that webhooks are verified with (§4.3).
	SigningKeys func(context.Context) ([]byte, error)

	// Record takes a judged call for the access record (D37). It does not wait.
	// Nil keeps none.
	Record func(access.Call)

	InFlight int           // calls served at once; more are answered 503 (D9)
	Limit    time.Duration // for one call, after its body has arrived
	Rest     time.Duration // for throwing away the rest of a body that was answered early; 0 means 5 s (D1)
	Now      func() time.Time
	Metrics  *Metrics // nil measures nothing
	Log      *slog.Logger
}

// endpoint answers a call whose caller has been judged. Its error is answered
// by the problem table.
type endpoint func(w http.ResponseWriter, r *http.Request, caller commands.Caller) error

// Handler is the API, routed. Whatever it answers is JSON and carries an
// X-Request-Id (D19).
func (a *API) Handler() http.Handler {
	return a.identified(a.paced(a.limited(a.routes())))
}

// routes is the whole API on one screen. openapi.json describes it.
func (a *API) routes() *mux.Router {
	router := mux.NewRouter().SkipClean(true)
	api := router.MatcherFunc(a.isTenantHost).PathPrefix("/transactional-api").Subrouter()

	a.route(api, "/create-patient-request", application.CreatePatientRequest, methods{
		http.MethodPost: a.createPatientRequest,
	})
	a.route(api, "/request-type-availability", application.RequestTypeAvailability, methods{
		http.MethodGet: a.requestTypeAvailability,
	})
	a.route(api, "/create-note", application.CreateNote, post(a.createNote))
	a.route(api, "/retrieve-care-record", application.RetrieveCareRecord, methods{http.MethodGet: a.retrieveCareRecord})
	a.route(api, "/open-care-record", application.OpenCareRecord, post(a.openCareRecord))
	a.route(api, "/book-appointment", application.BookAppointment, post(a.bookAppointment))
	a.route(api, "/call-in-patient", application.CallInPatient, post(a.callInPatient))
	a.route(api, "/clear-call-in", application.ClearCallIn, post(a.clearCallIn))
	a.route(api, "/mark-did-not-attend", application.MarkDidNotAttend, post(a.markDidNotAttend))
	a.route(api, "/start-consultation", application.StartConsultation, post(a.startConsultation))
	a.route(api, "/ping", application.Ping, methods{
		http.MethodGet:  a.ping,
		http.MethodPost: a.ping,
	})

	a.public(api, "/jwks", "jwks", a.publicKeys)
	a.public(api, "/openapi.json", "openapi", a.describe)

	router.NotFoundHandler = a.answering(func(http.ResponseWriter, *http.Request) error { return errNotFound })
	return router
}

type methods map[string]endpoint

// post is an endpoint that is called by POST alone.
func post(e endpoint) methods { return methods{http.MethodPost: e} }

// route serves one path of the API, as an endpoint that callers are judged for.
func (a *API) route(router *mux.Router, path string, name application.Endpoint, by methods) {
	router.Handle(path, a.measured(name, a.recorded(name, a.answering(func(w http.ResponseWriter, r *http.Request) error {
		answer, ok := by[r.Method]
		if !ok {
			return notAllowed(w, by)
		}
		caller, err := a.caller(r, name)
		if err != nil {
			return err
		}
		return answer(w, asCaller(r, caller), caller)
	}))))
}
