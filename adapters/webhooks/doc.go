// Package webhooks tells applications what has happened, at most once (§6).
//
//	log ──→ FanOut ──→ deliveries ──→ Sender ──→ receiver
//	        in the     (ids only)     claim, commit, name, sign, post, write
//	        feed's                    a lane for each destination
//	        transaction
//
// kinds.go is the catalogue of what is told, a row for each event; limits.go
// holds the limits. The other files follow the life of a delivery:
//
//   - fanout.go: [FanOut] queues a delivery for each application that is to be
//     told. It waits only for the database. It parks what it cannot queue, so that
//     the others go on.
//   - sender.go: [Sender] sends what is queued, looking for it round by round.
//   - claim.go, lanes.go: it claims what may be sent, if the lane of its
//     destination has room, and some ahead for a receiver that is quick.
//   - names.go: it looks up the names of people and places.
//   - sign.go: it signs the payload, once for all destinations.
//   - send.go, post.go: it makes the one attempt, when the lane has a free slot.
//   - reason.go: it names the reason why the attempt failed.
//   - outcomes.go: it writes down how the attempt ended. [DeliveryLog] shows how
//     each delivery ended, and why.
//   - keeper.go: [Keeper] ends what is too old or was left behind by a crash. Of what
//     ended long ago it keeps who was told of what.
//
// Trust: a receiver's address, its answers and its certificates are strangers'.
// At most they cost a slot for the time of one call. What is said about them is
// chosen from a closed set and never copied from them.
package webhooks
