package httpapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// caller is who is calling the endpoint, and for which tenant.
func (a *API) caller(r *http.Request, endpoint application.Endpoint) (commands.Caller, error) {
	tenant, _ := a.tenantOf(r.Host)
	caller, err := a.Authenticate(r.Context(), r.Header.Values("Authorization"), tenant, endpoint)
	a.Metrics.judged(endpoint, err)
	callOf(r.Context()).judgement.caller = caller
	return caller, err
}

// asCaller makes the caller the actor of every event that the call causes.
func asCaller(r *http.Request, caller commands.Caller) *http.Request {
	id := identityOf(r.Context())
	return r.WithContext(event.WithMetadata(r.Context(), event.Metadata{
		Actor: caller.Actor(), RequestID: id.request, Correlation: id.correlation,
	}))
}

// isTenantHost matches the hosts that the API is served on (D11, D36).
func (a *API) isTenantHost(r *http.Request, _ *mux.RouteMatch) bool {
	_, ok := a.tenantOf(r.Host)
	return ok
}

// tenantOf is the tenant that a Host header addresses. Whether there is such a
// tenant is not said here (D11).
func (a *API) tenantOf(host string) (string, bool) {
	name := strings.ToLower(withoutPort(host))
	if a.DefaultTenant != "" && (name == a.Domain || isBare(name)) {
		return a.DefaultTenant, true
	}
	tenant, ok := strings.CutSuffix(name, "."+a.Domain)
	return tenant, ok && tenant != "" && !strings.Contains(tenant, ".")
}

// isBare reports whether a host names a machine rather than a practice.
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
