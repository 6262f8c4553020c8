package history

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// Outcomes reads how requests ended, for the applications that sent them. It keeps no
// table: it reads the events of one request.
type Outcomes struct {
	DB    projections.Querier
	Opens projections.Opener
}

// Outcome is how a request ended.
type Outcome struct {
	Patient     patient.ID
	Outcome     request.Outcome // "" if it is not completed
	CompletedAt time.Time       // zero if it is not completed
	Answer      string          // for the patient; "" for none
	AnswerEvent uuid.UUID       // of the answer
}

// outcomeOf reads the events that decide the outcome, and who may know it. It reads
// the encrypted value of the last answer only.
const outcomeOf = `
SELECT id, version, recorded_at, name, data, metadata, CASE WHEN version = max(version) FILTER (WHERE name = $4) OVER () THEN sealed END
FROM events WHERE stream = $1 AND tenant = $2 AND name = ANY ($3) ORDER BY version`

// outcomeEvents are the names of those events.
var outcomeEvents = []string{
	request.Submitted{}.EventName(), request.Completed{}.EventName(), request.Answered{}.EventName(), request.Reopened{}.EventName(),
	request.ReLinked{}.EventName(), request.EnteredInError{}.EventName(),
}

// Find returns how a request ended that an application has sent. For another application's
// request, one that was linked to another patient or entered in error, and one of an erased
// patient, it returns the refusal of an unknown one: [request.ErrUnknown].
func (q Outcomes) Find(ctx context.Context, tenant string, id request.ID, by application.ID) (Outcome, error) {
	stream := request.StreamOf(tenant, id)
	rows, _ := q.DB.Query(ctx, outcomeOf, stream.ID, tenant, outcomeEvents, request.Answered{}.EventName())
	stored, err := scanStream(rows, stream)
	if err != nil {
		return Outcome{}, fmt.Errorf("read the outcome of a request: %w", err)
	}
	var state request.Request
	events, err := q.Opens.Open(ctx, stored)
	if err != nil {
		return Outcome{}, fmt.Errorf("open the outcome of a request: %w", err)
	}
	var found Outcome
	for _, e := range events {
		state = state.Apply(e.Event)
		found.see(e)
	}
	if err := state.FoundBy(by); err != nil {
		return Outcome{}, err
	}
	if known, err := (projections.Patients{DB: q.DB}).PatientExists(ctx, tenant, found.Patient); err != nil || !known {
		return Outcome{}, cmp.Or(err, error(request.ErrUnknown))
	}
	return found, nil
}

func (o *Outcome) see(r event.Recorded) {
	if about, ok := r.Event.(event.Patient); ok {
		o.Patient.UUID = about.PatientID()
	}
	switch e := r.Event.(type) {
	case request.Completed:
		o.Outcome, o.CompletedAt, o.Answer, o.AnswerEvent = e.Outcome, r.At.UTC(), "", uuid.Nil
	case request.Answered:
		o.Answer, o.AnswerEvent = e.Text, r.ID
	case request.Reopened:
		o.Outcome, o.CompletedAt, o.Answer, o.AnswerEvent = "", time.Time{}, "", uuid.Nil
	}
}
