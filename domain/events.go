package domain

import (
	"slices"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/consultation"
	"frontdesk/domain/display"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Events returns an empty event of each type of the program, for its codec.
func Events() []event.Event {
	return slices.Concat(
		application.Events(),
		appointment.Events(),
		audit.Events(),
		authorisation.Events(),
		consultation.Events(),
		display.Events(),
		epoch.Events(),
		patient.Events(),
		practice.Events(),
		practitioner.Events(),
		record.Events(),
		request.Events(),
		signingkey.Events(),
		site.Events(),
		staff.Events(),
	)
}
