package domain

import (
	"slices"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Events are all events of the program: what its codec knows.
func Events() []event.Event {
	return slices.Concat(
		application.Events(),
		authorisation.Events(),
		patient.Events(),
		practice.Events(),
		request.Events(),
		staff.Events(),
	)
}
