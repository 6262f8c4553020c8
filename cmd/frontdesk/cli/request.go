package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"frontdesk/adapters/httpapi"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/request"
)

type submitPatientRequestCmd struct {
	engineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
	File        string `required:"" help:"The request body of the API as a file; - for standard input."`
}

// Run carries the command out.
func (c *submitPatientRequestCmd) Run(r *run) error {
	submission, err := c.read(r.In)
	if err != nil {
		return err
	}
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, do app.Commands) (made, error) {
		id, err := do.SubmitPatientRequest.Handle(ctx, commands.SubmitPatientRequest{Tenant: c.Tenant, Submission: submission})
		return made{"patientRequestId": id}, err
	})
}

func (c *submitPatientRequestCmd) read(in io.Reader) (request.Submission, error) {
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return request.Submission{}, fmt.Errorf("read the request: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	tree, err := httpapi.ReadJSON(in)
	if err != nil {
		return request.Submission{}, err
	}
	return request.Parse(tree)
}
