package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

type auditExplainCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	Call                uuid.UUID      `placeholder:"UUID" help:"A recorded call, by its request ID. It needs no other flag."`
	At                  time.Time      `placeholder:"INSTANT" help:"When the call would arrive."`
	Tenant              string         `help:"The practice that it would address."`
	Application         application.ID `placeholder:"UUID" help:"The application that would call."`
	User                string         `placeholder:"USERNAME" help:"The member of staff that the call is for. Without it, the application calls for itself."`
	Endpoint            string         `help:"The endpoint that it would call, such as create-note."`
	Patient             string         `placeholder:"UUID" help:"The patient that the call would name."`
	JSON                bool           `name:"json" help:"Print one JSON object."`
}

var errNoQuestion = fault.New(fault.Invalid, "incomplete-question", "Give --call, or --at, --tenant, --application and --endpoint.")

// Run explains a call.
func (c *auditExplainCmd) Run(r *term.Run) error {
	engine, err := c.OpenAll(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	question, recorded, err := c.asked(r.Context, engine)
	if err != nil {
		return err
	}
	meter := term.NewMeter(r.Raw.Err, "replaying", "events")
	verdict, err := engine.Auditor.Explain(r.Context, question, meter.Show)
	meter.End()
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(explanationOf(question, verdict, recorded))
	}
	return explain(r.Out, question, verdict, recorded)
}

// asked is the question, and the recorded call that it is about, if there is one.
func (c *auditExplainCmd) asked(ctx context.Context, engine *app.Engine) (auditing.Question, *access.Call, error) {
	if c.Call == uuid.Nil {
		question, err := c.question()
		return question, nil, err
	}
	question, call, err := engine.Auditor.QuestionOf(ctx, c.Call)
	return question, &call, err
}

func (c *auditExplainCmd) question() (auditing.Question, error) {
	if c.At.IsZero() || c.Tenant == "" || c.Endpoint == "" || c.Application.UUID == uuid.Nil {
		return auditing.Question{}, errNoQuestion
	}
	endpoint, known := access.Find(application.EndpointName(c.Endpoint))
	if !known {
		return auditing.Question{}, access.ErrUnknownEndpoint.With("There is no such endpoint.")
	}
	mode := application.ApplicationRestricted
	if c.User != "" {
		mode = application.UserRestricted
	}
	return auditing.Question{At: c.At, Patient: c.Patient, Claim: access.Claim{
		Tenant: c.Tenant, Application: c.Application, Mode: mode, Username: c.User, Endpoint: endpoint,
	}}, nil
}

// explanation is a verdict as a machine reads it.
type explanation struct {
	Allowed  bool          `json:"allowed"`
	Rule     access.Rule   `json:"rule"` // that refused; "none"
	Code     string        `json:"code,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	At       time.Time     `json:"at"`
	Idx      int64         `json:"idx"`
	Because  []becauseOf   `json:"because"`
	Recorded *recordedCall `json:"recorded,omitempty"`
}

type becauseOf struct {
	Rule  access.Rule `json:"rule"`
	Idx   int64       `json:"idx"`
	Event string      `json:"event"`
	By    string      `json:"by"`
	At    time.Time   `json:"at"`
}

type recordedCall struct {
	Status int    `json:"status"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func explanationOf(q auditing.Question, v auditing.Verdict, call *access.Call) explanation {
	e := explanation{
		Allowed: v.Allowed, Rule: v.Rule, Code: v.Code, Reason: v.Reason, At: q.At.UTC(), Idx: v.Idx, Because: []becauseOf{},
	}
	for _, b := range v.Because {
		e.Because = append(e.Because, becauseOf{b.Rule, b.Idx, b.EventName(), b.Metadata.Actor.String(), b.At})
	}
	if call != nil {
		e.Recorded = &recordedCall{call.Status, call.Code, call.Reason}
	}
	return e
}

func explain(w io.Writer, q auditing.Question, v auditing.Verdict, call *access.Call) error {
	e := explanationOf(q, v, call)
	var failed error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		failed = errors.Join(failed, err)
	}
	if e.Allowed {
		line("allowed: at %s no rule refused it (its token, its input and whether the practice took it are not judged here)", e.At.Format(time.RFC3339Nano))
	} else {
		line("refused at %s by the rule %s: %s (%s)", e.At.Format(time.RFC3339Nano), e.Rule, e.Reason, e.Code)
	}
	if e.Recorded != nil {
		line("the live service answered %d %s %s", e.Recorded.Status, e.Recorded.Code, e.Recorded.Reason)
	}
	line("rules and their events, from the log up to idx %d:", e.Idx)
	for _, b := range e.Because {
		line("  %-22s idx %d  %s  %s  by %s", b.Rule, b.Idx, b.At.Format(time.RFC3339Nano), b.Event, b.By)
	}
	if q.Mode == application.UserRestricted && !v.Rights.AuthorisedUntil.IsZero() {
		line("the standing authorisation ends at %s", v.Rights.AuthorisedUntil.Format(time.RFC3339))
	}
	return failed
}
