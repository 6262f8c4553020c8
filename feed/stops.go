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

// GoneError says that the broker does not hold what a follower needs next. It was too old,
// or the stream is damaged.
type GoneError struct {
	Next Place // what the follower needs
	Has  int64 // the next idx that the broker has for it
}

// Error says what is gone, and what to do.
func (e *GoneError) Error() string {
	return fmt.Sprintf("idx %d of epoch %d is needed, and the broker goes on with %d: what lies between is not there any more. "+
		"Begin with an export of the log, and follow behind its end", e.Next.Idx, e.Next.Epoch, e.Has)
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
