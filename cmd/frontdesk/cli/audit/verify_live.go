package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/fault"
)

// liveFlags select the parts of a database to verify.
type liveFlags struct {
	term.MasterKeyFlags `embed:""`
	DatabaseURL         string `placeholder:"URL" help:"Verify this database, Postgres, as postgres://… . An auditor's rights are enough for most of it."`
	Files               bool   `help:"Also compare the files that patients have sent with the events that name them."`
	Deliveries          bool   `help:"Also compare the record of deliveries with the log."`
	ReadModels          bool   `help:"Also compare the read models with the log. This is slow and needs the owner's rights."`
}

var (
	errNothingToVerify = fault.New(fault.Invalid, "nothing-to-verify", "Name the file to verify with --in, or the database with --database-url.")
	errOtherwise       = errors.New("the stored data differs from the data that was written: keep the database, the checkpoints and this output unchanged, and find out who has changed it")
)

// live verifies a database.
func (c *auditVerifyCmd) live(r *term.Run) error {
	if c.DatabaseURL == "" {
		return errNothingToVerify
	}
	policy, kept, err := c.trusted()
	if err != nil {
		return err
	}
	salt, err := c.salt()
	if err != nil {
		return err
	}
	engine, err := term.DatabaseFlag{DatabaseURL: c.DatabaseURL}.OpenWith(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	v := engine.Auditor.Verification()
	v.Trusts, v.Salt, v.Notes = policy, salt, kept
	if err := c.lookFurther(r, engine, v); err != nil {
		return err
	}
	result, err := c.verify(r, engine, v)
	if err != nil {
		return err
	}
	if err := c.print(r.Out, result); err != nil {
		return err
	}
	if len(result.Found) > 0 {
		return errOtherwise
	}
	return nil
}

// lookFurther adds the checks that were asked for.
func (c *auditVerifyCmd) lookFurther(r *term.Run, engine *app.Engine, v *verification.Verification) error {
	if c.Files {
		v.Looks = append(v.Looks, engine.Auditor.VerifyFiles())
	}
	if !c.Deliveries {
		return nil
	}
	deliveries, err := engine.Auditor.VerifyDeliveries(r.Context)
	v.Looks = append(v.Looks, deliveries)
	return err
}

// notLooked names what nothing was compared with.
func (c *auditVerifyCmd) notLooked(result *verification.Result) {
	if !c.Files {
		result.Uncheck("files that patients have sent: ask for them with --files")
	}
	if !c.Deliveries {
		result.Uncheck("deliveries of webhooks: ask for them with --deliveries")
	}
	if !c.ReadModels {
		result.Uncheck("read models: ask for them with --read-models")
	}
	result.Uncheck("sessions, known browsers and counts of wrong passwords: no event describes them")
}

// verify compares the read models first, because that fails at once without the rights.
func (c *auditVerifyCmd) verify(r *term.Run, engine *app.Engine, v *verification.Verification) (verification.Result, error) {
	models, err := c.readModels(r, engine)
	if err != nil {
		return verification.Result{}, err
	}
	meter := term.NewMeter(r.Raw.Err, "verifying", "events")
	v.Progress = meter.Show
	result, err := v.Run(r.Context)
	meter.End()
	if err != nil {
		return result, err
	}
	c.notLooked(&result)
	if len(models.NotCompared) > 0 {
		result.Uncheck("the read models %s, which hold personal data: give the master key", strings.Join(models.NotCompared, ", "))
	}
	for _, d := range models.Differences {
		result.Add(verification.Finding{Check: verification.ReadModels},
			"table %s lacks %d rows that follow from the log and has %d that do not", d.Table, d.Missing, d.Strange)
	}
	return result, nil
}

func (c *auditVerifyCmd) readModels(r *term.Run, engine *app.Engine) (result replay.Result, err error) {
	if !c.ReadModels {
		return result, nil
	}
	rebuild, err := engine.Auditor.Rebuild(nil)
	if err != nil {
		return result, err
	}
	meter := term.NewMeter(r.Raw.Err, "rebuilding", "events")
	defer meter.End()
	rebuild.Progress = meter.Show
	return rebuild.Run(r.Context)
}

func (c *auditVerifyCmd) print(w io.Writer, v verification.Result) error {
	if c.JSON {
		return json.NewEncoder(w).Encode(v)
	}
	fmt.Fprintf(w, "events: %d up to idx %d, in %d trees; %d are behind the newest checkpoint of their tree\n", v.Events.Count, v.Events.UpTo, v.Events.Trees, v.Events.Uncovered)
	fmt.Fprintf(w, "calls: %d up to number %d, in %d trees; %d are behind the newest checkpoint of their tree\n", v.Calls.Count, v.Calls.UpTo, v.Calls.Trees, v.Calls.Uncovered)
	fmt.Fprintf(w, "checkpoints that hold: %d published, %d kept\n", v.Published, v.Kept)
	if v.Epoch > 0 {
		fmt.Fprintf(w, "epoch: %d\n", v.Epoch)
	}
	for _, left := range v.Left {
		fmt.Fprintf(w, "epoch %d: %d trees have kept its beginning; later entries of it are not proved. The event log.epoch-begun.v1 gives the time and the cause\n", left.Epoch, left.Trees)
	}
	if v.Ended > 0 {
		fmt.Fprintf(w, "checkpoints of entries that an epoch has lost with its end: %d\n", v.Ended)
	}
	if b := v.Boxes; b != nil {
		fmt.Fprintf(w, "boxes: %d decrypt, %d belong to erased persons, %d have lost their key, %d do not decrypt\n", b.Opened, b.Erased, b.Lost, b.Foreign)
	}
	if f := v.Files; f != nil {
		fmt.Fprintf(w, "files: %d compared, %d of them opened; %d are gone with their patients\n", f.Read, f.Opened, f.Erased)
	}
	if v.Delivered != nil {
		fmt.Fprintf(w, "deliveries: %d compared\n", *v.Delivered)
	}
	if b := v.Backdated; b.Count > 0 {
		fmt.Fprintf(w, "dated earlier: %d events are dated before a checkpoint that does not cover them. A clock was wrong, they came into the log late, or someone has dated them back:\n", b.Count)
		for _, e := range b.First {
			fmt.Fprintf(w, "  idx %d %s is dated %s, and a checkpoint covers what is dated %s\n", e.Idx, practiceOf(e.Tenant), e.At.UTC().Format(time.RFC3339), e.Behind.UTC().Format(time.RFC3339))
		}
	}
	for _, what := range v.Unchecked {
		fmt.Fprintf(w, "not checked: %s\n", what)
	}
	for _, f := range v.Found {
		fmt.Fprintf(w, "DIFFERS: %s%s\n", f.Says, others(f.Count))
	}
	if v.More > 0 {
		fmt.Fprintf(w, "DIFFERS: %d more findings\n", v.More)
	}
	if len(v.Found) == 0 {
		fmt.Fprintln(w, "nothing differs")
	}
	return nil
}

// others returns how many more there are than the ones named.
func others(count int64) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", count-1)
}
