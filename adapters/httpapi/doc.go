// Package httpapi is the Transactional API over HTTP (§4): a thin translation
// between requests and commands.
//
// routes.go is the whole API on one screen; one file per resource says how it
// is read and answered; problem.go is the one place that turns refusals into
// statuses. The order in which a call is judged is D1's: routing, then the
// caller, and only then the body.
//
// A body has to arrive at the pace of pacing.go and is read by package body,
// which bounds it. limits.go bounds the calls themselves.
package httpapi
