package httpapi

import (
	"context"
	"net/http"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Itself is what applications ask about themselves (D94). All its fields are needed.
type Itself struct {
	// At returns how an application stands at a practice, which there may not be.
	At func(ctx context.Context, tenant string, id application.ID, now time.Time) (projections.ApplicationAt, error)
	// KeySet returns what this process knows of the key set at a URL.
	KeySet func(url string) KeySet
	// Reread reads the key set at a URL again, and reports whether that was possible. The
	// set that was held before is kept if not. It may wait for 10 s.
	Reread func(ctx context.Context, url string) (read bool, err error)
}

// ownApplication is the answer of application. It names nobody.
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
			http.MethodGet: a.after(query(nil), plainly(a.keySet)), http.MethodPost: a.after(a.rereading, a.once(a.rereadKeySet)),
		},
		access.TestWebhook:   a.post(members("event"), a.testWebhook),
		access.OwnCalls:      a.get(query(body.ErrInvalidQuery, "limit", "cursor", "status", "requestId"), a.ownCalls),
		access.OwnDeliveries: a.get(query(body.ErrInvalidQuery, "limit", "cursor", "jti", "from", "until", "outcome"), a.ownDeliveries),
	}
}

// ownApplication is GET → how the caller is registered, and how it stands at the practice.
func (a *API) ownApplication(r *http.Request, caller judged, _ *body.Form) (any, error) {
	at, err := a.Itself.At(r.Context(), caller.Tenant, caller.Application, a.Now())
	if err != nil {
		return nil, err
	}
	for i := range at.Webhooks { // a stolen token must not lead to what stands in a query
		at.Webhooks[i].URL = application.Shown(at.Webhooks[i].URL)
	}
	return ownApplication{
		caller.Application, at.Name, caller.Tenant, at.Enabled, at.Grants, at.Callbacks, at.PatientScoped, at.JWKSURL, at.Webhooks,
		authorisationCounts{at.Standing, at.Scoped},
	}, nil
}

// KeySet is what this process knows of an application's key set.
type KeySet struct {
	URL       string       `json:"url"`
	Keys      []HeldKey    `json:"keys"`      // that verify tokens now
	FetchedAt *time.Time   `json:"fetchedAt"` // nil if no set is held
	Until     *time.Time   `json:"until"`     // likewise
	LastFetch *KeySetFetch `json:"lastFetch"` // nil if there was none
}

// HeldKey is a key that verifies tokens.
type HeldKey struct {
	Kid   string    `json:"kid"`
	Since time.Time `json:"since"` // this process has held it
}

// KeySetFetch is what came of reading a key set.
type KeySetFetch struct {
	At          time.Time  `json:"at"`
	Outcome     string     `json:"outcome"`
	Description string     `json:"description"`
	Keys        []FoundKey `json:"keys"` // in the order of the set
}

// FoundKey is a key that was read.
type FoundKey struct {
	Kid    string  `json:"kid"` // "" if it has none
	Usable bool    `json:"usable"`
	Why    *string `json:"why"` // it is not usable; nil if it is
}

// keySet is GET → what this process knows of the caller's key set.
func (a *API) keySet(_ *http.Request, caller judged, _ *body.Form) (any, error) {
	return a.Itself.KeySet(caller.JWKSURL), nil
}

// rereading is what came of reading the caller's key set again.
type rereading struct {
	refusal error // why it was not read
	read    bool
}

// rereading reads the key set of a caller again unless a minute has not passed. Nothing is
// held meanwhile that other applications need. Whether the call is refused is decided
// later: it may be one that was answered before.
func (a *API) rereading(r *http.Request, caller access.Caller) (_ *body.Form, err error) {
	again := &callOf(r.Context()).reread
	if again.refusal = application.TooSoon(caller.KeySetReread, a.Now()); again.refusal == nil {
		again.read, err = a.Itself.Reread(r.Context(), caller.JWKSURL)
	}
	return &body.Form{}, err
}

// rereadKeySet is POST → what this process knows of the caller's key set, which it has just
// read again. Only if that was possible, no process uses what it read before: whoever has
// stolen a token cannot do more with it than to have a sound set read.
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

// shortList is how many keys of a list an answer has that may be remembered.
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
	return map[string]any{"jti": test.ID, "event": c.Event, "url": application.Shown(test.URL)}, nil
}
