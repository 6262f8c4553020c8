// Package webhooks notifies applications of events, at most once (§6).
//
//	log ──→ FanOut ──→ deliveries ──→ Sender ──→ receiver
//	        in the     (ids only)     claim, commit, name, sign, post, write
//	        feed's                    a lane for each destination
//	        transaction
//
// kinds.go is the catalogue of notices, a row for each event; limits.go holds the
// limits. The other files are in the order of a delivery's life:
//
//   - fanout.go: [FanOut] queues a delivery for each application to notify. It waits
//     only for the database. It parks an event that it cannot queue, so that the
//     others continue.
//   - sender.go: [Sender] polls the queue in rounds and sends.
//   - claim.go, lanes.go: claims deliveries whose lane has room, and some in advance
//     for a fast receiver.
//   - names.go: looks up the names of people and places.
//   - sign.go: signs the payload, once for all destinations.
//   - send.go, post.go: makes the one attempt, when the lane has a free slot. The body is
//     the signed JWT; no header carries a signature.
//   - reason.go: the reason why an attempt failed.
//   - outcomes.go: stores the outcome of the attempt. [DeliveryLog] lists the outcome
//     of each delivery, and the reason.
//   - keeper.go: [Keeper] ends deliveries that are too old or were left by a crash. Of
//     old deliveries it keeps only the event, the application and the outcome.
//
// Trust: a receiver's address, answers and certificates are untrusted. At worst they
// occupy a slot for the time of one call. Reasons about them come from a closed set and
// never copy their text.
package webhooks
