package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/patient"
)

type openCareRecordCmd struct {
	engineFlags `embed:""`
	Tenant      string     `required:"" help:"The practice's tenant identifier."`
	Patient     patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
}

// Run carries the command out.
func (c *openCareRecordCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.OpenCareRecord(ctx, commands.OpenCareRecord{Tenant: c.Tenant, Patient: c.Patient})
	})
}

type createNoteCmd struct {
	engineFlags `embed:""`
	Tenant      string     `required:"" help:"The practice's tenant identifier."`
	Patient     patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
	File        string     `required:"" help:"The note as a text file; - for standard input. Others at this machine see command lines."`
}

// Run carries the command out.
func (c *createNoteCmd) Run(r *run) error {
	text, err := readText(c.File, r.In)
	if err != nil {
		return err
	}
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: c.Tenant, Patient: c.Patient, Text: text})
		return made{"noteId": id}, err
	})
}

// readText is what a file holds, or standard input for "-".
func readText(file string, in io.Reader) (string, error) {
	read := func() ([]byte, error) { return os.ReadFile(file) }
	if file == "-" {
		read = func() ([]byte, error) { return io.ReadAll(in) }
	}
	text, err := read()
	if err != nil {
		return "", fmt.Errorf("read the note: %w", err)
	}
	return string(text), nil
}
