package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/application"
)

// errUnknownField refuses a field that is not in the contract. It does not name the
// field, because refusals are recorded; [problemsOf] names it to the caller.
var errUnknownField = body.ErrInvalid.Worded("The body or the query has a field that the contract does not know.")

// addHeaders adds the headers with limits and warnings to an answer.
func (a *API) addHeaders(headers http.Header, r *http.Request, status int) {
	c := callOf(r.Context())
	if c.line.Application == (application.ID{}) {
		return // no proven caller
	}
	a.addRateLimitHeaders(headers, r.Method, c.line.Application)
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

// addRateLimitHeaders adds the application's limits and what remains of them, as structured
// fields (RFC 9651) of draft-ietf-httpapi-ratelimit-headers. They are the application's
// own budgets in this process.
func (a *API) addRateLimitHeaders(headers http.Header, method string, app application.ID) {
	var policies, limits []string
	add := func(name string, budget *admission.RateLimiter[application.ID], unit string) {
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

// fielded limits an amount to 15 digits, as a structured field requires.
func fielded(amount int) int { return min(amount, 999_999_999_999_999) }

// seconds rounds up, to at least one.
func seconds(d time.Duration) int { return int(max(time.Second, d+time.Second-1) / time.Second) }
