package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Requests reads whole requests: the patient's text, and the practice's actions. It keeps
// no table: all of that is in the events of each request's stream.
type Requests struct {
	DB    projections.Querier
	Opens projections.Opener
}

// Request is a whole request.
type Request struct {
	ID          request.ID
	Patient     patient.ID // the current link
	Type        request.Type
	Urgent      bool
	Proxy       *request.Proxy // nil unless a proxy asked
	Answers     []request.Answer
	Attachments []request.Attachment
	SubmittedAt time.Time
	Holder      staff.ID             // the member who has it, or has completed it; zero for none
	Team        staff.TeamID         // the team that has it; zero for none
	HolderName  string               // "" if no one has it
	HolderLeft  bool                 // the holder is no longer active
	Until       string               // the date until which it was put off, which may have come; "" for none
	Done        *Entry               // how it was completed; nil unless it is done
	InError     *projections.InError // nil unless it was marked as entered in error
	History     []Entry              // with the submission, oldest first
	Answer      *Entry               // to the patient; nil unless the request is done with one
	AnswerEvent uuid.UUID            // of the answer
	Recipient   application.ID       // can fetch an answer; zero for none
	Complete    bool                 // false if older entries were left out of the history
	Version     int                  // number of entries, including those left out
}

// Entry is one entry of a history. That of a request has its submission, each of
// [request.Handling], and its marking as entered in error; that of an appointment has all
// of its events.
type Entry struct {
	event.Event
	At    time.Time
	Actor event.Actor
	By    string // name of the member of staff or practitioner who did it; "" if it is not known
	To    string // name of the member of staff or the team who was given it; "" if it was not given
}

// maxHistory limits the events of one request that are decrypted, without its
// submission.
const maxHistory = 500

// historyOf reads the events of a request. It does not read the encrypted values of
// those that will be left out.
const historyOf = `
SELECT id, version, recorded_at, name, data, metadata,
	CASE WHEN version = 1 OR version > max(version) OVER () - $3 THEN sealed END
FROM events WHERE stream = $1 AND tenant = $2 ORDER BY version`

// Find returns a request of a practice, decrypted, or [request.ErrUnknown], which is also
// the answer for a patient who was erased.
func (q Requests) Find(ctx context.Context, tenant string, id request.ID) (Request, error) {
	events, err := q.read(ctx, request.StreamOf(tenant, id))
	if err != nil {
		return Request{}, fmt.Errorf("read a request: %w", err)
	}
	if len(events) == 0 {
		return Request{}, request.ErrUnknown
	}
	if _, is := events[0].Event.(request.Submitted); !is {
		return Request{}, request.ErrUnknown
	}
	names, err := namesIn(ctx, q.DB, tenant, events)
	if err != nil {
		return Request{}, fmt.Errorf("read a request: %w", err)
	}
	found := Request{ID: id, Complete: true, Version: len(events)}
	var state request.Request
	for _, e := range events {
		state = state.Apply(e.Event)
		found.see(e, names)
	}
	found.Recipient = state.Recipient()
	if len(found.History) > maxHistory+1 {
		found.History = slices.Delete(found.History, 1, len(found.History)-maxHistory)
		found.Complete = false
	}
	if known, err := (projections.Patients{DB: q.DB}).PatientExists(ctx, tenant, found.Patient); err != nil || !known {
		return Request{}, cmp.Or(err, error(request.ErrUnknown))
	}
	return found, nil
}

func (q Requests) read(ctx context.Context, stream event.Stream) ([]event.Recorded, error) {
	rows, _ := q.DB.Query(ctx, historyOf, stream.ID, stream.Tenant, maxHistory)
	stored, err := scanStream(rows, stream)
	if err != nil {
		return nil, err
	}
	return q.Opens.Open(ctx, stored)
}

func scanStream(rows pgx.Rows, stream event.Stream) ([]event.Stored, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Stored, error) {
		s := event.Stored{Stream: stream}
		err := row.Scan(&s.ID, &s.Version, &s.At, &s.Name, &s.Data, &s.Metadata, &s.Sealed)
		return s, err
	})
}

// named is the name of a member of staff or a team.
type named struct {
	name string
	gone bool // the member has left, or the team was removed
}

// namesIn returns the names of the members of staff and the teams in events.
func namesIn(ctx context.Context, db projections.Querier, tenant string, events []event.Recorded) (map[uuid.UUID]named, error) {
	var ids []uuid.UUID
	for _, e := range events {
		holder := holderIn(e.Event)
		ids = append(ids, e.Metadata.Actor.Member(), holder.Member.UUID, holder.Team.UUID)
	}
	rows, _ := db.Query(ctx, `SELECT staff, name, NOT active FROM staff WHERE tenant = $1 AND staff = ANY ($2)
		UNION ALL SELECT team, name, removed FROM teams WHERE tenant = $1 AND team = ANY ($2)`, tenant, ids)
	names := map[uuid.UUID]named{}
	var id uuid.UUID
	var of named
	_, err := pgx.ForEachRow(rows, []any{&id, &of.name, &of.gone}, func() error {
		names[id] = of
		return nil
	})
	return names, err
}

// holderIn returns the holder of a request after an event; zero if the event does not
// pass it on.
func holderIn(e event.Event) (holder request.Holder) {
	switch e := e.(type) {
	case request.Held:
		holder.Member, _ = e.Held()
	case request.GivenToTeam:
		holder.Team = e.Team
	case request.PutOff:
		holder.Team = e.Team
	}
	return holder
}

// entryOf returns an event with the names of the member of staff who did it, and of
// the one who was given the request.
func entryOf(r event.Recorded, names map[uuid.UUID]named) Entry {
	done := Entry{Event: r.Event, At: r.At.UTC(), Actor: r.Metadata.Actor, By: names[r.Metadata.Actor.Member()].name}
	if claim := r.Metadata.Actor.OnBehalfOf; done.By == "" && claim != nil {
		done.By = claim.Practitioner.Name
	}
	switch e := r.Event.(type) {
	case request.Given:
		done.To = names[e.To.UUID].name
	case request.GivenToTeam:
		done.To = names[e.Team.UUID].name
	}
	return done
}

// see applies one event to a request.
func (q *Request) see(r event.Recorded, names map[uuid.UUID]named) {
	done := entryOf(r, names)
	if about, ok := r.Event.(event.Patient); ok {
		q.Patient.UUID = about.PatientID()
	}
	q.pass(r.Event, names)
	switch e := r.Event.(type) {
	case request.Submitted:
		q.Type, q.Urgent, q.Proxy, q.Answers, q.Attachments, q.SubmittedAt = e.Type, e.HighPriority, e.Proxy, e.Response, e.Attachments, done.At
	case request.UrgencyChanged:
		q.Urgent = e.Urgent
	case request.Answered:
		q.Answer, q.AnswerEvent = &done, r.ID
	case request.Held:
		q.Done, q.Answer = nil, nil
		if _, is := e.Held(); is {
			q.Done = &done
		}
	case request.EnteredInError:
		q.InError = &projections.InError{Reason: e.Reason, At: done.At}
	}
	q.History = append(q.History, done)
}

// pass notes the holder after an event. A team that was removed has no request.
func (q *Request) pass(e event.Event, names map[uuid.UUID]named) {
	off, isOff := e.(request.PutOff)
	holder := holderIn(e)
	if !isOff && holder == (request.Holder{}) {
		return
	}
	of := names[holder.Member.UUID]
	if team, known := names[holder.Team.UUID]; known && !team.gone {
		of = team
	} else {
		holder.Team = staff.TeamID{}
	}
	q.Holder, q.Team, q.HolderName, q.HolderLeft, q.Until = holder.Member, holder.Team, of.name, of.gone, off.Until
}

// MovedRequest is a request that was linked to another patient at some time.
type MovedRequest struct {
	Request     request.ID
	SubmittedAt time.Time
	Theirs      bool // it is the patient's now; otherwise it is another's
}

// movedOf finds them by the events about the patient. The last event of a request has
// its current link.
const movedOf = `
SELECT m.stream, first.recorded_at, last.patient = $2 FROM (SELECT DISTINCT stream FROM events
	WHERE tenant = $1 AND patient = $2 AND name = ANY ($3)) m
CROSS JOIN LATERAL (SELECT recorded_at FROM events WHERE tenant = $1 AND stream = m.stream AND version = 1 OFFSET 0) first
CROSS JOIN LATERAL (SELECT patient FROM events WHERE tenant = $1 AND stream = m.stream ORDER BY version DESC LIMIT 1) last
CROSS JOIN LATERAL (SELECT FROM events WHERE tenant = $1 AND stream = m.stream AND version > 1 AND name = ANY ($4) LIMIT 1) moves
ORDER BY first.recorded_at, m.stream`

// Moved returns the requests that are or were a patient's and have moved, oldest first.
func (q Requests) Moved(ctx context.Context, tenant string, id patient.ID) ([]MovedRequest, error) {
	moves := catalogue.Names(catalogue.Row.Moves)
	rows, _ := q.DB.Query(ctx, movedOf, tenant, id, append(moves, request.Submitted{}.EventName()), moves)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[MovedRequest])
	if err != nil {
		return nil, fmt.Errorf("look for requests that have moved: %w", err)
	}
	return found, nil
}
