// Package webhooks tells applications what has happened, at most once (§6).
//
//		log ──→ FanOut ──→ deliveries ──→ Sender ──→ receiver
//		        in the     (ids only)     claim, commit, sign, post, record
//		        feed's                    a lane for each destination
//		        transaction
//
//	  - [FanOut] queues a delivery for each application that is to be told. It
//	    never waits for anything but the database, and what it cannot handle it
//	    parks instead of standing still.
//	  - [Sender] sends them: fairly, in order for each subject, and never twice.
//	    [Keeper] ends what has grown too old or was left behind by a crash.
//	  - payload.go is what receivers get, a contract of its own: renaming an
//	    event's field changes nothing there.
//	  - [Vault] keeps the private keys sealed, [KeySet] publishes the public ones.
//	  - [DeliveryLog] says how each delivery ended, and why.
//
// Trust: a receiver's address, its answers and its certificates are strangers'.
// At most they cost a slot for the time of one call; what is said about them is
// chosen from a closed set and never copied.
package webhooks
