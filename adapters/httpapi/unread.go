package httpapi

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// MaxHeaderBytes is how long the first line and the headers of a request may be together.
const MaxHeaderBytes = 32 << 10

// Ambiguous is why a request is refused of which two readers could disagree where it ends
// (D50).
const Ambiguous = "two readers could disagree where it ends; send one Content-Length of digits or one Transfer-Encoding, and no header that goes on in the next line"

// The refusals of requests that could not be read, so that nobody knows whose they are.
var (
	errMalformed = fault.New(fault.Invalid, "malformed-request",
		"The request is not well-formed HTTP/1.1: its first line, a header or the framing of its body is wrong.")
	errMalformedFor    = errMalformed.Worded("The request is not well-formed HTTP/1.1: %s.")
	errExpect          = errMalformed.Worded("Send no Expect header, or Expect: 100-continue.")
	errEncoding        = errMalformed.Worded("Send the body with a Content-Length, or with Transfer-Encoding: chunked.")
	errVersion         = errMalformed.Worded("Send the request by HTTP/1.1.")
	errHeadersTooLarge = fault.New(headersTooLarge, "headers-too-large", "The first line and the headers must have at most 32 KiB together.")
)

// unread says what a status of net/http means.
var unread = map[int]*fault.Error{
	http.StatusRequestHeaderFieldsTooLarge: errHeadersTooLarge,
	http.StatusExpectationFailed:           errExpect,
	http.StatusNotImplemented:              errEncoding,
	http.StatusHTTPVersionNotSupported:     errVersion,
}

// Unread returns the answer to a request that net/http could not read: its status, its
// headers and its body. Net/http refuses it with a status of its own; why is what it says
// beyond that, or "".
func Unread(says int, why string, now time.Time) (status int, headers http.Header, text []byte) {
	refusal := cmp.Or(unread[says], errMalformed)
	if refusal == errMalformed && why != "" {
		refusal = errMalformedFor.Filled(why)
	}
	text, _ = encoded(problems{[]problem{{refusal.Code, refusal.Detail}}}, nil) // strings can always be encoded
	return statuses[refusal.Kind], http.Header{
		"Cache-Control":  {"no-store"},
		"Connection":     {"close"},
		"Content-Length": {strconv.Itoa(len(text))},
		"Content-Type":   {"application/json"},
		"Date":           {now.UTC().Format(http.TimeFormat)},
		"X-Request-Id":   {event.NewID().String()},
	}, text
}
