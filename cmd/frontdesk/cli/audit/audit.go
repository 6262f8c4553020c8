// Package audit holds the subcommands for auditors, and the offboarding of a practice,
// which ends with an export.
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Commands holds the questions of auditors about the log and the access record. Package
// auditing decides which rows a filter selects.
type Commands struct {
	Attachment  auditAttachmentCmd  `cmd:"" help:"Write an attachment to a file." detail:"The file was sent with a patient request. It is written only if it is what was sent."`
	BeginEpoch  auditBeginEpochCmd  `cmd:"" help:"Record that the database was restored."`
	Calls       auditCallsCmd       `cmd:"" help:"List API calls and their responses." detail:"Who called what, for which patient, and with which answer."`
	Checkpoint  auditCheckpointCmd  `cmd:"" help:"Print the newest signed checkpoint of a log." detail:"Keep it out of reach of people who can change the database."`
	Deliveries  auditDeliveriesCmd  `cmd:"" help:"List webhook deliveries and their outcomes."`
	Explain     auditExplainCmd     `cmd:"" help:"Explain why a call was allowed or refused." detail:"It also judges a call that was not made, and names the events that decide."`
	Export      auditExportCmd      `cmd:"" help:"Export the event log with a manifest." detail:"The manifest is for checking the file."`
	Log         auditLogCmd         `cmd:"" help:"Print the event log." detail:"Who did what, and when."`
	Prove       auditProveCmd       `cmd:"" help:"Prove that the log holds an event." detail:"Or that the log has only grown since a checkpoint."`
	Rebuild     auditRebuildCmd     `cmd:"" help:"Rebuild the read models and compare them." detail:"They are rebuilt from the log, next to the live ones. --proofs rebuilds the trees that proofs are made of instead."`
	Replay      auditReplayCmd      `cmd:"" help:"Show rights and availability at an instant." detail:"It shows what applications could do at each practice, and which types of request it accepted, at an instant of the past."`
	SubjectPack auditSubjectPackCmd `cmd:"" help:"Export all data about a patient." detail:"A ZIP file, for a patient who makes a subject access request."`
	Verify      auditVerifyCmd      `cmd:"" help:"Verify that stored data is unchanged." detail:"It finds what was changed, added or removed since it was written."`
	WhoAccessed auditWhoAccessedCmd `cmd:"" help:"List all access to a patient's data." detail:"Every event and every judged call about the patient."`
}

// filterFlags select events of the log. A flag that is not given leaves no event out.
type filterFlags struct {
	After       int64          `placeholder:"IDX" help:"Only events after this idx; 0 for all."`
	UpTo        term.Idx       `placeholder:"IDX" help:"Only events up to this idx, which the log must have reached."`
	Since       time.Time      `placeholder:"INSTANT" help:"Only events recorded at or after this instant."`
	Until       time.Time      `placeholder:"INSTANT" help:"Only events recorded before this instant."`
	Tenant      string         `help:"Only events of this practice."`
	Stream      uuid.UUID      `placeholder:"UUID" help:"Only events of this stream."`
	Patient     patient.ID     `placeholder:"UUID" help:"Only events that concern this patient. The query is recorded."`
	Application application.ID `placeholder:"UUID" help:"Only events that this application caused or that concern it."`
	User        string         `placeholder:"USERNAME" help:"Only events that this member of staff caused or that concern them: a username, with --tenant, or an identifier."`
	Event       []string       `placeholder:"NAME" help:"Only events of this name; may be repeated. A name without a version matches all its versions."`
}

// errAfter refuses a place that no log has, so that its empty range is not taken for a loss.
var errAfter = fault.New(fault.Invalid, "invalid-after", "--after is an idx of the log, or 0 for all.")

func (f filterFlags) filter(ctx context.Context, engine *app.Engine) (auditing.EventFilter, error) {
	if f.After < 0 {
		return auditing.EventFilter{}, errAfter
	}
	member, err := staffNamed(ctx, engine, f.Tenant, f.User)
	return auditing.EventFilter{
		After: f.After, UpTo: int64(f.UpTo), Since: f.Since, Until: f.Until, Tenant: f.Tenant, Stream: f.Stream,
		Patient: f.Patient, Application: f.Application, Staff: member, Names: f.Event,
	}, err
}

var errUserWithoutTenant = fault.New(fault.Invalid, "user-without-tenant", "--user with a username needs --tenant: usernames are a practice's own.")

// staffNamed finds a member of staff, who may have left, by a username or an
// identifier; zero for "".
func staffNamed(ctx context.Context, engine *app.Engine, tenant, user string) (staff.ID, error) {
	if user == "" {
		return staff.ID{}, nil
	}
	if id, ok := parse.SomeID(user); ok {
		return staff.ID{UUID: id}, nil
	}
	if tenant == "" {
		return staff.ID{}, errUserWithoutTenant
	}
	return engine.Staff.AnyStaffByUsername(ctx, tenant, user)
}

// warnArchived warns on standard error if rows of the range have moved to archives. A zero
// instant is no bound.
func warnArchived(r *term.Run, engine *app.Engine, record string, since, until time.Time) error {
	names, err := engine.Auditor.Archives().Between(r.Context, record, since, until)
	if err != nil || len(names) == 0 {
		return err
	}
	fmt.Fprintf(r.Err, "Part of the result is in archives, which are no longer in the database: %s (docs/privacy/archives.md explains how to read them)\n", fromTo(names))
	return nil
}

func fromTo(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%d, from %s to %s", len(names), names[0], names[len(names)-1])
}

type auditRebuildCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	Projection          []string `xor:"projection" placeholder:"NAME" help:"Only this read model, such as patients.v1; may be repeated."`
	Switch              bool     `xor:"switch" help:"Correct the differences in one transaction, which blocks appends, and compare again."`
	Proofs              bool     `xor:"projection,switch,fresh" help:"Rebuild the trees that proofs are made of, in place of read models. Until it is done, there are no proofs."`
	Fresh               bool     `xor:"fresh" help:"Begin with the first event, even if an earlier run was stopped. Needed after an upgrade."`
	JSON                bool     `name:"json" help:"Print one JSON object."`
}

var errDiffers = errors.New("the read models differ from the log: --switch corrects them")

var errHashes = errors.New("staff_passwords has hashes that are not in the log, and that no one can sign in with. Find out who has written them, then set these passwords again")

var errObjects = errors.New("the schema of the database differs from the one that this program needs: find out who changed it, and change it back as a superuser")

// Run rebuilds and compares. Ctrl-C stops it, and the next run goes on from there.
func (c *auditRebuildCmd) Run(r *term.Run) error {
	if c.Proofs {
		return c.proofs(r)
	}
	engine, err := c.OpenWith(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	rebuild, err := engine.Auditor.Rebuild(c.Projection)
	if err != nil {
		return err
	}
	meter := term.NewMeter(r.Raw.Err, "rebuilding", "events")
	rebuild.Fresh, rebuild.Switch, rebuild.Progress = c.Fresh, c.Switch, meter.Show
	rebuild.Tell = func(text string) { meter.End(); r.Tell(text) }
	result, err := rebuild.Run(r.Context)
	meter.End()
	if r.Context.Err() != nil {
		return errors.New("stopped; the next run continues from here (--fresh starts again)")
	}
	if err != nil {
		return err
	}
	if err := c.print(r.Out, result); err != nil {
		return err
	}
	var strange error
	if len(result.Hashes) > 0 {
		strange = errHashes
	}
	if len(result.Schema) > 0 {
		strange = errors.Join(strange, errObjects)
	}
	if len(result.Differences) > 0 && !result.Switched {
		return errors.Join(errDiffers, strange, result.Lost.Err())
	}
	return errors.Join(strange, result.Lost.Err())
}

func (c *auditRebuildCmd) print(w io.Writer, result replay.Result) error {
	if c.JSON {
		if result.Differences == nil {
			result.Differences = []replay.Difference{}
		}
		if result.Hashes == nil {
			result.Hashes = []replay.Hash{}
		}
		if result.Schema == nil {
			result.Schema = []postgres.SchemaDifference{}
		}
		if result.NotCompared == nil {
			result.NotCompared = []string{}
		}
		return json.NewEncoder(w).Encode(result)
	}
	fmt.Fprintf(w, "compared at idx %d\n", result.Idx)
	none := "no difference"
	if len(result.NotCompared) > 0 {
		none = "no other difference"
		fmt.Fprintf(w, "not compared: %s, which hold personal data that is sealed here; give the master key with --master-key-file\n", strings.Join(result.NotCompared, ", "))
	}
	for _, d := range result.Differences {
		fmt.Fprintf(w, "%s: table %s lacks %d rows that follow from the log and has %d that do not: %s\n",
			d.Projection, d.Table, d.Missing, d.Strange, strings.Join(d.Keys, " "))
	}
	for _, loss := range result.Lost.First {
		fmt.Fprintln(w, loss)
	}
	for _, h := range result.Hashes {
		fmt.Fprintf(w, "staff_passwords: the hash of staff %s at %s is not the one that the log knows\n", h.Staff, h.Tenant)
	}
	for _, d := range result.Schema {
		fmt.Fprintln(w, "schema:", d)
	}
	switch {
	case len(result.Differences)+len(result.Hashes)+len(result.Schema) == 0 && result.Lost.Count == 0:
		fmt.Fprintln(w, none)
	case result.Switched:
		fmt.Fprintf(w, "put right; appends waited for %s at the longest\n", result.Held)
	}
	return nil
}
