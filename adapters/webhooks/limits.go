package webhooks

import "time"

// The limits that a deployment may change, as they are if it does not.
const (
	DefaultCallInAge = 2 * time.Minute     // of a call-in event when it is sent
	DefaultAge       = 15 * time.Minute    // of any other event when it is sent
	DefaultTimeout   = 10 * time.Second    // for one delivery, from dialling to the end of the answer
	DefaultRetention = 30 * 24 * time.Hour // of how a delivery ended
)

// The limits that hold everywhere.
const (
	answerBytes = 4 << 10 // read of an answer's body: enough to use the connection again after a usual one

	// In flight at once, in one process. This bounds the sender's memory: what
	// waits, waits in the database.
	perDestination = 4
	overAll        = 256

	// Claimed beyond those in flight, for a receiver whose last answer came quickly:
	// in a tenth of the time that a delivery may take. None waits longer for a slot.
	ahead   = 4
	quickly = 10

	lifetime   = 60 * time.Second // of a token
	sharedFor  = 5 * time.Second  // after an event was signed, its destinations share the token
	tokensKept = 1024             // in memory; beyond it, some events are signed again

	lookLimit    = 10 * time.Second // for one look at the database
	leastUnknown = 20 * time.Second // before a delivery that nobody has ended is taken for lost
)

// Ages are how old events may be when they are sent (D30). An older one is not
// told any more: it would be taken for news.
type Ages struct {
	CallIn time.Duration // call-in events
	Other  time.Duration // all other events
}

func (a Ages) callIn() time.Duration { return a.CallIn }

func (a Ages) other() time.Duration { return a.Other }
