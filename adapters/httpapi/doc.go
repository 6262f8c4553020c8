// Package httpapi serves the Transactional API over HTTP (§4). It translates
// between calls and intents, and decides nothing about the practice.
//
//   - routes.go serves the endpoints' tables: who calls is judged before anything is answered.
//   - identity.go says which call it is, which practice it is for and, to ping, who
//     is calling.
//   - judged.go proves and judges the caller, and records the call.
//   - patient_request.go, availability.go, appointment.go and care_record.go say how
//     the endpoints of one noun are called, read and answered.
//   - public.go and description.go serve what anybody may read: the key set and the
//     OpenAPI description.
//   - problem.go turns refusals into statuses and error bodies.
//   - call.go takes a call from station to station, each with a seat of its own.
//   - limits.go says how many seats there are, and what an application may spend.
//   - pacing.go bounds how slowly a body may arrive. Package body reads it.
//
// A call is judged in the order of D1: routing first, then the caller, and the
// body last. It holds a slot only while something is done for it, never while
// somebody is waited for.
package httpapi
