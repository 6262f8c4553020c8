package practice

import "frontdesk/domain/event"

// Events are the events of this package, for the codec.
func Events() []event.Event {
	return []event.Event{
		Registered{}, ApplicationEnabled{}, ApplicationDisabled{},
		RequestTypeSwitchedOff{}, RequestTypeSwitchedOn{}, RequestTypePaused{}, RequestTypeResumed{}, OpeningHoursSet{},
		Closed{}, Reopened{},
	}
}
