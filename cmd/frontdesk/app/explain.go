package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// Question is about a call of the past: would it have been allowed? Its token
// is taken to have been good, its body is not looked at beyond the patient, and
// whether the practice took it (D23) is not asked.
type Question struct {
	At          time.Time
	Tenant      string
	Application application.ID
	Endpoint    application.Endpoint
	Mode        application.Mode
	Username    string // of a user-restricted call
	Patient     string // as the call wrote it; "" when it named none
}

// Verdict answers a [Question].
type Verdict struct {
	Allowed bool
	Rule    Rule               // that decided; [RuleNone] when none refused
	Reason  string             // what the caller was told, or would have been (D10)
	Code    string             // of the refusal (§7.2)
	Idx     int64              // the log up to here was what the service knew
	Because []Evidence         // what the rules went by, in their order
	Rights  projections.Rights // as they stood
}

// Evidence is the event that a rule went by: the last that changed what it asks.
type Evidence struct {
	Rule Rule
	event.Recorded
}

// Explain answers by replaying the log up to the instant and asking the same
// code that judges live calls (D1, steps 4 and 5; D12, D17).
func (e *Engine) Explain(ctx context.Context, q Question, progress func(done, all int64)) (Verdict, error) {
	about := &witness{question: q, events: map[Rule]event.Recorded{}}
	past, err := (&replay.Replay{
		Pool: e.pools.background, Log: postgres.Log{Codec: e.codec}, Schema: replay.Temporary, Projections: judged(),
		Until: replay.Until{Instant: q.At}, Only: q.concerns, See: about.see, Progress: progress,
	}).Run(ctx)
	if err != nil {
		return Verdict{}, fmt.Errorf("explain: %w", err)
	}
	defer past.Close()
	verdict := Verdict{Idx: past.Idx}
	err = past.View(ctx, func(db projections.Querier) error { return q.judge(ctx, db, &verdict) })
	verdict.Because = about.evidence()
	return verdict, err
}

// judged are the read models that decide about a call.
func judged() []projections.Projection {
	return []projections.Projection{
		projections.Applications{}, projections.Enablements{}, projections.Staff{},
		projections.Authorisations{}, projections.Patients{},
	}
}

// concerns reports whether an event is of the question's practice, or of none.
func (q Question) concerns(e event.Recorded) bool {
	return e.Stream.Tenant == "" || e.Stream.Tenant == q.Tenant
}

// judge is what happens to a live call once its signature holds.
func (q Question) judge(ctx context.Context, db projections.Querier, into *Verdict) error {
	claim := projections.Claim{
		Tenant: q.Tenant, Application: q.Application, Username: q.Username, Endpoint: q.Endpoint, Mode: q.Mode,
	}
	rights, err := projections.Judge{DB: db}.Rights(ctx, claim, q.At)
	if err != nil {
		return err
	}
	into.Rights = rights
	caller := commands.Caller{Tenant: q.Tenant, Application: q.Application, Mode: q.Mode, Username: q.Username}
	operation := bearer.Operation{Endpoint: q.Endpoint, NamesPatient: q.Endpoint.NamesPatient()}
	caller, err = bearer.Admit(caller, rights, operation)
	if err == nil && q.Endpoint.NamesPatient() {
		err = caller.CheckPatient(q.Patient)
	}
	if id, parsed := uuid.Parse(q.Patient); err == nil && parsed == nil && q.Endpoint.ShowsRecord() {
		err = caller.CheckRecord(ctx, projections.Patients{DB: db}, patient.ID{UUID: id})
	}
	return into.decide(err)
}

// decide takes the refusal apart. An error that is none could not be judged.
func (v *Verdict) decide(err error) error {
	refusal, refused := errors.AsType[*fault.Error](err)
	if err != nil && !refused {
		return err
	}
	if v.Rule = ruleOf(err); refused {
		v.Reason, v.Code = refusal.Detail, refusal.Code
	}
	v.Allowed = !refused
	return nil
}

// ErrUnknownCall is the refusal to explain a call that is not in the record.
var ErrUnknownCall = fault.New(fault.Missing, "unknown-call", "The access record has no call with this request id.")

// QuestionOf asks about a recorded call, which is returned as well.
func (e *Engine) QuestionOf(ctx context.Context, requestID uuid.UUID) (Question, access.Call, error) {
	for call, err := range e.AccessRecord().Calls(ctx, postgres.CallFilter{RequestID: requestID}) {
		if err != nil {
			return Question{}, call, err
		}
		q := Question{
			At: call.At, Tenant: call.Tenant, Application: call.Application, Endpoint: call.Endpoint, Mode: call.Mode,
		}
		if call.Patient.UUID != uuid.Nil {
			q.Patient = call.Patient.String()
		}
		if call.Staff.UUID != uuid.Nil {
			q.Username, err = e.usernameOf(ctx, call)
		}
		return q, call, err
	}
	return Question{}, access.Call{}, ErrUnknownCall
}

// usernameOf is a member of staff's, which never changes.
func (e *Engine) usernameOf(ctx context.Context, call access.Call) (username string, err error) {
	err = e.background.QueryRow(ctx, `SELECT username FROM staff WHERE tenant = $1 AND staff = $2`, call.Tenant, call.Staff).Scan(&username)
	if err != nil {
		return "", fmt.Errorf("find the call's user: %w", err)
	}
	return username, nil
}
