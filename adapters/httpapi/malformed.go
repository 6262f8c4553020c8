package httpapi

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// MaxHeaderBytes limits the request line and the headers together.
const MaxHeaderBytes = 32 << 10

// Ambiguous is the reason for refusing a request whose end two readers could place
// differently (D50).
const Ambiguous = "two readers could disagree where it ends; send one Content-Length of digits or one Transfer-Encoding, and no header that goes on in the next line"

// The refusals of unreadable requests, whose practice is unknown.
var (
	errMalformed = fault.New(fault.Invalid, "malformed-request",
		"The request is not well-formed HTTP/1.1: its first line, a header or the framing of its body is wrong.")
	errMalformedFor    = errMalformed.Worded("The request is not well-formed HTTP/1.1: %s.")
	errExpect          = errMalformed.Worded("Send no Expect header, or Expect: 100-continue.")
	errEncoding        = errMalformed.Worded("Send the body with a Content-Length, or with Transfer-Encoding: chunked.")
	errVersion         = errMalformed.Worded("Send the request by HTTP/1.1.")
	errHeadersTooLarge = fault.New(headersTooLarge, "headers-too-large", "The first line and the headers must have at most 32 KiB together.")
)

// unread maps statuses of net/http to refusals.
var unread = map[int]*fault.Error{
	http.StatusRequestHeaderFieldsTooLarge: errHeadersTooLarge,
	http.StatusExpectationFailed:           errExpect,
	http.StatusNotImplemented:              errEncoding,
	http.StatusHTTPVersionNotSupported:     errVersion,
}

// Unread returns the answer to a request that net/http could not read: its status, its
// headers and its body. Chosen is the status of net/http; why is its further
// explanation, or "".
func Unread(chosen int, why string, now time.Time) (status int, headers http.Header, text []byte) {
	refusal := cmp.Or(unread[chosen], errMalformed)
	if refusal == errMalformed && why != "" {
		refusal = errMalformedFor.Filled(why)
	}
	text, _ = encoded(problems{[]problem{{refusal.Code, refusal.Detail}}}, nil) // strings can always be encoded
	return statuses[refusal.Kind], http.Header{
		"Cache-Control":           {"no-store"},
		"Connection":              {"close"},
		"Content-Length":          {strconv.Itoa(len(text))},
		"Content-Security-Policy": {noPage},
		"Content-Type":            {"application/json"},
		"Date":                    {now.UTC().Format(http.TimeFormat)},
		"X-Content-Type-Options":  {"nosniff"},
		ruleHeader:                {refusal.Code},
		"X-Request-Id":            {event.NewID().String()},
	}, text
}
