package httpapi

import (
	"context"
	"net/http"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections/applications"
)

// Itself answers applications' calls about themselves (D94). All its fields are needed.
type Itself struct {
	// At returns the state of an application at a practice, which may not exist.
	At func(ctx context.Context, tenant string, id application.ID, now time.Time) (applications.State, error)
	// KeySet returns the key set that this process holds for a URL.
	KeySet func(url string) KeySet
	// Reread fetches the key set at a URL again, and reports whether that succeeded. If
	// not, the old set stays. It may wait for 10 s.
	Reread func(ctx context.Context, url string) (read bool, err error)
}

// ownApplication is the answer of application. It names no person.
type ownApplication struct {
	ID             application.ID           `json:"applicationId"`
	Name           string                   `json:"name"`
	TenantID       string                   `json:"tenantId"`
	Enabled        bool                     `json:"enabled"`
	Grants         []application.Grant      `json:"grants"`
	Callbacks      []string                 `json:"callbacks"`
	PatientScoped  bool                     `json:"patientScoped"`
	KeySetURL      string                   `json:"keySetUrl"`
	Webhooks       []application.WebhookSet `json:"webhooks"`
	Authorisations authorisationCounts      `json:"authorisations"`
}

type authorisationCounts struct {
	Standing      int `json:"standing"`
	PatientScoped int `json:"patientScoped"`
}

func (a *API) applications() table {
	return table{
		access.Application: a.get(query(nil), a.ownApplication),
		access.KeySet: {
			http.MethodGet: a.handle(query(nil), plainly(a.keySet)), http.MethodPost: a.handle(a.rereading, a.once(a.rereadKeySet)),
		},
		access.TestWebhook:   a.post(members("event"), a.testWebhook),
		access.OwnCalls:      a.get(query(body.ErrInvalidQuery, "limit", "cursor", "status", "requestId", "idempotencyKey"), a.ownCalls),
		access.OwnDeliveries: a.get(query(body.ErrInvalidQuery, "limit", "cursor", "jti", "from", "until", "outcome"), a.ownDeliveries),
		access.Checkpoint:    a.get(query(body.ErrInvalidQuery, "from"), a.checkpoint),
	}
}

// ownApplication is GET → the caller's registration, and its state at the practice.
func (a *API) ownApplication(r *http.Request, caller judged, _ *body.Form) (any, error) {
	at, err := a.Itself.At(r.Context(), caller.Tenant, caller.Application, a.Now())
	if err != nil {
		return nil, err
	}
	for i := range at.Webhooks { // a stolen token must not reveal secrets in a query
		at.Webhooks[i].URL = application.WithoutQuery(at.Webhooks[i].URL)
	}
	return ownApplication{
		caller.Application, at.Name, caller.Tenant, at.Enabled, at.Grants, at.Callbacks, at.PatientScoped, at.JWKSURL, at.Webhooks,
		authorisationCounts{at.Standing, at.Scoped},
	}, nil
}

// KeySet is an application's key set as this process holds it.
type KeySet struct {
	URL       string       `json:"url"`
	Keys      []HeldKey    `json:"keys"`      // that verify tokens
	FetchedAt *Instant     `json:"fetchedAt"` // nil if no set is held
	Until     *Instant     `json:"until"`     // nil if no set is held
	LastFetch *KeySetFetch `json:"lastFetch"` // nil if there was no fetch
}

// HeldKey is a key that verifies tokens.
type HeldKey struct {
	Kid   string  `json:"kid"`
	Since Instant `json:"since"` // held since
}

// KeySetFetch is the result of fetching a key set.
type KeySetFetch struct {
	At          Instant    `json:"at"`
	Outcome     string     `json:"outcome"`
	Description string     `json:"description"`
	Keys        []FoundKey `json:"keys"` // in the order of the set
}

// FoundKey is a key of a fetched set.
type FoundKey struct {
	Kid    string  `json:"kid"` // "" if it has none
	Usable bool    `json:"usable"`
	Why    *string `json:"why"` // why it is not usable; nil if it is
}

// keySet is GET → the caller's key set as this process holds it.
func (a *API) keySet(_ *http.Request, caller judged, _ *body.Form) (any, error) {
	return a.Itself.KeySet(caller.JWKSURL), nil
}

// rereading is the result of fetching the caller's key set again.
type rereading struct {
	refusal error // why it was not read
	read    bool
}

// rereading fetches a caller's key set again unless it did so less than a minute ago.
// It holds nothing that other applications need. The refusal is decided later: the call
// may be a repeat of one that was answered.
func (a *API) rereading(r *http.Request, caller access.Caller) (_ *body.Form, err error) {
	again := &callOf(r.Context()).reread
	if again.refusal = application.TooSoon(caller.KeySetReread, a.Now()); again.refusal == nil {
		again.read, err = a.Itself.Reread(r.Context(), caller.JWKSURL)
	}
	return body.Query(r, nil), err
}

// rereadKeySet is POST → the caller's key set, which this process has just fetched.
// Only after a successful fetch do all processes drop the set that they held. So a
// stolen token can do no more than refresh a valid set.
func (a *API) rereadKeySet(r *http.Request, caller judged, _ *body.Form) (any, error) {
	again := callOf(r.Context()).reread
	if again.refusal != nil {
		return nil, again.refusal
	}
	if again.read {
		if _, err := caller.desk.RereadKeySet(r.Context(), commands.RereadKeySet{Application: caller.Application}); err != nil {
			return nil, err
		}
	}
	return a.Itself.KeySet(caller.JWKSURL).short(), nil
}

// shortList limits the keys in an answer that may be stored for repeats.
const shortList = 32

func (k KeySet) short() KeySet {
	k.Keys = k.Keys[:min(len(k.Keys), shortList)]
	if k.LastFetch != nil {
		last := *k.LastFetch
		last.Keys = last.Keys[:min(len(last.Keys), shortList)]
		k.LastFetch = &last
	}
	return k
}

// testWebhook is POST {event} → {jti, event, url}.
func (a *API) testWebhook(r *http.Request, caller judged, f *body.Form) (any, error) {
	c := commands.TestWebhook{Tenant: caller.Tenant, Application: caller.Application, Event: application.WebhookEvent(f.Text("event"))}
	if err := f.Err(); err != nil {
		return nil, err
	}
	test, err := caller.desk.TestWebhook(r.Context(), c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"jti": test.ID, "event": c.Event, "url": application.WithoutQuery(test.URL)}, nil
}
