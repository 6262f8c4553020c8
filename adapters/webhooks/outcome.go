package webhooks

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/signingkey"
)

// Status is where a delivery is, or how it has ended.
type Status string

// The statuses. Only the first two lead to another.
const (
	Pending   Status = "pending"   // queued
	Sending   Status = "sending"   // claimed: bytes may be on their way
	Delivered Status = "delivered" // the receiver answered with a 2xx
	Failed    Status = "failed"    // it did not; the reason says more
	Expired   Status = "expired"   // it had grown too old, and was not sent (D30)
	Withdrawn Status = "withdrawn" // no longer wanted, and was not sent (D28)
	Unknown   Status = "unknown"   // whoever sent it crashed (D29)
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{Pending, Sending, Delivered, Failed, Expired, Withdrawn, Unknown}
}

// outcome is how one attempt has ended, to be written down by whoever made it.
type outcome struct {
	event, application, attempt uuid.UUID
	destination                 uuid.UUID

	status Status // Pending: nothing was sent, and it may be claimed again
	reason Reason
	http   int // the answer's status; 0 without one
	kid    signingkey.KID
	at     time.Time

	connect, answer time.Duration // since the attempt began; 0 if it did not come so far
}
