package conformance

import "net/http"

// deed is the treatment of a call.
type deed struct {
	status     int // other than 200: the call is refused or put off
	code       string
	retryAfter int           // seconds; 0 for none
	cut        bool          // the connection ends without an answer
	makes      bool          // the request is made
	answer     func(members) // adds to the answer; may be nil
}

var (
	serves       = deed{status: http.StatusOK, makes: true}
	isBusy       = deed{status: http.StatusServiceUnavailable, code: "unavailable", retryAfter: 1}
	isDown       = deed{status: http.StatusServiceUnavailable, code: "unavailable"}
	limits       = deed{status: http.StatusTooManyRequests, code: "rate-limited", retryAfter: 1}
	forbids      = deed{status: http.StatusForbidden, code: "unauthorized"}
	refuses      = deed{status: http.StatusBadRequest, code: "request-type-disabled"}
	cutsOff      = deed{cut: true}
	losesAnswer  = deed{cut: true, makes: true}
	isNewer      = deed{status: http.StatusOK, makes: true, answer: func(a members) { a["submittedBy"] = members{"channel": "api"} }}
	refusesNewly = deed{status: http.StatusBadRequest, code: "a-code-of-tomorrow"}
)

// always does the same to every call.
func always(d deed) func(int) deed { return func(int) deed { return d } }

// once does something to the first call, and serves the others.
func once(d deed) func(int) deed {
	return func(nth int) deed {
		if nth == 0 {
			return d
		}
		return serves
	}
}
