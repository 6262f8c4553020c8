package practice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/ledger"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// ErasureCommands are the verbs of erasures.
type ErasureCommands struct {
	RequestPatient      erasePatientCmd      `cmd:"" help:"Request the erasure of a patient." detail:"Another operator confirms it, after 24 hours."`
	RequestStaff        eraseStaffCmd        `cmd:"" help:"Request the erasure of former staff." detail:"Another operator confirms it, after 24 hours."`
	RequestPractitioner erasePractitionerCmd `cmd:"" help:"Request the erasure of a practitioner." detail:"For a practitioner whom applications have named. Another operator confirms it, after 24 hours."`
	Confirm             confirmErasureCmd    `cmd:"" help:"Confirm an erasure that another operator requested." detail:"It cannot be undone."`
	Withdraw            withdrawErasureCmd   `cmd:"" help:"Withdraw a request for an erasure."`
	Hold                holdErasureCmd       `cmd:"" help:"Keep a patient's data from being erased." detail:"A claim or an inquiry may need it."`
	LiftHold            liftErasureHoldCmd   `cmd:"" help:"Lift an erasure hold."`
	ListRequests        listRequestsCmd      `cmd:"" help:"List patients' erasures that can be confirmed." detail:"With the identifiers that confirm and withdraw need."`
	List                listErasuresCmd      `cmd:"" help:"List erasures, and whether they are final."`
	Reapply             reapplyErasuresCmd   `cmd:"" help:"Re-apply erasures after restoring a backup."`
}

// whyFlags give the reason of an erasure.
type whyFlags struct {
	Basis  erasure.Basis `required:"" enum:"retention-ended,registered-in-error,court-order,unlawful-processing,practice-exit" help:"Legal basis of the erasure: ${enum}."`
	Reason string        `required:"" help:"Reason. Stored unencrypted: do not include names."`
}

// reachHelp ends the help of a command with how far an erasure reaches.
type reachHelp struct{}

// Help returns the limits of an erasure, which a help text has no room for.
func (reachHelp) Help() string { return erasure.Reach }

type erasePatientCmd struct {
	patientFlags `embed:""`
	whyFlags     `embed:""`
	reachHelp    `embed:""`
}

// Run asks for the erasure.
func (c *erasePatientCmd) Run(r *term.Run) error {
	return askErasure(r, c.PracticeFlags, app.Config{}, commands.Desk.ErasePatient, commands.ErasePatient{
		Tenant: c.Tenant, Patient: c.Patient, Basis: c.Basis, Reason: c.Reason,
	})
}

type eraseStaffCmd struct {
	usernameFlags `embed:""`
	whyFlags      `embed:""`
	reachHelp     `embed:""`
}

// Run asks for the erasure.
func (c *eraseStaffCmd) Run(r *term.Run) error {
	return askErasure(r, c.PracticeFlags, app.Config{}, commands.Desk.EraseStaff, commands.EraseStaff{
		Tenant: c.Tenant, Username: c.Username, Basis: c.Basis, Reason: c.Reason,
	})
}

type erasePractitionerCmd struct {
	term.PracticeFlags  `embed:""`
	term.MasterKeyFlags `embed:""`
	Email               string `required:"" help:"The email address of the practitioner in the act claims of API calls."`
	whyFlags            `embed:""`
	reachHelp           `embed:""`
}

// Run requests the erasure. It takes the master key, because the practitioner's identifier
// is derived with the practice's key.
func (c *erasePractitionerCmd) Run(r *term.Run) error {
	master, err := c.Read(r)
	if err != nil {
		return err
	}
	return askErasure(r, c.PracticeFlags, app.Config{MasterKeys: master}, commands.Desk.ErasePractitioner, commands.ErasePractitioner{
		Tenant: c.Tenant, Email: c.Email, Basis: c.Basis, Reason: c.Reason,
	})
}

// askErasure makes the first of two steps, and prints the values that the second needs.
func askErasure[T any](r *term.Run, f term.PracticeFlags, config app.Config, intent func(commands.Desk, context.Context, T) (commands.ErasureAsked, error), given T) error {
	return f.Do(r, config, f.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		asked, err := intent(desk, ctx, given)
		return term.Made{
			"erasureId": asked.Erasure, asked.Person.Kind.String() + "Id": asked.Person.Holder, "confirmFrom": asked.From, "confirmUntil": asked.Until,
			"events": asked.Extent.Events, "files": asked.Extent.Files, "rows": asked.Extent.Rows,
		}, err
	})
}

// erasureFlags name a request for an erasure, as the first step has printed it.
type erasureFlags struct {
	term.PracticeFlags `embed:""`
	Patient            patient.ID `required:"" xor:"person" placeholder:"UUID" help:"The patient's identifier."`
	Staff              uuid.UUID  `required:"" xor:"person" placeholder:"UUID" help:"Or the identifier of a member of staff."`
	Practitioner       uuid.UUID  `required:"" xor:"person" placeholder:"UUID" help:"Or the identifier of a practitioner."`
	Erasure            uuid.UUID  `required:"" placeholder:"UUID" help:"The erasure's identifier."`
}

func (f erasureFlags) person() erasure.Person {
	switch {
	case f.Staff != uuid.Nil:
		return erasure.Person{Tenant: f.Tenant, Kind: event.OfStaff, Holder: f.Staff}
	case f.Practitioner != uuid.Nil:
		return erasure.Person{Tenant: f.Tenant, Kind: event.OfPractitioner, Holder: f.Practitioner}
	}
	return erasure.Person{Tenant: f.Tenant, Kind: event.OfPatient, Holder: f.Patient.UUID}
}

type withdrawErasureCmd struct {
	erasureFlags `embed:""`
	Reason       string `required:"" help:"Reason. Stored unencrypted: do not include names."`
}

// Run withdraws the request.
func (c *withdrawErasureCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.WithdrawErasure, commands.WithdrawErasure{
		Person: c.person(), Erasure: erasure.ID{UUID: c.Erasure}, Reason: c.Reason,
	})
}

type holdErasureCmd struct {
	patientFlags `embed:""`
	Reason       string `required:"" help:"Reason for keeping the data. Stored unencrypted: do not include names."`
}

// Run holds the patient's data.
func (c *holdErasureCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "holdId", commands.Desk.HoldErasure, commands.HoldErasure{Tenant: c.Tenant, Patient: c.Patient, Reason: c.Reason})
}

type liftErasureHoldCmd struct {
	patientFlags `embed:""`
	Hold         uuid.UUID `required:"" placeholder:"UUID" help:"The hold's identifier, as erasure hold has printed it."`
	Reason       string    `required:"" help:"Reason. Stored unencrypted: do not include names."`
}

// Run lifts the hold.
func (c *liftErasureHoldCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.LiftErasureHold, commands.LiftErasureHold{
		Tenant: c.Tenant, Patient: c.Patient, Hold: erasure.HoldID{UUID: c.Hold}, Reason: c.Reason,
	})
}

type confirmErasureCmd struct {
	erasureFlags    `embed:""`
	term.LedgerFlag `embed:""`
	reachHelp       `embed:""`
	Yes             bool `env:"-" help:"Do not ask at a terminal."`
}

// Run erases. The erasure is in the ledger before Run reports it. Two people and a day guard an
// erasure, so a script is not asked.
func (c *confirmErasureCmd) Run(r *term.Run) error {
	if !c.Yes && r.AtTerminal() {
		const follows = "This destroys the key of the person's data for good. A claim, an inquiry or a retention period may need the data."
		if err := r.Confirm(follows, "Erase the data?"); err != nil {
			return err
		}
	}
	return c.DoWith(r, app.Config{ErasureLedger: c.ErasureLedger}, c.Tenant, func(ctx context.Context, engine *app.Engine, desk commands.Desk) (term.Made, error) {
		err := desk.ConfirmErasure(ctx, commands.ConfirmErasure{Person: c.person(), Erasure: erasure.ID{UUID: c.Erasure}})
		if err != nil {
			return nil, err
		}
		return nil, noteErasures(ctx, engine)
	})
}

// errUnnoted reports that an erasure is done, but a restored backup would not show it.
var errUnnoted = errors.New("the erasure is done, but it is not in the ledger yet: give the same command again")

// noteErasures writes the erasures to the ledger, with their place in the log if it is
// known.
func noteErasures(ctx context.Context, engine *app.Engine) error {
	drained := engine.Drain(ctx)
	if err := engine.NoteErasures(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("%w: %w", errUnnoted, err)
	}
	return drained
}

type reapplyErasuresCmd struct {
	term.EngineFlags    `embed:""`
	term.LedgerFlag     `embed:""`
	term.MasterKeyFlags `embed:""`
}

// Run erases again everyone who came back with a backup.
func (c *reapplyErasuresCmd) Run(r *term.Run) error {
	masters, err := c.Read(r)
	if err != nil {
		return err
	}
	return c.DoWith(r, app.Config{ErasureLedger: c.ErasureLedger, MasterKeys: masters}, "", func(ctx context.Context, engine *app.Engine, desk commands.Desk) (term.Made, error) {
		erased, err := engine.ReapplyErasures(ctx, desk, masters.IDs())
		if err != nil {
			return nil, err
		}
		return term.Made{"erased": erased}, noteErasures(ctx, engine)
	})
}

type listRequestsCmd struct {
	listFlags `embed:""`
}

// listedRequest is a request for an erasure as it is listed.
type listedRequest struct {
	Erasure     erasure.ID `json:"erasureId"`
	Patient     patient.ID `json:"patientId"`
	RequestedAt time.Time  `json:"requestedAt"`
	RequestedBy string     `json:"requestedBy"` // staff or operator
	From        time.Time  `json:"confirmFrom"`
	Until       time.Time  `json:"confirmUntil"`
}

// Run lists the requests, oldest first. Each page names patients, so its reading is recorded
// before it is printed (D37).
func (c *listRequestsCmd) Run(r *term.Run) error {
	engine, now, err := c.openAt(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	return term.Register[listedRequest]{
		Header: "ERASURE|PATIENT|REQUESTED|BY|CONFIRM FROM|UNTIL",
		Cells: func(l listedRequest) []any {
			return []any{l.Erasure, l.Patient, rfc3339(l.RequestedAt), l.RequestedBy, rfc3339(l.From), rfc3339(l.Until)}
		},
		Next: func(last listedRequest) (page []listedRequest, err error) {
			after := projections.RequestedErasure{Patient: last.Patient, AskedAt: last.RequestedAt}
			waiting, err := engine.ErasureRequests().Waiting(r.Context, c.Tenant, now, after, term.TableLines)
			if err != nil || len(waiting) == 0 {
				return nil, err
			}
			for _, w := range waiting {
				page = append(page, listedRequestOf(w))
			}
			return page, recordPersonal(r, engine, c.Tenant, "list-erasure-requests", int64(len(page)))
		},
	}.Write(r, c.JSON)
}

func listedRequestOf(w projections.RequestedErasure) listedRequest {
	at, by := w.AskedAt.UTC(), "staff"
	if w.Staff == uuid.Nil {
		by = "operator"
	}
	return listedRequest{
		Erasure: w.Erasure, Patient: w.Patient, RequestedAt: at, RequestedBy: by,
		From: at.Add(erasure.Soonest), Until: at.Add(erasure.Latest),
	}
}

func rfc3339(at time.Time) string { return at.UTC().Format(time.RFC3339) }

type listErasuresCmd struct {
	listFlags       `embed:""`
	term.LedgerFlag `embed:""`
}

// listedErasure is an erasure as it is listed.
type listedErasure struct {
	Erasure  erasure.ID    `json:"erasure"`
	Kind     string        `json:"kind"`
	Person   string        `json:"person"`
	ErasedAt time.Time     `json:"erasedAt"`
	Basis    erasure.Basis `json:"basis,omitempty"`
	Final    bool          `json:"final"`
	FinalAt  time.Time     `json:"finalFrom,omitzero"`  // it can become final then
	Since    time.Time     `json:"finalSince,omitzero"` // it is final since then
	Ledger   *bool         `json:"inLedger,omitempty"`  // absent without a ledger
	State    string        `json:"state"`
}

// Run lists the erasures, newest first.
func (c *listErasuresCmd) Run(r *term.Run) error {
	engine, err := c.openPractice(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	noted, err := c.noted()
	if err != nil {
		return err
	}
	list := term.Register[listedErasure]{
		Header: "ERASURE|KIND|PERSON|ERASED|IN LEDGER|STATE",
		Cells: func(e listedErasure) []any {
			inLedger := "-"
			if e.Ledger != nil {
				inLedger = map[bool]string{true: "yes", false: "no"}[*e.Ledger]
			}
			return []any{e.Erasure, e.Kind, e.Person, rfc3339(e.ErasedAt), inLedger, e.State}
		},
		Next: func(after listedErasure) (page []listedErasure, err error) {
			done, err := engine.Erasures().Done(r.Context, c.Tenant, after.Erasure, term.TableLines)
			for _, d := range done {
				page = append(page, listedErasure{
					Erasure: d.Erasure, Kind: d.Kind.String(), Person: d.Holder.String(), ErasedAt: d.ErasedAt.UTC(), Basis: d.Basis,
					Final: d.Finality.Final(), FinalAt: d.Finality.From, Since: d.Finality.Since, Ledger: noted(d), State: d.Finality.Sentence(rfc3339),
				})
			}
			return page, err
		},
	}
	return list.Write(r, c.JSON)
}

// noted returns a function that reports whether the ledger has an erasure; it returns nil
// without a ledger.
func (c *listErasuresCmd) noted() (func(projections.CompletedErasure) *bool, error) {
	if c.ErasureLedger == "" {
		return func(projections.CompletedErasure) *bool { return nil }, nil
	}
	lines, err := ledger.File{Name: c.ErasureLedger}.Lines()
	if err != nil {
		return nil, err
	}
	return func(d projections.CompletedErasure) *bool {
		return new(slices.ContainsFunc(lines, func(l erasure.Line) bool { return l.Person == d.Person }))
	}, nil
}
