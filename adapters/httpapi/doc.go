// Package httpapi serves the Transactional API over HTTP (§4). It translates between
// calls and intents, and holds no rules of the practice.
//
//   - routes.go serves the endpoints' tables: it checks the caller before it answers.
//   - identity.go identifies the call, its practice and, for ping, the caller.
//   - judged.go authenticates and authorises the caller, and records the call.
//   - patient_request.go, appointment.go, care_record.go, contact.go and waiting_room.go are
//     the endpoints of one noun, and own.go those of an application about itself.
//   - public.go serves the public documents: the key set and the OpenAPI description.
//   - checkpoint.go shows the signed checkpoint of a practice's log.
//   - problem.go turns refusals into statuses and error bodies. An unknown practice is
//     answered like one that has not enabled the application (package access, D11).
//   - call.go takes a call from step to step, each with a permit of its own.
//   - limits.go has the numbers of permits and the budgets of applications.
//   - pacing.go sets the minimum pace of a body. Package body reads it.
//
// A call is checked in the order of D1: routing, then the caller, then the body. It
// holds a slot only while it does work, never while it waits.
package httpapi
