package httpapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/tracing"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// API serves the Transactional API. All fields are needed except DefaultTenant,
// TrustedProxies, Strict, Calls, Bytes, Record, Permits, Admission, Rest, Metrics, Traces and Lines.
type API struct {
	Domain        string // tenants are served on {tenantId}.<Domain>
	DefaultTenant string // the tenant of a bare address or localhost; "" for none

	TrustedProxies  []netip.Prefix // proxies whose X-Forwarded-For is trusted
	StrictTransport string         // Strict-Transport-Security of each answer; "" for none

	Strict bool // refuse unknown members; otherwise only warn

	// Recognise reads, by one query, the claim in the Authorization headers and the
	// rights that it would have at an endpoint of a tenant. Prove waits for the keys of
	// the application and verifies the claim.
	Recognise func(ctx context.Context, authorization []string, tenant string, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error)
	// Rights reads the current rights of a claim.
	Rights func(ctx context.Context, claim access.Claim, now time.Time) (access.Rights, error)

	Calls *admission.RateLimiter[application.ID] // of each application; nil for no limit
	Bytes *admission.RateLimiter[application.ID] // of bodies of each application; nil for no limit

	// RecordOpenTo reports whether a member of staff may see a patient's record.
	RecordOpenTo func(ctx context.Context, tenant string, id patient.ID, member staff.ID) (bool, error)

	// Obstacle can stop authorised calls about patients: its error is the answer. Nil
	// stops none.
	Obstacle func(ctx context.Context, about patient.ID) error

	Desk    commands.Desk
	Uploads body.Uploads // stores the files of a patient request as it is read

	// RequestTypes returns the availability of a tenant's request types at an
	// instant.
	RequestTypes func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error)
	// CareRecord returns the record of a patient. It includes everything that was
	// appended before the call. It returns projections.ErrLongRecord instead of a long
	// record unless long is set.
	CareRecord func(ctx context.Context, tenant string, id patient.ID, long bool) (projections.CareRecord, error)
	// RequestOutcome returns how a request ended that an application has sent. It includes
	// everything that was appended before the call. The refusal is request.ErrUnknown.
	RequestOutcome func(ctx context.Context, tenant string, id request.ID, by application.ID) (history.Outcome, error)
	// Itself answers applications' calls about themselves.
	Itself Itself
	// WaitingRoom finds sites, rooms and who is called in.
	WaitingRoom WaitingRoom
	// SigningKeys returns the key set for webhooks as JSON.
	SigningKeys func(context.Context) ([]byte, error)

	// Own finds an application's own calls and webhooks.
	Own Own
	// Checkpoints reads the signed checkpoints of logs.
	Checkpoints Checkpoints

	// Record adds a judged call to the access record. It does not block. Nil records
	// none.
	Record func(access.Call)

	Permits   Permits            // for concurrent calls; beyond them 503
	Admission *admission.Metrics // nil: not measured
	Limit     time.Duration      // for the work of a call in a slot
	Rest      time.Duration      // for discarding the rest of a body that was answered early; 0 means 5 s
	Now       func() time.Time
	Metrics   *Metrics        // nil: not measured
	Traces    *tracing.Tracer // nil: not traced
	Log       *slog.Logger
	Lines     Lines // which calls are logged

	// Made by Handler.
	permits   permits
	reasons   *admission.RateLimiter[string] // of log lines about unavailability
	strangers *admission.RateLimiter[int]    // of log lines about unproven calls, by status
}

// Handler returns the API as one handler. All answers are JSON and carry an
// X-Request-Id.
func (a *API) Handler() http.Handler {
	a.permits = a.Permits.build()
	a.permits.register(a.Admission)
	a.reasons = admission.NewRateLimiter[string](1, time.Second, a.Now)
	a.strangers = admission.NewRateLimiter[int](strangersLines, time.Second, a.Now)
	return a.identified(a.paced(a.cleared(a.routes())))
}

// table maps endpoints to their methods, readers and answerers.
type table map[application.EndpointName]methods

// endpoints returns the tables of all nouns. Each is in the file of its answers.
// access.Endpoints lists the whole API, and openapi.json describes it for callers.
func (a *API) endpoints() table {
	all := table{}
	for _, noun := range []table{a.patientRequests(), a.careRecords(), a.appointments(), a.patients(), a.waitingRoom(), a.identities(), a.applications()} {
		maps.Copy(all, noun)
	}
	return all
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
	router.NotFoundHandler = a.answering(a.nothingThere)
	return router
}

// methods are the HTTP methods of an endpoint, with the maker of each answer.
type methods map[string]func(*http.Request, access.Endpoint) (text []byte, err error)

// route serves an endpoint under its name.
func (a *API) route(router *mux.Router, e access.Endpoint, by methods) {
	router.Handle("/"+string(e.Name), a.measured(e.Name, a.recorded(e, a.answering(func(w http.ResponseWriter, r *http.Request) error {
		serve, ok := by[r.Method]
		if !ok {
			return notAllowed(w, by)
		}
		text, err := serve(r, e)
		if err != nil {
			return err
		}
		if a.isUnchanged(w, r, text) {
			return nil
		}
		a.recordShown(r)
		return a.answer(w, r, http.StatusOK, text)
	}))))
}

// reader reads the input of a call into a form, which collects the faults of the input.
// An error means that the service could not read it.
type reader func(*http.Request, access.Caller) (*body.Form, error)

// answerer returns the answer to a call that has been read and checked, to be encoded
// as JSON. [API.answering] answers its error.
type answerer func(*http.Request, judged, *body.Form) (any, error)

// maker makes the text of an answer.
type maker func(*http.Request, judged, *body.Form) ([]byte, error)

// post serves a change, which is made once however often the call is repeated under the
// same Idempotency-Key.
func (a *API) post(read reader, answer answerer) methods {
	return methods{http.MethodPost: a.handle(a.arriving(read), a.once(answer))}
}

func (a *API) get(read reader, answer answerer) methods {
	return methods{http.MethodGet: a.handle(read, plainly(answer))}
}

// plainly makes the answer each time.
func plainly(answer answerer) maker {
	return func(r *http.Request, caller judged, form *body.Form) ([]byte, error) {
		return encoded(answer(r, caller, form))
	}
}

// handle authenticates the caller, reads the input, checks the caller's right to the
// patient that the call names, and only then makes the answer. So no answerer can skip
// the check. It keeps no reference to the input or the parts of the answer when it
// returns: the client may take its time to read.
func (a *API) handle(read reader, build maker) func(*http.Request, access.Endpoint) ([]byte, error) {
	return func(r *http.Request, endpoint access.Endpoint) (text []byte, err error) {
		caller, err := a.caller(r, endpoint)
		if err != nil {
			return nil, err
		}
		defer callOf(r.Context()).texts.Release()
		form, err := read(r, caller)
		if err != nil {
			return nil, err
		}
		err = a.withPermit(a.permits.slots, r, func(r *http.Request) error {
			judged, err := a.ready(r, caller, form)
			if err != nil {
				return err
			}
			if err := a.meet(r, judged); err != nil {
				return err
			}
			defer a.madeLong(r)
			text, err = build(asCaller(r, judged.Caller), judged, form)
			return err
		})
		return text, err
	}
}

// meet calls Obstacle for a call about a patient.
func (a *API) meet(r *http.Request, j judged) error {
	if a.Obstacle == nil || !j.Endpoint.NamesPatient {
		return nil
	}
	return a.Obstacle(r.Context(), j.patient)
}

// members reads a body with the given members and without files.
func members(names ...string) reader {
	return func(r *http.Request, _ access.Caller) (*body.Form, error) {
		return body.Read(r, callOf(r.Context()).texts, names...)
	}
}

// query reads a query with the given members. A malformed query, or one with a member
// twice, is refused as invalid.
func query(invalid *fault.Error, names ...string) reader {
	return func(r *http.Request, _ access.Caller) (*body.Form, error) {
		return body.Query(r, invalid, names...), nil
	}
}
