package app_test

import (
	"testing"

	pages "frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/appointment"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// notOnLivePages are events about patients that change nothing on a page that is kept up to
// date: the inbox, the day and the board show requests and appointments.
var notOnLivePages = []event.Event{
	audit.Queried{}, authorisation.Granted{}, authorisation.Revoked{}, consultation.Started{},
	patient.ContactDetailsSet{}, patient.DetailsChanged{}, patient.Erased{}, patient.ErasureHeld{}, patient.ErasureHoldLifted{}, patient.ErasureRequested{},
	patient.ErasureWithdrawn{}, patient.RecordRestricted{}, patient.Registered{}, patient.RestrictionLifted{},
	record.CareRecordOpened{}, record.GlassBroken{}, record.NoteCreated{}, record.NoteEnteredInError{},
	request.AttachmentOpened{}, // reading a file changes nothing
	request.Answered{},         // it comes with request.Completed
}

// withoutWebhook are events about patients for which the contract has no webhook (§6.1).
var withoutWebhook = []event.Event{
	appointment.ArrivalCleared{}, appointment.Arrived{}, appointment.Attended{}, appointment.Booked{}, appointment.Cancelled{},
	appointment.DidNotAttend{}, appointment.DidNotAttendCleared{}, appointment.Moved{}, appointment.Planned{}, audit.Queried{}, authorisation.Granted{}, authorisation.Revoked{},
	patient.ContactDetailsSet{}, patient.DetailsChanged{}, patient.Erased{}, patient.ErasureHeld{}, patient.ErasureHoldLifted{}, patient.ErasureRequested{},
	patient.ErasureWithdrawn{}, patient.RecordRestricted{}, patient.Registered{}, patient.RestrictionLifted{},
	record.GlassBroken{}, record.NoteCreated{}, record.NoteEnteredInError{},
	request.AttachmentOpened{}, request.Completed{}, request.EnteredInError{}, request.Given{}, request.GivenToTeam{}, request.Noted{}, request.Opened{}, request.PutOff{},
	request.ReLinked{}, request.Reopened{}, request.Submitted{}, request.Taken{}, request.UrgencyChanged{},
}

// An event of the catalogue is in each table of notifications, or is left out by name.
func TestEveryPatientEventIsNotified(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		file     string
		has, not []event.Event
	}{
		{"adapters/staffweb/live/topic.go", pages.Follows(), notOnLivePages},
		{"adapters/webhooks/kinds.go", (webhooks.FanOut{}).Follows(), withoutWebhook},
	} {
		has, not := named(table.has), named(table.not)
		for _, e := range catalogue.Events(func(catalogue.Row) bool { return true }) {
			name := e.EventName()
			if has[name] == not[name] {
				t.Errorf("%s: in the table %t, left out %t: add a row to %s, or %T{} to those left out", name, has[name], not[name], table.file, e)
			}
			delete(not, name)
		}
		for name := range not {
			t.Errorf("%s is left out of %s, and is no event about a patient", name, table.file)
		}
	}
}

func named(events []event.Event) map[string]bool {
	names := map[string]bool{}
	for _, e := range events {
		names[e.EventName()] = true
	}
	return names
}
