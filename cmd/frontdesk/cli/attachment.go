package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

type auditAttachmentCmd struct {
	databaseFlag `embed:""`
	ID           request.AttachmentID `arg:"" name:"id" help:"The attachment's identifier, as the audit log shows it."`
	Out          string               `default:"-" placeholder:"FILE" help:"Where the file goes; - for standard output."`
}

var errAltered = errors.New("what is kept of this attachment is not what was sent: its size or its SHA-256 differs, so nothing was written")

// Run writes the file. It is read twice, so that nothing is written of a file
// that is not what the event says.
func (c *auditAttachmentCmd) Run(r *run) error {
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	file, err := engine.Attachments.Attachment(r.ctx, c.ID)
	if err != nil {
		return err
	}
	if err := copyFile(r.ctx, io.Discard, engine, file); err != nil {
		return err
	}
	out, err := c.create(r.Out)
	if err != nil {
		return err
	}
	if err := copyFile(r.ctx, out, engine, file); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// create opens the output for nobody else's eyes.
func (c *auditAttachmentCmd) create(stdout io.Writer) (io.WriteCloser, error) {
	if c.Out == "-" {
		return open{stdout}, nil
	}
	file, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write the attachment: %w", err)
	}
	return file, nil
}

// open is a writer that stays open.
type open struct{ io.Writer }

// Close implements [io.Closer].
func (open) Close() error { return nil }

// copyFile writes a file part by part, and says whether it was what it should
// be.
func copyFile(ctx context.Context, w io.Writer, engine *app.Engine, file projections.Attachment) error {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(w, sum), engine.Uploads.Open(ctx, file.Tenant, file.ID))
	if err != nil {
		return fmt.Errorf("write the attachment: %w", err)
	}
	if size != file.Size || event.Digest(sum.Sum(nil)) != file.SHA256 {
		return errAltered
	}
	return nil
}
