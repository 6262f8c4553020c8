package projections

import (
	"context"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Requests finds whole requests: what the patient wrote, and what the practice did. It
// keeps nothing. All of that stands in the events of each request's stream.
type Requests struct {
	DB    Querier
	Opens Opener
}

// Request is a whole request.
type Request struct {
	ID          request.ID
	Patient     patient.ID // to whom it is linked now
	Type        request.Type
	Urgent      bool
	Proxy       *request.Proxy // nil unless a proxy asked
	Answers     []request.Answer
	Attachments []request.Attachment
	SubmittedAt time.Time
	Holder      staff.ID // who has it, or has completed it; zero if nobody has
	HolderName  string
	Done        *Handled // how it was completed; nil unless it is done
	InError     *InError // nil unless it was marked as entered in error
	History     []Handled
}

// Handled is one entry of a request's history: its submission, each event of
// [request.Handling], and its marking as entered in error. Oldest come first.
type Handled struct {
	event.Event
	At    time.Time
	Actor event.Actor
	By    string // the name of the member of staff or practitioner who did it; "" if that is not known
	To    string // the name of the member to whom it was given; "" if it was not
}

// Of returns a request of a practice, opened, or [request.ErrUnknown]. That of a patient
// who was erased is unknown, too.
func (q Requests) Of(ctx context.Context, tenant string, id request.ID) (Request, error) {
	return Request{}, request.ErrUnknown
}

// OfPatient returns at most so many of a patient's requests behind a place, newest first,
// and the place behind them, which is zero if no more follow.
func (q Requests) OfPatient(ctx context.Context, tenant string, id patient.ID, before InboxPlace, most int) (rows []InboxRow, next InboxPlace, err error) {
	return nil, next, nil
}
