package httpapi

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpx"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// identity holds the ids of one call: ours and, if the caller sent one that is
// well formed, the caller's.
type identity struct{ request, correlation string }

var correlationForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// noPage is the Content-Security-Policy of all answers: a browser shows and loads nothing.
const noPage = "default-src 'none'; frame-ancestors 'none'"

// identified gives every call an id of our own, in its context and its answer. It sets the
// headers that all answers have.
func (a *API) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := identity{request: event.NewID().String()}
		if theirs := r.Header.Get("X-Request-Id"); correlationForm.MatchString(theirs) {
			id.correlation = theirs
		}
		w.Header().Set("X-Request-Id", id.request)
		w.Header().Set("X-Content-Type-Options", "nosniff") // no answer is a page, so no browser may make one of it
		w.Header().Set("Content-Security-Policy", noPage)
		if a.StrictTransport != "" {
			w.Header().Set("Strict-Transport-Security", a.StrictTransport)
		}
		c := &call{identity: id, begun: a.Now(), holder: httpx.ClientAddress(r, a.TrustedProxies)}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	})
}

// RequestID returns the id of the call that ctx belongs to; "" outside a call. The
// lines of the log carry it.
func RequestID(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.request
	}
	return ""
}

// isTenantHost matches the hosts that the API is served on.
func (a *API) isTenantHost(r *http.Request, _ *mux.RouteMatch) bool {
	_, ok := a.tenantOf(r.Host)
	return ok
}

// nothingThere refuses a call without a route. It names the hosts, but not the
// practices (D11).
func (a *API) nothingThere(_ http.ResponseWriter, r *http.Request) error {
	if _, ok := a.tenantOf(r.Host); !ok {
		return errNoHost.Filled(a.Domain)
	}
	return errNotFound
}

// tenantOf returns the tenant that a Host header addresses (D36); false if it addresses
// none. The tenant may not exist.
func (a *API) tenantOf(host string) (string, bool) {
	name := strings.ToLower(withoutPort(host))
	if a.DefaultTenant != "" && (name == a.Domain || isBare(name)) {
		return a.DefaultTenant, true
	}
	tenant, ok := strings.CutSuffix(name, "."+a.Domain)
	return tenant, ok && tenant != "" && !strings.Contains(tenant, ".")
}

// isBare reports whether a host is a machine rather than a practice.
func isBare(host string) bool {
	return application.IsLoopback(strings.Trim(host, "[]"))
}

// withoutPort keeps a bracketed IPv6 address whole.
func withoutPort(host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		return host[:colon]
	}
	return host
}

// pong is the caller as the service sees it.
type pong struct {
	TenantID        string           `json:"tenantId"`
	ApplicationID   application.ID   `json:"applicationId"`
	Mode            application.Mode `json:"mode"`
	Username        *string          `json:"username"`
	AuthorisedUntil *Instant         `json:"authorisedUntil"`
}

func (a *API) identities() table {
	return table{
		access.Ping: {http.MethodGet: a.handle(query(nil), plainly(a.ping)), http.MethodPost: a.handle(query(nil), plainly(a.ping))},
	}
}

// ping returns the caller's identity and rights (D16). It reads no input.
func (a *API) ping(_ *http.Request, caller judged, _ *body.Form) (any, error) {
	body := pong{TenantID: caller.Tenant, ApplicationID: caller.Application, Mode: caller.Mode}
	if caller.Mode == application.UserRestricted {
		body.Username, body.AuthorisedUntil = &caller.Username, new(Instant(caller.AuthorisedUntil))
	}
	return body, nil
}
