package projections

import (
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Inbox keeps the requests of each practice as staff see them in lists. It follows the
// feed. Names and texts stay in the events.
type Inbox struct{ DB Querier }

// InboxRow is a request in a list.
type InboxRow struct {
	Request         request.ID
	Patient         patient.ID // the current link
	Type            request.Type
	Urgent, ByProxy bool
	Files           int
	SubmittedAt     time.Time
	Holder          staff.ID   // has it, or has completed it; zero if no one has
	HolderName      string     // "" if no one has it
	DoneAt          *time.Time // nil unless it is done
	InError         bool       // it was marked as entered in error
}

// Name returns the permanent name, under which the feed keeps its offset.
func (Inbox) Name() string { return "inbox.v1" }

// Follows returns the types of events that Project has a statement for.
func (Inbox) Follows() []event.Event {
	return []event.Event{
		request.Submitted{}, request.Taken{}, request.Given{}, request.UrgencyChanged{}, request.Completed{}, request.Reopened{},
		request.ReLinked{}, request.EnteredInError{}, patient.Erased{},
	}
}

const addToInbox = `
INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[], $6::boolean[], $7::int[], $8::timestamptz[])`

// Project keeps a row for each request. The row is deleted with the
// patient that the request is linked to then.
func (Inbox) Project(r event.Recorded, do func(sql string, args ...any)) {
	set := func(columns string, args ...any) {
		do(`UPDATE inbox SET `+columns+` WHERE tenant = $1 AND request = $2`, append([]any{r.Stream.Tenant, r.Stream.ID}, args...)...)
	}
	switch e := r.Event.(type) {
	case request.Submitted:
		do(addToInbox, row(r.Stream.Tenant, r.Stream.ID, e.Patient, string(e.Type), e.HighPriority, e.Requester == request.ByProxy,
			len(e.Attachments), r.At)...)
	case request.Held:
		holder, done := e.Held()
		set(`holder = $3, done_at = CASE WHEN $4 THEN $5::timestamptz END`, holder, done, r.At)
	case request.UrgencyChanged:
		set(`urgent = $3`, e.Urgent)
	case event.Moved:
		set(`patient = $3`, e.PatientID())
	case request.EnteredInError:
		set(`in_error = true`)
	case patient.Erased:
		do(`DELETE FROM inbox WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}
