package audit

import "frontdesk/domain/event"

// LogSealed says that nothing personal is left in clear in the log: what was written so
// has been moved into boxes. It belongs to no practice.
type LogSealed struct {
	UpTo   int64 `json:"upTo"`   // the head of the log then
	Events int64 `json:"events"` // how many were changed
}

// EventName returns the name that the event is stored under.
func (LogSealed) EventName() string { return "log.sealed.v1" }

// SealingOf returns the stream that the event is in, as the only one.
func SealingOf() event.Stream { return event.Stream{ID: event.DerivedID("sealing")} }
