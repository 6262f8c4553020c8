package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

type submitPatientRequestCmd struct {
	engineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
	File        string `required:"" help:"The request body of the API as a file; - for standard input."`
}

// Run submits the request in the file, as a call of the API would.
func (c *submitPatientRequestCmd) Run(r *run) error {
	in, err := c.open(r.In)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.doWith(r, app.Config{}, c.Tenant, func(ctx context.Context, engine *app.Engine, desk commands.Desk) (made, error) {
		files := &body.Files{Tenant: c.Tenant, Uploads: engine.Uploads}
		defer func() { _ = files.Close(context.WithoutCancel(ctx)) }() // what stays is swept
		form, err := files.Read(ctx, in)
		if err != nil {
			return nil, err
		}
		submission, err := form.PatientRequest(form.Patient())
		if err != nil {
			return nil, err
		}
		id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: c.Tenant, Submission: submission})
		return made{"patientRequestId": id}, err
	})
}

func (c *submitPatientRequestCmd) open(in io.Reader) (io.ReadCloser, error) {
	if c.File == "-" {
		return io.NopCloser(in), nil
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return file, nil
}
