package httpapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/tracing"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// API serves the Transactional API. All fields are needed except DefaultTenant,
// TrustedProxies, Strict, Calls, Bytes, Record, Seats, Seating, Rest, Metrics, Traces and Lines.
type API struct {
	Domain        string // tenants are served on {tenantId}.<Domain>
	DefaultTenant string // the tenant that a bare address or localhost stands for; "" for none

	TrustedProxies []netip.Prefix // whose X-Forwarded-For says where a call comes from

	Strict bool // refuse members that the contract does not know, which are only warned of otherwise

	// Recognise finds out, by one query, what the values of the Authorization
	// headers claim, and which rights the claim would have at an endpoint of a
	// tenant. Prove waits for the keys of the application and proves the claim.
	Recognise func(ctx context.Context, authorization []string, tenant string, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error)
	// Rights asks again for the rights of a claim.
	Rights func(ctx context.Context, claim access.Claim, now time.Time) (access.Rights, error)

	Calls *fair.Budget[application.ID] // that each application may make; nil for no limit
	Bytes *fair.Budget[application.ID] // of bodies that each application may send; nil for no limit

	// RecordOpenTo reports whether a member of staff may see a patient's record.
	RecordOpenTo func(ctx context.Context, tenant string, id patient.ID, member staff.ID) (bool, error)

	// Obstacle stands in the way of calls about patients that may be made: its error is the
	// answer. Nil stands in nobody's way.
	Obstacle func(ctx context.Context, about patient.ID) error

	Desk    commands.Desk
	Uploads body.Uploads // keeps the files of a patient request while it is read

	// RequestTypes returns the availability of a tenant's request types at an
	// instant.
	RequestTypes func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error)
	// CareRecord returns the record of a patient. It shows everything that was
	// appended before the call. It returns projections.ErrLongRecord instead of more
	// than a little unless a long record is wanted.
	CareRecord func(ctx context.Context, tenant string, id patient.ID, long bool) (projections.CareRecord, error)
	// Itself answers what applications ask about themselves.
	Itself Itself
	// SigningKeys returns the key set that webhooks are verified with, as JSON.
	SigningKeys func(context.Context) ([]byte, error)

	// Own finds what an application asks about itself.
	Own Own

	// Record takes a judged call for the access record. It does not wait. Nil
	// keeps none.
	Record func(access.Call)

	Seats   Seats         // for calls at once; further ones are answered 503
	Seating *fair.Metrics // shows the seats; nil shows nothing
	Limit   time.Duration // for what a call does in a slot
	Rest    time.Duration // for throwing away the rest of a body that was answered early; 0 means 5 s
	Now     func() time.Time
	Metrics *Metrics        // nil measures nothing
	Traces  *tracing.Tracer // nil traces nothing
	Log     *slog.Logger
	Lines   Lines // which calls have a line in the log

	// Made by Handler.
	seats     seats
	reasons   *fair.Budget[string] // of lines that say why calls are unavailable
	strangers *fair.Budget[int]    // of lines about calls that nobody has signed, by their status
}

// Handler returns the API as one handler. All its answers are JSON and carry an
// X-Request-Id.
func (a *API) Handler() http.Handler {
	a.seats = a.Seats.made()
	a.seats.shown(a.Seating)
	a.reasons = fair.NewBudget[string](1, time.Second, a.Now)
	a.strangers = fair.NewBudget[int](strangersLines, time.Second, a.Now)
	return a.identified(a.paced(a.cleared(a.routes())))
}

// table says of endpoints how each is called, what is read of a call, and what answers it.
type table map[application.EndpointName]methods

// endpoints returns the tables of all nouns. Each is in the file of its answers;
// access.Endpoints lists the whole API, and openapi.json describes it for callers.
func (a *API) endpoints() table {
	all := table{}
	for _, noun := range []table{a.patientRequests(), a.careRecords(), a.appointments(), a.identities(), a.applications()} {
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

// methods are the HTTP methods of an endpoint, with what makes the answer to each.
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
		return a.answer(w, r, http.StatusOK, text)
	}))))
}

// reader reads the input of a call into a form, which keeps the faults of the
// input. An error means that the service could not read it.
type reader func(*http.Request, access.Caller) (*body.Form, error)

// answerer returns the answer to a call that has been read and judged, as a value
// that is written as JSON. [API.answering] answers its error.
type answerer func(*http.Request, judged, *body.Form) (any, error)

// maker makes the text of an answer.
type maker func(*http.Request, judged, *body.Form) ([]byte, error)

// post serves a change, which is made once however often it is sent under the same
// Idempotency-Key.
func (a *API) post(read reader, answer answerer) methods {
	return methods{http.MethodPost: a.after(a.arriving(read), a.once(answer))}
}

func (a *API) get(read reader, answer answerer) methods {
	return methods{http.MethodGet: a.after(read, plainly(answer))}
}

// plainly makes the answer each time.
func plainly(answer answerer) maker {
	return func(r *http.Request, caller judged, form *body.Form) ([]byte, error) {
		return encoded(answer(r, caller, form))
	}
}

// after finds out who is calling, reads the input of the call, judges the caller by
// the patient whom the call names, and only then makes the answer. So no answerer
// can forget to judge. What the input and the answer were made of is garbage once
// this returns: the client may take its time to read.
func (a *API) after(read reader, made maker) func(*http.Request, access.Endpoint) ([]byte, error) {
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
		err = a.in(a.seats.slots, r, func(r *http.Request) error {
			judged, err := a.ready(r, caller, form)
			if err != nil {
				return err
			}
			if err := a.meet(r, judged); err != nil {
				return err
			}
			defer a.madeLong(r)
			text, err = made(asCaller(r, judged.Caller), judged, form)
			return err
		})
		return text, err
	}
}

// meet meets what stands in the way of a call about a patient.
func (a *API) meet(r *http.Request, j judged) error {
	if a.Obstacle == nil || !j.Endpoint.NamesPatient {
		return nil
	}
	return a.Obstacle(r.Context(), j.patient)
}

// nothing is the reader of a call that has no input.
func nothing(*http.Request, access.Caller) (*body.Form, error) { return &body.Form{}, nil }

// members reads a body with the given members and without files.
func members(names ...string) reader {
	return func(r *http.Request, _ access.Caller) (*body.Form, error) {
		return body.Read(r, callOf(r.Context()).texts, names...)
	}
}

// query reads a query with the given members. One that is malformed, or names one of them
// twice, is refused as invalid.
func query(invalid *fault.Error, names ...string) reader {
	return func(r *http.Request, _ access.Caller) (*body.Form, error) {
		return body.Query(r, invalid, names...), nil
	}
}
