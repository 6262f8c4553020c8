package feed

import (
	"errors"
	"fmt"
)

// LostError reports that the log has lost its end, and that a follower has read some of the
// lost events. They never happened. The follower reverts their effects, or deletes its data
// and starts again.
type LostError struct {
	At   Place // of the follower
	From int64 // idx of the first lost event
	Now  Epoch // in which the log continues
}

// Error names the lost events, and the remedy.
func (e *LostError) Error() string {
	return fmt.Sprintf("the events read of epoch %d from idx %d up to %d never happened: the log lost its end there, and continues in %s from idx %d; "+
		"revert their effects, or start again", e.At.Epoch, e.From, e.At.Idx, e.Now, e.Now.First)
}

// GoneError reports that the broker does not hold the next event of a follower. It was too
// old, or the stream is damaged.
type GoneError struct {
	Next Place // of the event that the follower needs
	Has  int64 // the next idx that the broker has for it
}

// Error names the missing events, and the remedy.
func (e *GoneError) Error() string {
	return fmt.Sprintf("idx %d of epoch %d is needed, and the broker continues with %d: it no longer holds the events between them. "+
		"Begin with an export of the log, and follow behind its end", e.Next.Idx, e.Next.Epoch, e.Has)
}

// passing is an error that a retry may overcome.
type passing struct{ error }

// Unwrap returns the cause.
func (e passing) Unwrap() error { return e.error }

var (
	// errRestart is no error: something has changed, so the follower finds its next event again.
	errRestart = errors.New("start again")

	errMissed = passing{errors.New("a message was lost on its way from the broker")}
)
