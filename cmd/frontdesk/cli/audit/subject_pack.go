package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"frontdesk/cmd/frontdesk/audit/subjectaccess"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
)

type auditSubjectPackCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	Tenant              string     `required:"" help:"The practice's tenant identifier."`
	Patient             patient.ID `required:"" placeholder:"UUID" help:"The patient who has asked. The export is recorded."`
	Out                 string     `required:"" placeholder:"FILE" help:"The ZIP file to write, such as pack.zip. An existing file is never replaced."`
}

// Run makes the pack. That it is made is recorded before any of it is.
func (c *auditSubjectPackCmd) Run(r *term.Run) error {
	if _, err := os.Lstat(c.Out); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already: name a file that is not", c.Out), err)
	}
	engine, err := c.OpenAll(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	pack, filter, err := engine.SubjectPack(r.Context, c.Tenant, c.Patient)
	if err != nil {
		return err
	}
	survey, err := pack.Survey()
	if err != nil {
		return err
	}
	err = r.RecordReading(engine, c.Tenant, audit.Queried{
		Command: subjectaccess.Command, Filter: filter.String(), Patient: c.Patient, Personal: true, Count: survey.Count,
	})
	if err != nil {
		return err
	}
	return c.write(r, pack, survey)
}

func (c *auditSubjectPackCmd) write(r *term.Run, pack subjectaccess.Pack, survey subjectaccess.Survey) error {
	damaged := 0
	err := newFile(c.Out, func(w io.Writer) (err error) {
		damaged, err = pack.Write(r.Context, w, survey)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%s is written. Read it before you hand it over: its texts and files may be about other people, and entries in error may be about another patient.\n", c.Out)
	if damaged > 0 {
		return fmt.Errorf("the pack is incomplete: %d files differ from the files that were sent, and are left out; its page lists them", damaged)
	}
	return nil
}

// newFile makes a file that only its owner may read, and takes its name before it begins.
// The file appears whole or not at all, and replaces no other file.
func newFile(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", name, term.Cause(err))
	}
	if err = errors.Join(file.Close(), term.ReplaceFile(name, 0o600, write)); err != nil {
		_ = os.Remove(name) // it is empty
	}
	return err
}
