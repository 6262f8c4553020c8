package commands

import (
	"cmp"
	"context"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Receptions reads when practices accept requests.
type Receptions interface {
	// Receptions returns when a practice accepts requests. They have no zone if the
	// practice does not exist.
	Receptions(ctx context.Context, tenant string) (practice.Receptions, error)
}

// SubmitPatientRequest submits a patient's request to the practice.
type SubmitPatientRequest struct {
	Tenant     string
	Submission request.Submission
	Receptions practice.Receptions // to check it against; without a zone, the practice's are read
}

// SubmitPatientRequest returns the request's identifier. It refuses with the first that
// applies of patient.ErrUnknown, practice.ErrTypeDisabled, practice.ErrTypePaused and
// practice.ErrTypeClosed (D2).
//
// The append refuses a patient that the practice does not have. So a query for the
// patient is only needed first if there is another refusal.
func (d Desk) SubmitPatientRequest(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	receptions, err := d.receptions(ctx, c)
	if err != nil {
		return request.ID{}, err
	}
	if refusal := receptions.Reception(c.Submission.Type).Availability(d.Now()).Err(); refusal != nil {
		return request.ID{}, cmp.Or(d.knowPatient(ctx, c.Tenant, c.Submission.Patient), refusal)
	}
	id := request.ID{UUID: event.NewID()}
	return id, d.beginOfPatient(ctx, request.StreamOf(c.Tenant, id), request.Submit(c.Submission)...)
}

func (d Desk) receptions(ctx context.Context, c SubmitPatientRequest) (practice.Receptions, error) {
	if c.Receptions.Zone != nil {
		return c.Receptions, nil
	}
	found, err := d.Receptions.Receptions(ctx, c.Tenant)
	if err == nil && found.Zone == nil {
		return found, patient.ErrUnknown // a practice that does not exist has no patients
	}
	return found, err
}

// MarkPatientRequestEnteredInError marks a patient request that must not be relied on.
type MarkPatientRequestEnteredInError struct {
	Tenant  string
	Patient patient.ID // the patient of the request
	Request request.ID
	Reason  string // in clear text, so without names
}

// MarkPatientRequestEnteredInError changes nothing if the request is marked already. It
// refuses a request of another patient or practice with request.ErrUnknown.
func (d Desk) MarkPatientRequestEnteredInError(ctx context.Context, c MarkPatientRequestEnteredInError) error {
	return Update(ctx, d.Store, request.StreamOf(c.Tenant, c.Request), func(r request.Request) ([]event.Event, error) {
		return r.MarkEnteredInError(c.Patient, c.Reason)
	})
}

// Each of these changes a request of the practice, and refuses one that it does not
// have with request.ErrUnknown. The metadata has the actor; By is the holder of the
// request afterwards. If the request has other events by now than the actor has seen
// (see [Version]; 0 for no check), the refusal is request.ErrChanged.
type (
	// TakePatientRequest assigns a request without a holder to a member of staff.
	TakePatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		By      staff.ID
		Note    string // is added in the same append; "" for none
	}
	// GivePatientRequest gives a request to an active member of staff, or to a team.
	GivePatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		From    request.Holder // as the giver has seen it; zero for none
		To      request.Holder
		Note    string // is added in the same append; "" for none
	}
	// PutOffPatientRequest puts a request off until a day, on which it is new again.
	PutOffPatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		By      staff.ID
		Until   string // a date of the practice, such as 2026-05-03
		Note    string // is added in the same append; "" for none
	}
	// ChangePatientRequestUrgency sets whether a request is urgent.
	ChangePatientRequestUrgency struct {
		Tenant  string
		Request request.ID
		Seen    int
		Urgent  bool
	}
	// NotePatientRequest adds an internal note of the practice.
	NotePatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		Text    string
	}
	// CompletePatientRequest completes a request that no one else has.
	CompletePatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		By      staff.ID
		request.Completion
	}
	// ReopenPatientRequest reopens a completed request, and assigns it to a member of
	// staff.
	ReopenPatientRequest struct {
		Tenant  string
		Request request.ID
		Seen    int
		By      staff.ID
		Reason  string
	}
	// ReLinkPatientRequest links a request to another patient of the practice.
	ReLinkPatientRequest struct {
		Tenant   string
		Request  request.ID
		Seen     int
		From, To patient.ID // From is the patient that the member of staff has seen
		Reason   string
	}
)

// TakePatientRequest refuses with request.ErrTaken or request.ErrCompleted. It changes
// nothing if they have the request already, except that it adds the note.
func (d Desk) TakePatientRequest(ctx context.Context, c TakePatientRequest) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, withNote(c.Note, func(r request.Request) ([]event.Event, error) { return r.Take(c.By) }))
}

// GivePatientRequest refuses an inactive member with staff.ErrUnknown, a team that the
// practice does not have with staff.ErrUnknownTeam, and then with request.ErrTaken or
// request.ErrCompleted.
func (d Desk) GivePatientRequest(ctx context.Context, c GivePatientRequest) error {
	if c.To.Team == (staff.TeamID{}) {
		if err := d.knowActive(ctx, c.Tenant, c.To.Member); err != nil {
			return err
		}
	}
	teams, err := Load[staff.Teams](ctx, d.Store, staff.TeamStream(c.Tenant))
	if err != nil {
		return err
	}
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, withNote(c.Note, func(r request.Request) ([]event.Event, error) {
		return r.Give(c.From, c.To, teams)
	}))
}

// PutOffPatientRequest refuses with request.ErrInvalidPutOff a day that is not in the year
// after the practice's today. It refuses with request.ErrTaken if another member has the
// request, or with request.ErrCompleted.
func (d Desk) PutOffPatientRequest(ctx context.Context, c PutOffPatientRequest) error {
	receptions, err := d.Receptions.Receptions(ctx, c.Tenant)
	switch {
	case err != nil:
		return err
	case receptions.Zone == nil:
		return request.ErrUnknown // a practice that does not exist has no requests
	}
	teams, err := Load[staff.Teams](ctx, d.Store, staff.TeamStream(c.Tenant))
	if err != nil {
		return err
	}
	today := d.Now().In(receptions.Zone).Format(time.DateOnly)
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, withNote(c.Note, func(r request.Request) ([]event.Event, error) {
		return r.PutOff(c.By, c.Until, today, teams)
	}))
}

// withNote also adds a note, unless it is "".
func withNote(note string, decide func(request.Request) ([]event.Event, error)) func(request.Request) ([]event.Event, error) {
	if note == "" {
		return decide
	}
	return func(r request.Request) ([]event.Event, error) {
		events, err := decide(r)
		if err != nil {
			return nil, err
		}
		noted, err := r.Note(note)
		return append(events, noted...), err
	}
}

// ChangePatientRequestUrgency changes nothing if the urgency is the same.
func (d Desk) ChangePatientRequestUrgency(ctx context.Context, c ChangePatientRequestUrgency) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, func(r request.Request) ([]event.Event, error) { return r.ChangeUrgency(c.Urgent) })
}

// NotePatientRequest refuses a blank note with request.ErrInvalidText.
func (d Desk) NotePatientRequest(ctx context.Context, c NotePatientRequest) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, func(r request.Request) ([]event.Event, error) { return r.Note(c.Text) })
}

// CompletePatientRequest refuses with request.ErrCompleted, with request.ErrTaken if
// another member has the request, or with request.ErrNoRecipient if no application can
// fetch an answer.
func (d Desk) CompletePatientRequest(ctx context.Context, c CompletePatientRequest) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, func(r request.Request) ([]event.Event, error) {
		return r.Complete(c.Request, c.By, c.Completion)
	})
}

// ReopenPatientRequest refuses a request that is not completed with request.ErrNotDone.
func (d Desk) ReopenPatientRequest(ctx context.Context, c ReopenPatientRequest) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, func(r request.Request) ([]event.Event, error) { return r.Reopen(c.By, c.Reason) })
}

// ReLinkPatientRequest refuses with request.ErrMoved if the request is no longer linked
// to From, and with patient.ErrUnknown if the practice does not have To.
func (d Desk) ReLinkPatientRequest(ctx context.Context, c ReLinkPatientRequest) error {
	return d.handle(ctx, c.Tenant, c.Request, c.Seen, func(r request.Request) ([]event.Event, error) {
		return r.ReLink(c.From, c.To, c.Reason)
	})
}

// handle takes a decision about a request. It refuses with patient.ErrUnknown unless
// the practice has the patient that the request is linked to afterwards.
func (d Desk) handle(ctx context.Context, tenant string, id request.ID, events int, decide func(request.Request) ([]event.Event, error)) error {
	change := event.Change{Stream: request.StreamOf(tenant, id), OfPatient: true}
	return update(ctx, d.Store, change, ifUnchanged(events, request.ErrChanged, decide))
}

// OpenPatientRequest records that staff open a request.
type OpenPatientRequest struct {
	Tenant  string
	Request request.ID
}

// OpenPatientRequest returns the patient of the request at that instant. Show only that
// patient's data: if the request has moved since, open it again.
func (d Desk) OpenPatientRequest(ctx context.Context, c OpenPatientRequest) (patient.ID, error) {
	return d.openOf(ctx, c.Tenant, c.Request, func(r request.Request) ([]event.Event, error) { return r.Open(c.Request) })
}

// OpenAttachment records that staff open a file of a request.
type OpenAttachment struct {
	Tenant     string
	Request    request.ID
	Attachment request.AttachmentID
}

// OpenAttachment returns the patient of the request at that instant. It refuses a file
// of another request with request.ErrUnknownAttachment.
func (d Desk) OpenAttachment(ctx context.Context, c OpenAttachment) (patient.ID, error) {
	return d.openOf(ctx, c.Tenant, c.Request, func(r request.Request) ([]event.Event, error) { return r.OpenAttachment(c.Request, c.Attachment) })
}

// openOf appends an opening as a stream of its own, so that readers of a request do not
// conflict with each other.
func (d Desk) openOf(ctx context.Context, tenant string, id request.ID, open func(request.Request) ([]event.Event, error)) (patient.ID, error) {
	opened, err := Load[request.Request](ctx, d.Store, request.StreamOf(tenant, id))
	if err != nil {
		return patient.ID{}, err
	}
	events, err := open(opened)
	if err != nil {
		return patient.ID{}, err
	}
	about, err := opened.Patient()
	if err != nil {
		return patient.ID{}, err
	}
	return about, d.beginOfPatient(ctx, event.Stream{Tenant: tenant, ID: event.NewID()}, events...)
}
