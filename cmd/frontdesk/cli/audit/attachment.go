package audit

import (
	"context"
	"fmt"
	"io"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

type auditAttachmentCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	ID                  request.AttachmentID `arg:"" name:"id" help:"The attachment's identifier, as the audit log shows it."`
	Out                 string               `default:"-" placeholder:"FILE" help:"Where it goes: a file, a pipe, or - for standard output."`
}

// Run writes the file. It reads the file twice, so that it writes none of it if the
// file does not match its event.
func (c *auditAttachmentCmd) Run(r *term.Run) error {
	out, err := r.Output(c.Out)
	if err != nil {
		return err
	}
	engine, err := c.OpenWith(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	file, err := engine.Attachments.Attachment(r.Context, c.ID)
	if err != nil {
		return err
	}
	if err := engine.CopyFile(r.Context, io.Discard, file); err != nil {
		return err
	}
	if err := recordSight(r.Context, engine, file); err != nil {
		return err
	}
	return r.Write(out, func(w io.Writer) error { return engine.CopyFile(r.Context, w, file) })
}

// recordSight appends that a patient's file is about to be shown.
func recordSight(ctx context.Context, engine *app.Engine, file projections.Attachment) error {
	err := engine.Auditor.RecordReading(ctx, file.Tenant, term.Machine(), audit.Queried{
		Command: "attachment", Filter: "attachment=" + file.ID.String(), Patient: file.Patient, Personal: true, Count: 1,
	})
	if err != nil {
		return fmt.Errorf("nothing is written, because it could not be recorded that it was: %w", err)
	}
	return nil
}
