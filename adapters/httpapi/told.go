package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/application"
)

// errUnknownField refuses a field that the contract does not know. It does not name the
// field, because refusals are recorded; [problemsOf] names it to the caller.
var errUnknownField = body.ErrInvalid.Worded("The body or the query has a field that the contract does not know.")

// tell adds to the headers of an answer what the caller should know beside it.
func (a *API) tell(headers http.Header, r *http.Request, status int) {
	c := callOf(r.Context())
	if c.line.Application == (application.ID{}) {
		return // nobody is proven
	}
	a.tellLimits(headers, r.Method, c.line.Application)
	if status != http.StatusOK {
		return
	}
	if c.again {
		headers.Set(againHeader, "true")
	}
	if !c.unknown.None() {
		headers.Set("Warning-Unknown-Fields", c.unknown.Header())
		a.Metrics.warned(c.line.Endpoint.Name)
	}
}

// tellLimits says what the application may do, and what it may still do now, as structured
// fields (RFC 9651) of draft-ietf-httpapi-ratelimit-headers. An application is told of its
// own budgets in this process.
func (a *API) tellLimits(headers http.Header, method string, app application.ID) {
	var policies, limits []string
	add := func(name string, budget *fair.Budget[application.ID], unit string) {
		if budget == nil {
			return
		}
		most, window := budget.Policy()
		left, whole := budget.Left(app)
		policies = append(policies, fmt.Sprintf("%q;q=%d;w=%d%s", name, fielded(most), seconds(window), unit))
		limits = append(limits, fmt.Sprintf("%q;r=%d;t=%d", name, fielded(left), seconds(whole)))
	}
	add("calls", a.Calls, "")
	if method == http.MethodPost {
		add("bytes", a.Bytes, `;qu="content-bytes"`)
	}
	if len(policies) > 0 {
		headers.Set("RateLimit-Policy", strings.Join(policies, ", "))
		headers.Set("RateLimit", strings.Join(limits, ", "))
	}
}

// fielded returns an amount as a structured field may have it: with 15 digits at most.
func fielded(amount int) int { return min(amount, 999_999_999_999_999) }

// seconds rounds up, and returns no less than one.
func seconds(d time.Duration) int { return int(max(time.Second, d+time.Second-1) / time.Second) }
