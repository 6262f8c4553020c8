package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/patient"
)

type registerPatientCmd struct {
	engineFlags `embed:""`
	Tenant      string     `required:"" help:"The practice's tenant identifier."`
	Name        string     `required:"" help:"The patient's name."`
	Patient     patient.ID `placeholder:"UUID" help:"The patient's identifier; without it, one is minted."`
	BirthDate   string     `placeholder:"2006-01-02" help:"The patient's date of birth."`
}

// Run carries the command out.
func (c *registerPatientCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.RegisterPatient(ctx, commands.RegisterPatient{
			Tenant: c.Tenant, Patient: c.Patient, Name: c.Name, BirthDate: c.BirthDate,
		})
		return made{"patientId": id}, err
	})
}

type restrictPatientRecordCmd struct {
	engineFlags `embed:""`
	Tenant      string     `required:"" help:"The practice's tenant identifier."`
	Patient     patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Username    []string   `sep:"none" help:"Who may see the record; may be repeated. Without any, the restriction is lifted."`
}

// Run carries the command out.
func (c *restrictPatientRecordCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{
			Tenant: c.Tenant, Patient: c.Patient, Usernames: c.Username,
		})
	})
}
