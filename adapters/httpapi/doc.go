// Package httpapi is the Transactional API over HTTP (§4): a thin translation
// between requests and commands.
//
// routes.go is the whole API on one screen; one file per resource says how it
// is read and answered; problem.go is the one place that turns refusals into
// statuses. The order in which a call is judged is D1's: routing, then the
// caller, and only then the body.
package httpapi
