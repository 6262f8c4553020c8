package auditing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Question asks whether a call of the past would have been allowed. It assumes a valid token,
// reads only the patient from the input, and ignores whether the practice took the request.
type Question struct {
	At time.Time
	access.Claim
	Patient string   // as the call wrote it; "" for none
	Staff   staff.ID // the user of the recorded call; zero if unknown
}

// Verdict answers a [Question].
type Verdict struct {
	Allowed bool
	Rule    access.Rule   // that refused; [access.RuleNone] if none did
	Reason  string        // the sentence of the answer
	Code    string        // of the refusal
	Idx     int64         // of the last such event that the service knew then
	Because []Evidence    // an event for each rule that has one, in the order of the rules
	Rights  access.Rights // at the time
}

// Explain replays the log of the question's practice, and the events of no practice, up to
// the instant of the question. Then it judges the call as live calls are judged.
func (a Auditor) Explain(ctx context.Context, q Question, progress func(done, all int64)) (Verdict, error) {
	about := &evidenceCollector{question: q, events: map[access.Rule]event.Recorded{}}
	past, err := (&replay.Replay{
		Pool: a.Pool, Log: a.Log, Keys: a.Keys, Schema: replay.Temporary, Projections: askedAboutCalls(),
		Until: replay.Until{Instant: q.At}, Tenants: []string{"", q.Tenant}, See: about.see, Progress: progress,
	}).Run(ctx)
	if err != nil {
		return Verdict{}, fmt.Errorf("explain: %w", err)
	}
	defer past.Close()
	verdict := Verdict{Idx: past.Idx, Because: about.evidence()}
	err = past.View(ctx, func(db projections.Querier) error { return q.judge(ctx, db, &verdict) })
	return verdict, err
}

// askedAboutCalls lists the read models by which a call is judged.
func askedAboutCalls() []projections.Projection {
	return []projections.Projection{
		projections.Applications{}, projections.Enablements{}, projections.Staff{},
		projections.Authorisations{}, projections.Patients{},
	}
}

// judge judges the call by the read models of that instant.
func (q Question) judge(ctx context.Context, db projections.Querier, into *Verdict) (err error) {
	q.Endpoint.AsksReception = false // so that it need not be replayed
	into.Rights, err = projections.Rights{DB: db}.Rights(ctx, q.Claim, q.At)
	if err != nil {
		return err
	}
	named := access.Named{Patient: q.Patient}
	if id, unread := uuid.Parse(q.Patient); unread == nil {
		open, err := projections.Patients{DB: db}.RecordOpenTo(ctx, q.Tenant, patient.ID{UUID: id}, into.Rights.Staff)
		if err != nil {
			return err
		}
		named.Closed = !open
	}
	into.decide(access.Judge(access.Caller{Claim: q.Claim, Rights: into.Rights}, &named))
	return nil
}

func (v *Verdict) decide(err error) {
	refusal, refused := errors.AsType[*access.Refusal](err)
	if !refused {
		v.Allowed, v.Rule = true, access.RuleNone
		return
	}
	v.Rule, v.Reason, v.Code = refusal.Rule, refusal.Fault.Detail, refusal.Fault.Code
}

// QuestionOf returns the question about a recorded call, and the call.
func (a Auditor) QuestionOf(ctx context.Context, requestID uuid.UUID) (Question, access.Call, error) {
	for call, err := range a.AccessRecord().Calls(ctx, accesslog.CallFilter{RequestID: requestID}) {
		if err != nil {
			return Question{}, call, err
		}
		if call.Looked() {
			return Question{}, call, errNoCall
		}
		q := Question{At: call.At, Claim: claimOf(call)}
		if call.Patient.UUID != uuid.Nil {
			q.Patient = call.Patient.String()
		}
		if q.Staff = call.Staff; q.Staff.UUID != uuid.Nil {
			q.Username, err = projections.Staff{DB: postgres.On(a.Pool)}.UsernameOf(ctx, call.Tenant, call.Staff)
		}
		return q, call, err
	}
	return Question{}, access.Call{}, a.unknown(ctx, requestID)
}

// unknown explains why the access record has no such call.
func (a Auditor) unknown(ctx context.Context, requestID uuid.UUID) error {
	archive, err := a.Archives().Of(ctx, retention.AccessRecord, requestID)
	if err != nil {
		return err
	}
	if archive != "" {
		return ErrArchivedCall.With("A call with this request id would be in the archive %s, and is no longer in the database.", archive)
	}
	return ErrUnknownCall
}

// ErrUnknownCall refuses to explain a call that is not in the access record.
var ErrUnknownCall = fault.New(fault.Missing, "unknown-call", "The access record has no call with this request id.")

// errNoCall refuses to explain a page: the table of rights lists who may see it.
var errNoCall = fault.New(fault.Conflict, "no-call", "This request id belongs to a page of the staff pages, not to an API call: roles decide which pages staff can see.")

// ErrArchivedCall refuses to explain a call of a time whose calls were moved out of the
// database. With names the archive.
var ErrArchivedCall = fault.New(fault.Missing, "archived-call", "Calls of that time are in an archive, and are no longer in the database.")

// claimOf returns the claim of a recorded call. For an endpoint that has left the catalogue
// it has only the name.
func claimOf(call access.Call) access.Claim {
	endpoint, known := access.Find(call.Endpoint)
	if !known {
		endpoint.Name = call.Endpoint
	}
	return access.Claim{Tenant: call.Tenant, Application: call.Application, Mode: call.Mode, Endpoint: endpoint}
}
