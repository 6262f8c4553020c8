package httpapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/domain/application"
)

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
