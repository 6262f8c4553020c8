package catalogue

import (
	"frontdesk/domain/appointment"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// Row describes one type of event about a patient.
type Row struct {
	Event     event.Event // an empty event of the type
	Operation Operation
	Timeline  Kind   // of the entry in the patient's timeline; "" for none
	Words     string // follow the name of the actor, such as "wrote a note"
}

// rows is the catalogue.
var rows = []Row{
	{appointment.ArrivalCleared{}, Update, "", "undid that the patient has arrived"},
	{appointment.Arrived{}, Update, "", "marked the patient as arrived"},
	{appointment.Attended{}, Update, "", "began the appointment"},
	{appointment.Booked{}, Create, "", "booked an appointment"},
	{appointment.CallInRemoved{}, Update, "", "ended the call-in"},
	{appointment.CalledIn{}, Update, "", "called the patient in"},
	{appointment.Cancelled{}, Update, "", "cancelled an appointment"},
	{appointment.DidNotAttend{}, Update, "", "marked the patient as not attending"},
	{appointment.DidNotAttendCleared{}, Update, "", "undid that the patient did not attend"},
	{appointment.Moved{}, Update, "", "moved an appointment"},
	{appointment.Planned{}, Update, "", "changed the clinician, length or kind of an appointment"},
	{audit.Queried{}, Read, "", "read or downloaded the patient’s data"},
	{authorisation.Granted{}, Create, "", "let an application act for them with this patient"},
	{authorisation.Revoked{}, Update, "", "stopped an application from acting for them with this patient"},
	{consultation.Started{}, Create, KindConsultation, "started a consultation"},
	{patient.ContactDetailsSet{}, Update, "", "changed how the patient can be reached"},
	{patient.DetailsChanged{}, Update, "", "changed the patient’s details"},
	{patient.Erased{}, Delete, "", "erased the patient’s data"},
	{patient.ErasureHeld{}, Update, "", "had the patient’s data kept from being erased"},
	{patient.ErasureHoldLifted{}, Update, "", "ended a hold on the patient’s data"},
	{patient.ErasureRequested{}, Update, "", "asked for the patient’s data to be erased"},
	{patient.ErasureWithdrawn{}, Update, "", "withdrew the request to erase the patient’s data"},
	{patient.RecordRestricted{}, Update, "", "restricted the record to named staff"},
	{patient.Registered{}, Create, "", "registered the patient"},
	{patient.RestrictionLifted{}, Update, "", "opened the record to all staff again"},
	{record.CareRecordOpened{}, Read, KindRecordOpened, "opened the record"},
	{record.GlassBroken{}, Execute, KindGlassBroken, "opened the restricted record for half an hour, and gave a reason"},
	{record.NoteCreated{}, Create, KindNote, "wrote a note"},
	{record.NoteEnteredInError{}, Nullify, KindEnteredInError, "marked a note as entered in error"},
	{request.Answered{}, Update, "", "answered the patient"},
	{request.AttachmentOpened{}, Read, KindRequestOpened, "opened a file that was sent with a patient request"},
	{request.Completed{}, Update, KindRequestCompleted, "completed a patient request"},
	{request.EnteredInError{}, Nullify, KindEnteredInError, "marked a patient request as entered in error"},
	{request.Given{}, Update, "", "gave a patient request to a colleague"},
	{request.GivenToTeam{}, Update, "", "gave a patient request to a team"},
	{request.Noted{}, Update, "", "wrote a note about a patient request"},
	{request.Opened{}, Read, KindRequestOpened, "opened a patient request"},
	{request.PutOff{}, Update, "", "put a patient request off until a day"},
	{request.ReLinked{}, Update, KindRequestReLinked, "linked a patient request to this patient"},
	{request.Reopened{}, Update, KindRequestReopened, "reopened a patient request"},
	{request.Submitted{}, Create, KindRequest, "sent a patient request"},
	{request.Taken{}, Update, "", "took a patient request"},
	{request.UrgencyChanged{}, Update, "", "changed how urgent a patient request is"},
}

// byName is the catalogue by the names that events are stored under.
var byName = func() map[string]Row {
	by := map[string]Row{}
	for _, r := range rows {
		by[r.Event.EventName()] = r
	}
	return by
}()

// Find returns the row of an event by the name that it is stored under, and the zero
// row if the event is not about a patient.
func Find(name string) Row { return byName[name] }

// HasEntry reports whether the event makes an entry in the patient's timeline.
func (r Row) HasEntry() bool { return r.Timeline != "" }

// Moves reports whether the event links its stream to another patient.
func (r Row) Moves() bool {
	_, moves := r.Event.(event.Moved)
	return moves
}

// Events returns an empty event of each type whose row meets a condition, such
// as [Row.HasEntry].
func Events(condition func(Row) bool) (events []event.Event) {
	for _, r := range rows {
		if condition(r) {
			events = append(events, r.Event)
		}
	}
	return events
}

// Names returns the names that the events are stored under whose rows meet a
// condition.
func Names(condition func(Row) bool) (names []string) {
	for _, e := range Events(condition) {
		names = append(names, e.EventName())
	}
	return names
}

// Operation is the effect of an event or a call on a patient's data, in the terms of
// HL7's DataOperation.
type Operation string

// The operations.
const (
	Create  Operation = "create"
	Read    Operation = "read"
	Update  Operation = "update"
	Nullify Operation = "nullify" // mark as entered in error
	Delete  Operation = "delete"
	Execute Operation = "execute" // anything else
)
