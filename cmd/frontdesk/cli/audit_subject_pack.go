package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/auditing"
	"frontdesk/cmd/frontdesk/subjectpack"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

type auditSubjectPackCmd struct {
	databaseFlag   `embed:""`
	masterKeyFlags `embed:""`
	Tenant         string     `required:"" help:"The practice's tenant identifier."`
	Patient        patient.ID `required:"" placeholder:"UUID" help:"Who has asked. That you made the pack is recorded."`
	Out            string     `required:"" placeholder:"FILE" help:"The ZIP to make, such as pack.zip; a file of that name is never replaced."`
}

// Run makes the pack. That it is made is recorded before any of it is.
func (c *auditSubjectPackCmd) Run(r *run) error {
	if _, err := os.Lstat(c.Out); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already: name a file that is not", c.Out), err)
	}
	engine, err := c.openAll(r, c.masterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	pack, filter, err := c.pack(r.ctx, engine)
	if err != nil {
		return err
	}
	survey, err := pack.Survey()
	if err != nil {
		return err
	}
	err = r.recordReading(engine, c.Tenant, audit.Queried{
		Command: "subject-pack", Filter: filter.String(), Patient: c.Patient, Personal: true, Count: survey.Count,
	})
	if err != nil {
		return err
	}
	return c.write(r, pack, survey)
}

func (c *auditSubjectPackCmd) write(r *run, pack subjectpack.Pack, survey subjectpack.Survey) error {
	damaged := 0
	err := newFile(c.Out, func(w io.Writer) (err error) {
		damaged, err = pack.Write(r.ctx, w, survey)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%s is made. Look through it before you hand it over: what was sent or written may tell of others, and what was entered in error may be about somebody else.\n", c.Out)
	if damaged > 0 {
		return fmt.Errorf("the pack is not whole: %d files are not what was sent, and are not in it; its page says which", damaged)
	}
	return nil
}

// packPage is how many events a pack holds at once: each may be some MiB long.
const packPage = 50

// pack says where the pack's parts come from. It refuses a patient whom the practice does
// not have.
func (c *auditSubjectPackCmd) pack(ctx context.Context, engine *app.Engine) (subjectpack.Pack, auditing.EventFilter, error) {
	asked := auditing.EventFilter{Tenant: c.Tenant, Patient: c.Patient}
	exists, err := engine.Desk.Patients.PatientExists(ctx, c.Tenant, c.Patient)
	if err == nil && !exists {
		err = patient.ErrUnknown
	}
	if err != nil {
		return subjectpack.Pack{}, asked, err
	}
	moved, err := c.moved(ctx, engine, &asked)
	if err != nil {
		return subjectpack.Pack{}, asked, err
	}
	signpost, err := engine.Signposts().Of(ctx, c.Tenant)
	if err != nil {
		return subjectpack.Pack{}, asked, err
	}
	auditor := engine.Auditor
	auditor.Log.Page = packPage
	end, err := auditor.End(ctx, asked)
	return subjectpack.Pack{
		Practice: signpost, Patient: c.Patient, MadeAt: time.Now(), Moved: moved,
		Events: auditor.Events(ctx, asked, end), Accesses: auditor.Accesses(ctx, asked, end, true),
		Directory: engine.Directory(), Deliveries: engine.Deliveries().Of,
		Shown: func(e event.Recorded) (any, error) { return logged(e, true) },
		Content: func(ctx context.Context, w io.Writer, id request.AttachmentID) error {
			return contentOf(ctx, w, engine, id)
		},
	}, asked, err
}

// moved has the events of requests asked for that have come from other patients, and not
// those that are other patients' now, which it returns.
func (c *auditSubjectPackCmd) moved(ctx context.Context, engine *app.Engine, asked *auditing.EventFilter) (others []projections.Moved, err error) {
	all, err := engine.Requests().Moved(ctx, c.Tenant, c.Patient)
	hidden := map[uuid.UUID]bool{}
	for _, m := range all {
		if m.Theirs {
			asked.Requests = append(asked.Requests, m.Request.UUID)
			continue
		}
		others, hidden[m.Request.UUID] = append(others, m), true
	}
	asked.Only = func(e event.Recorded) bool { return !hidden[e.Stream.ID] }
	return others, err
}

// contentOf writes what `audit attachment` would.
func contentOf(ctx context.Context, w io.Writer, engine *app.Engine, id request.AttachmentID) error {
	file, err := engine.Attachments.Attachment(ctx, id)
	if err != nil {
		return err
	}
	err = copyFile(ctx, w, engine, file)
	if errors.Is(err, postgres.ErrAlteredFile) {
		return subjectpack.ErrDamaged
	}
	return err
}

// newFile makes a file that only its owner may read, and takes its name before it begins.
// It appears whole, or not at all, and nobody else's file is replaced.
func newFile(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", name, cause(err))
	}
	if err = errors.Join(file.Close(), replaceFile(name, 0o600, write)); err != nil {
		_ = os.Remove(name) // it is empty
	}
	return err
}
