package feed

import (
	"errors"
	"fmt"
)

// LostError says that the log has lost its end, and that a follower has read some of what
// was lost. It never happened. The follower takes back what it made of it, or forgets
// everything and begins anew.
type LostError struct {
	At   Place // where the follower is
	From int64 // idx of the first event that never happened as it was read
	Now  Epoch // in which the log goes on
}

// Error says what never happened, and what to do.
func (e *LostError) Error() string {
	return fmt.Sprintf("what was read of epoch %d from idx %d up to %d never happened: the log lost its end there, and goes on in %s from idx %d; "+
		"take back what was made of it, or begin anew", e.At.Epoch, e.From, e.At.Idx, e.Now, e.Now.First)
}

// GoneError says that the broker does not hold what a follower needs next: it was too old.
type GoneError struct {
	Next  Place // what the follower needs
	First int64 // the oldest idx that the broker holds
}

// Error says what is gone, and what to do.
func (e *GoneError) Error() string {
	return fmt.Sprintf("the broker holds the events of epoch %d from idx %d on, and idx %d is needed: begin with an export of the log, and follow behind its end",
		e.Next.Epoch, e.First, e.Next.Idx)
}

// errHole is the loss of an event: idx is dense.
func errHole(at Place) error {
	return fmt.Errorf("idx %d of epoch %d is missing on the broker, which has later ones: its stream %s is damaged", at.Idx, at.Epoch, StreamName(at.Epoch))
}

// passing is an error that may be gone at the next try.
type passing struct{ error }

// Unwrap returns what passes.
func (e passing) Unwrap() error { return e.error }

var (
	// errAnew is no error: something has changed, so it is found out anew where to go on.
	errAnew = errors.New("go on anew")

	errMissed = passing{errors.New("a message was lost on its way from the broker")}
)
