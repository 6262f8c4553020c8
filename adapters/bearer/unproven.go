package bearer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// The limits of [Unproven].
const (
	unprovenKept   = 500  // of each registered application
	strangersKept  = 2000 // of all unknown issuers together
	unprovenAge    = 24 * time.Hour
	unprovenSweeps = time.Hour // interval of sweeps
	longestTenant  = 63        // a practice is a label of a host name
)

// Unproven stores calls that were refused before their signature was verified, for the
// application that their tokens name (D95, D3). Anyone can make such calls. So it keeps
// only that name out of the token, with the time of the call, its practice, endpoint
// and request id, and the check that refused it. An application sees its own once it is
// proven.
//
// Calls that name one application never displace those of another. Names that this
// process has not seen to be registered share one small ring; a name gets its own ring
// when it is seen. So no query is needed, and invented names take limited memory.
//
// A nil Unproven stores nothing.
type Unproven struct {
	now       func() time.Time
	requestID func(context.Context) string

	mu        sync.RWMutex // guards the fields below
	known     map[application.ID]*ring
	strangers strangers
	swept     time.Time
}

// NewUnproven returns an empty store. requestID returns the id of the call that a
// context belongs to.
func NewUnproven(now func() time.Time, requestID func(context.Context) string) *Unproven {
	return &Unproven{now: now, requestID: requestID, known: map[application.ID]*ring{}, swept: now()}
}

// sighting is a refused call, in 40 bytes: there may be very many.
type sighting struct {
	id       uuid.UUID
	at       int64 // in milliseconds, Unix time
	tenant   unique.Handle[string]
	endpoint uint8 // its index in the catalogue
	saying   uint8 // its index in sayings
}

// attempt is a call before it is checked.
type attempt struct {
	authorisation []string
	tenant        string
	endpoint      access.Endpoint
}

// refused stores a refusal of an attempt, as far as its token was read, and returns it.
// Registered: the application that it names is registered.
func (u *Unproven) refused(ctx context.Context, a attempt, token Token, registered bool, err error) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if u == nil || !ok || errors.Is(err, errUnknownApplication) || len(a.tenant) > longestTenant {
		return err
	}
	issuer, readable := token.claimedIssuer(a.authorisation)
	id, unread := uuid.Parse(u.requestID(ctx))
	endpoint := slices.IndexFunc(access.Endpoints(), func(e access.Endpoint) bool { return e.Name == a.endpoint.Name })
	if !readable || unread != nil || endpoint < 0 {
		return err
	}
	u.note(issuer, registered, sighting{
		id: id, at: u.now().UnixMilli(), tenant: unique.Make(strings.Clone(a.tenant)), endpoint: uint8(endpoint), saying: sayingOf(refusal),
	})
	return err
}

func (u *Unproven) note(issuer application.ID, registered bool, s sighting) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweep()
	if registered {
		u.adopt(issuer)
	}
	if its := u.known[issuer]; its != nil {
		its.add(s)
		return
	}
	u.strangers.add(issuer, s)
}

// proven records that an application is registered: it has made a call.
func (u *Unproven) proven(app application.ID) {
	if u == nil {
		return
	}
	u.mu.RLock()
	its := u.known[app]
	u.mu.RUnlock()
	if its != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.adopt(app)
}

// adopt gives an application a ring of its own, with its earlier sightings.
func (u *Unproven) adopt(app application.ID) {
	if u.known[app] == nil {
		u.known[app] = u.strangers.take(app)
	}
}

// sweep removes old sightings, once in a while.
func (u *Unproven) sweep() {
	now := u.now()
	if now.Sub(u.swept) < unprovenSweeps {
		return
	}
	u.swept = now
	for _, its := range u.known {
		its.forget(now.Add(-unprovenAge).UnixMilli())
	}
	u.strangers.forget(now.Add(-unprovenAge).UnixMilli())
}

// Of returns the refused calls to a practice whose tokens named an application, latest
// request ids first. They are for that application only, once it is proven.
func (u *Unproven) Of(app application.ID, tenant string) (calls []access.OwnCall) {
	if u == nil {
		return nil
	}
	u.proven(app)
	u.mu.RLock()
	defer u.mu.RUnlock()
	oldest, at := u.now().Add(-unprovenAge).UnixMilli(), unique.Make(tenant)
	for _, s := range u.known[app].all() {
		if s.tenant == at && s.at >= oldest {
			calls = append(calls, s.call())
		}
	}
	slices.SortFunc(calls, func(a, b access.OwnCall) int { return slices.Compare(b.RequestID[:], a.RequestID[:]) })
	return calls
}

func (s sighting) call() access.OwnCall {
	said := sayings[s.saying]
	return access.OwnCall{
		RequestID: s.id, At: time.UnixMilli(s.at).UTC(), Endpoint: access.Endpoints()[s.endpoint].Name,
		Status: http.StatusForbidden, Code: access.ErrUnknownApplication.Code, Reason: said.sentence, Rule: access.Rule(said.reason), Unproven: true,
	}
}
