// Package httpapi serves the Transactional API over HTTP (§4). It translates
// between calls and intents, and decides nothing about the practice.
//
//   - routes.go shows the whole API on one screen.
//   - judged.go proves and judges the caller, and records the call.
//   - patient_request.go, appointment.go, care_record.go and public.go say how the
//     endpoints of one noun are read and answered.
//   - problem.go turns refusals into statuses and error bodies.
//   - limits.go bounds the calls in flight and the calls of one application.
//   - pacing.go bounds how slowly a body may arrive. Package body reads it.
//
// A call is judged in the order of D1: routing first, then the caller, and the
// body last.
package httpapi
