// Package httpapi is the Transactional API over HTTP (§4): a thin translation
// between requests and commands.
//
// routes.go is the whole API on one screen; one file per resource says how it
// is read and answered; problem.go is the one place that turns refusals into
// statuses. The order in which a call is judged is D1's: routing, then the
// caller, and only then the body.
//
// The body of a patient request may have 100 MiB, of which nobody holds more
// than a little:
//
//	connection ─→ arrival ─→ raw ─→ diverter ─→ inline ─→ ReadJSON ─→ request.Parse
//	              its pace   size,     │        4 MiB      strict,     a Content for
//	                         hash      ▼        at most    one tree    each file
//	                                 upload ─→ Uploads
//	                                 base64, SHA-256, 256 KiB at a time
package httpapi
