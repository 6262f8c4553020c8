package practice

import (
	"time"

	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// RequestTypeSwitchedOff says that the practice takes no requests of a type.
type RequestTypeSwitchedOff struct {
	RequestType request.Type `json:"requestType"`
}

// RequestTypeSwitchedOn says that it takes them again.
type RequestTypeSwitchedOn struct {
	RequestType request.Type `json:"requestType"`
}

// RequestTypePaused says that it takes none for a while: until Until,
// exclusive, or until they are resumed, if that is zero.
type RequestTypePaused struct {
	RequestType request.Type `json:"requestType"`
	Until       time.Time    `json:"until,omitzero"`
}

// RequestTypeResumed says that a pause was ended.
type RequestTypeResumed struct {
	RequestType request.Type `json:"requestType"`
}

// OpeningHoursSet says when it takes requests of a type; at all hours, if
// there are none.
type OpeningHoursSet struct {
	RequestType request.Type `json:"requestType"`
	Hours       hours.Week   `json:"hours,omitempty"`
}

// EventName implements [event.Event].
func (RequestTypeSwitchedOff) EventName() string { return "practice.request-type-switched-off.v1" }

// EventName implements [event.Event].
func (RequestTypeSwitchedOn) EventName() string { return "practice.request-type-switched-on.v1" }

// EventName implements [event.Event].
func (RequestTypePaused) EventName() string { return "practice.request-type-paused.v1" }

// EventName implements [event.Event].
func (RequestTypeResumed) EventName() string { return "practice.request-type-resumed.v1" }

// EventName implements [event.Event].
func (OpeningHoursSet) EventName() string { return "practice.opening-hours-set.v1" }
