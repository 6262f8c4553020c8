package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/domain/staff"
	"frontdesk/projections/directory"
)

// OffboardPracticeCmd ends the access of applications to a practice, and exports its log.
type OffboardPracticeCmd struct {
	term.DatabaseFlag `embed:""`
	Tenant            string        `required:"" help:"The practice's tenant identifier."`
	Export            string        `required:"" type:"folder" placeholder:"DIR" help:"Folder for the practice's log and its access record, with their proofs. It is created if it does not exist."`
	WithoutProof      bool          `help:"Export the log without proof, and no access record: where no \"frontdesk sign\" runs."`
	Wait              time.Duration `default:"1m" help:"How long to wait until the new events are signed."`
	Yes               bool          `env:"-" help:"Do not ask for confirmation."`
	JSON              bool          `name:"json" help:"Print one JSON object."`
}

// Help returns the details, which a help text has no room for.
func (c *OffboardPracticeCmd) Help() string {
	return `Disables all applications of the practice, ends their authorisations, and exports its log. Pending webhooks are withdrawn instead of
being sent. Nothing is erased, and staff can still read the records: deactivate them with "frontdesk apply" or
"frontdesk staff deactivate" when they are done. A practice that comes back has everything as before, once its applications are
enabled again. If you run it again, it does the remaining steps, and writes the export again.`
}

// offboarded lists the completed steps.
type offboarded struct {
	Tenant         string   `json:"tenantId"`
	Applications   []string `json:"disabledApplications"`
	Authorisations int      `json:"endedAuthorisations"`
	Webhooks       int      `json:"waitingWebhooks"` // which the service withdraws
	Exported       []string `json:"exported"`        // beside each is its manifest
}

// Run finds out whether it can be done to its end, asks, and does it.
func (c *OffboardPracticeCmd) Run(r *term.Run) error {
	engine, ctx, err := c.OpenDesk(r, app.Config{})
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := c.possible(ctx, engine); err != nil {
		return err
	}
	if !c.Yes {
		follows := fmt.Sprintf("No application can call for %s any longer, its authorisations end, and pending webhooks are not sent.", c.Tenant)
		if err := r.Confirm(follows, "Offboard it?"); err != nil {
			return err
		}
	}
	done, err := offboarding{engine, c.Tenant}.run(ctx)
	if err != nil {
		return fmt.Errorf("%w (run the command again: it does the remaining steps)", err)
	}
	if done.Exported, err = c.export(r, engine); err != nil {
		return fmt.Errorf("the practice is offboarded, but not exported; give the command again: %w", err)
	}
	return c.print(r, done)
}

// possible checks, before the first change, the conditions of the later steps.
func (c *OffboardPracticeCmd) possible(ctx context.Context, engine *app.Engine) error {
	if _, err := engine.Practices().Find(ctx, c.Tenant); err != nil {
		return err
	}
	if !c.WithoutProof {
		if _, err := engine.Auditor.Checkpoint(ctx, c.tree(proof.Events)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.Export, 0o700); err != nil {
		return fmt.Errorf("make the folder of --export: %w", err)
	}
	return nil
}

func (c *OffboardPracticeCmd) tree(kind proof.Kind) proof.Tree {
	return proof.Tree{Tenant: c.Tenant, Kind: kind}
}

// export writes the practice's log and its access record, and returns where.
func (c *OffboardPracticeCmd) export(r *term.Run, engine *app.Engine) (files []string, err error) {
	events := filepath.Join(c.Export, "events.jsonl")
	if c.WithoutProof {
		return []string{events}, c.write(r, events, false)
	}
	if err := c.signed(r, engine); err != nil {
		return nil, err
	}
	if err := c.write(r, events, false); err != nil {
		return nil, err
	}
	_, err = engine.Auditor.Checkpoint(r.Context, c.tree(proof.Access))
	if errors.Is(err, proof.ErrNoCheckpoint) { // there has been no call
		return []string{events}, nil
	}
	calls := filepath.Join(c.Export, "calls.jsonl")
	return []string{events, calls}, cmp.Or(err, c.write(r, calls, true))
}

// write runs "audit export". Its output is no result of this command.
func (c *OffboardPracticeCmd) write(r *term.Run, out string, calls bool) error {
	said := *r
	said.Out = r.Err
	export := auditExportCmd{
		DatabaseFlag: c.DatabaseFlag, filterFlags: filterFlags{Tenant: c.Tenant}, provedFlags: provedFlags{Proof: !c.WithoutProof},
		Format: "json", Resource: "AuditEvent", Access: calls, Out: out,
	}
	return export.Run(&said)
}

// errNotSigned reports that no checkpoint covers the new events yet.
var errNotSigned = errors.New("the new events are not signed yet: let frontdesk serve and frontdesk sign run, or increase --wait")

// signed returns once a checkpoint covers all that the practice's log holds.
func (c *OffboardPracticeCmd) signed(r *term.Run, engine *app.Engine) error {
	head, err := engine.Log.Head(r.Context)
	if err != nil {
		return err
	}
	events, _, err := engine.Auditor.CountEvents(r.Context, auditing.EventFilter{Tenant: c.Tenant}, head)
	for watch := clock.Start(); err == nil; {
		var newest proof.Signed
		if newest, err = engine.Auditor.Checkpoint(r.Context, c.tree(proof.Events)); err != nil || newest.Size >= events {
			return err
		}
		if watch.Elapsed() > c.Wait || !background.Sleep(r.Context, followPace) {
			return errNotSigned
		}
	}
	return err
}

func (c *OffboardPracticeCmd) print(r *term.Run, done offboarded) error {
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(done)
	}
	for _, id := range done.Applications {
		fmt.Fprintf(r.Out, "disabled application %s\n", id)
	}
	fmt.Fprintf(r.Out, "ended %d authorisations; %d webhooks wait, and are withdrawn\n", done.Authorisations, done.Webhooks)
	for _, file := range done.Exported {
		fmt.Fprintf(r.Out, "exported %s\n", file)
	}
	_, err := fmt.Fprintln(r.Out, "nothing is erased: the practice can come back, and its records stay for as long as they have to")
	return err
}

// offboarding ends the access of applications to a practice. Each step changes nothing if
// there is nothing left to change.
type offboarding struct {
	engine *app.Engine
	tenant string
}

func (o offboarding) run(ctx context.Context) (offboarded, error) {
	done := offboarded{Tenant: o.tenant, Applications: []string{}}
	if err := o.disable(ctx, &done); err != nil {
		return done, err
	}
	if err := o.revoke(ctx, &done); err != nil {
		return done, err
	}
	if err := o.engine.Drain(ctx); err != nil {
		return done, fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return done, nil
}

// disable disables all applications, and counts the pending webhooks that end with it.
func (o offboarding) disable(ctx context.Context, done *offboarded) error {
	enabled := term.Register[directory.Application]{Next: func(after directory.Application) ([]directory.Application, error) {
		return o.engine.Registers().Applications(ctx, o.tenant, after, term.TableLines)
	}}
	for a, err := range enabled.Items() {
		if err != nil {
			return err
		}
		stakes, err := o.engine.ApplicationDirectory().DisableImpact(ctx, o.tenant, a.Application, o.engine.Desk.Now())
		if err != nil {
			return err
		}
		if err := o.engine.Desk.DisableApplication(ctx, commands.DisableApplication{Tenant: o.tenant, Application: a.Application}); err != nil {
			return err
		}
		done.Webhooks += stakes.Deliveries
		done.Applications = append(done.Applications, a.Application.String())
	}
	return nil
}

// revoke ends authorisations, once no new one can count. Those of staff who have left count
// for nothing, and are revoked in case they come back (D64).
func (o offboarding) revoke(ctx context.Context, done *offboarded) error {
	now := o.engine.Desk.Now()
	running := term.Register[directory.Authorisation]{Next: func(after directory.Authorisation) ([]directory.Authorisation, error) {
		return o.engine.Registers().Authorisations(ctx, o.tenant, now, after, term.TableLines)
	}}
	for a, err := range running.Items() {
		if err != nil {
			return err
		}
		err := o.engine.Desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{
			Tenant: o.tenant, Application: a.Application, Username: a.Username, Patient: a.Patient,
		})
		switch {
		case err == nil:
			done.Authorisations++
		case !isAny(err, staff.ErrUnknown, authorisation.ErrNone):
			return err
		}
	}
	return nil
}

// isAny reports whether an error is one of these refusals.
func isAny(err error, refusals ...*fault.Error) bool {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
