package cli

import (
	"fmt"
	"io"
	"os"

	"frontdesk/commands"
	"frontdesk/domain/patient"
)

type registerPatientCmd struct {
	practiceFlags `embed:""`
	Name          string     `required:"" help:"The patient's name."`
	Patient       patient.ID `placeholder:"UUID" help:"The patient's identifier; without it, one is minted."`
	BirthDate     string     `placeholder:"2006-01-02" help:"The patient's date of birth."`
}

func (c *registerPatientCmd) Run(r *run) error {
	return create(r, c.practiceFlags, "patientId", commands.Desk.RegisterPatient, commands.RegisterPatient{
		Tenant: c.Tenant, Patient: c.Patient, Name: c.Name, BirthDate: c.BirthDate,
	})
}

// patientFlags name a patient of a practice.
type patientFlags struct {
	practiceFlags `embed:""`
	Patient       patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
}

type restrictPatientRecordCmd struct {
	patientFlags `embed:""`
	Username     []string `sep:"none" help:"Who may see the record; may be repeated. Without any, the restriction is lifted."`
}

func (c *restrictPatientRecordCmd) Run(r *run) error {
	return change(r, c.engineFlags, c.Tenant, commands.Desk.RestrictPatientRecord, commands.RestrictPatientRecord{
		Tenant: c.Tenant, Patient: c.Patient, Usernames: c.Username,
	})
}

type openCareRecordCmd struct {
	patientFlags `embed:""`
}

func (c *openCareRecordCmd) Run(r *run) error {
	return change(r, c.engineFlags, c.Tenant, commands.Desk.OpenCareRecord, commands.OpenCareRecord{Tenant: c.Tenant, Patient: c.Patient})
}

type createNoteCmd struct {
	patientFlags `embed:""`
	File         string `required:"" help:"The note as a text file; - for standard input. Others at this machine see command lines."`
}

func (c *createNoteCmd) Run(r *run) error {
	text, err := readText(c.File, r.In)
	if err != nil {
		return err
	}
	return create(r, c.practiceFlags, "noteId", commands.Desk.CreateNote, commands.CreateNote{Tenant: c.Tenant, Patient: c.Patient, Text: text})
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
