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

// How much [Unproven] keeps, and for how long.
const (
	unprovenKept   = 500  // of each application that this process knows to be registered
	strangersKept  = 2000 // of all issuers together that it does not know
	unprovenAge    = 24 * time.Hour
	unprovenSweeps = time.Hour // between two looks for what is too old
	longestTenant  = 63        // a practice is named by a label of a host
)

// Unproven remembers calls that were refused before a signature held, for the application
// that their tokens name (D95, D3). Anybody may have made them. So it keeps nothing out of
// the token but that name: when the call came, to which practice and endpoint, its request
// id, and which check refused. An application is shown its own, once it is proven.
//
// What names one application crowds out nothing of another's. A name that this process has
// not seen to be registered shares one small ring with all such names, and moves to its own
// when it has: so no query is needed, and what strangers make up is bounded.
//
// A nil Unproven remembers nothing.
type Unproven struct {
	now       func() time.Time
	requestID func(context.Context) string

	mu        sync.RWMutex // guards the fields below
	known     map[application.ID]*ring
	strangers strangers
	swept     time.Time
}

// NewUnproven returns an empty memory. It asks requestID for the id of the call that a
// context belongs to.
func NewUnproven(now func() time.Time, requestID func(context.Context) string) *Unproven {
	return &Unproven{now: now, requestID: requestID, known: map[application.ID]*ring{}, swept: now()}
}

// sighting is a refused call, in 40 bytes: there may be very many.
type sighting struct {
	id       uuid.UUID
	at       int64 // in milliseconds, Unix time
	tenant   unique.Handle[string]
	endpoint uint8 // its place in the catalogue
	saying   uint8 // its place in sayings
}

// attempt is what a call is before it is judged.
type attempt struct {
	authorisation []string
	tenant        string
	endpoint      access.Endpoint
}

// refused notes a refusal of an attempt, as far as its token was read, and returns it.
// Registered says that the application that it names is.
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

// proven notes that an application is registered: it has made a call.
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

// adopt gives an application a ring of its own, with what was noted of it before.
func (u *Unproven) adopt(app application.ID) {
	if u.known[app] == nil {
		u.known[app] = u.strangers.take(app)
	}
}

// sweep forgets what is too old, now and then.
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
// request ids first. Show them to nobody but that application, proven.
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
