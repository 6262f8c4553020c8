package webhooks

import "time"

// Defaults of the limits that a deployment may change.
const (
	DefaultCallInAge = 2 * time.Minute     // of a call-in event when sent
	DefaultAge       = 15 * time.Minute    // of any other event when sent
	DefaultTimeout   = 10 * time.Second    // for one delivery, from dialling to the end of the answer
	DefaultRetention = 30 * 24 * time.Hour // of outcomes
)

// The fixed limits. A webhook is sent once, so none is of attempts (D29).
const (
	answerBytes = 4 << 10 // read of an answer's body: enough to reuse the connection after a typical one

	// In flight at once, in one process. This bounds the sender's memory: the backlog
	// stays in the database.
	perDestination = 4
	overAll        = 256

	// Claimed beyond those in flight, for a receiver whose last answer was fast: within
	// a tenth of the timeout. No claim waits longer for a slot.
	ahead   = 4
	quickly = 10

	lifetime   = 60 * time.Second // of a token
	sharedFor  = 5 * time.Second  // destinations of an event share its token for this long
	tokensKept = 1024             // in memory; beyond this, some events are signed again

	lookLimit    = 10 * time.Second // for one look at the database
	leastUnknown = 20 * time.Second // before an unfinished delivery counts as lost
)

// Ages are the maximum ages of events when they are sent (D30). Older events are not
// sent: a receiver would take them for current.
type Ages struct {
	CallIn time.Duration // call-in events
	Other  time.Duration // all other events
}

func (a Ages) callIn() time.Duration { return a.CallIn }

func (a Ages) other() time.Duration { return a.Other }
