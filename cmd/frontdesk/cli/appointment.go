package cli

import (
	"context"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

type bookAppointmentCmd struct {
	engineFlags `embed:""`
	Tenant      string     `required:"" help:"The practice's tenant identifier."`
	Patient     patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Site        site.ID    `required:"" placeholder:"UUID" help:"The site's identifier."`
	At          time.Time  `required:"" placeholder:"2006-01-02T15:04:05Z" help:"When the patient is expected, in RFC 3339."`
}

// Run carries the command out.
func (c *bookAppointmentCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.BookAppointment(ctx, commands.BookAppointment{
			Tenant: c.Tenant, Patient: c.Patient, Site: c.Site, At: c.At,
		})
		return made{"appointmentId": id}, err
	})
}

type callInPatientCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Appointment appointment.ID `required:"" placeholder:"UUID" help:"The appointment's identifier."`
	Room        site.RoomID    `placeholder:"UUID" help:"The room to come to; without it, none is shown."`
}

// Run carries the command out.
func (c *callInPatientCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.CallInPatient(ctx, commands.CallInPatient{
			Tenant: c.Tenant, Appointment: c.Appointment, Room: c.Room,
		})
	})
}

type clearCallInCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Appointment appointment.ID `required:"" placeholder:"UUID" help:"The appointment's identifier."`
}

// Run carries the command out.
func (c *clearCallInCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.ClearCallIn(ctx, commands.ClearCallIn{Tenant: c.Tenant, Appointment: c.Appointment})
	})
}

type markDidNotAttendCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Appointment appointment.ID `required:"" placeholder:"UUID" help:"The appointment's identifier."`
}

// Run carries the command out.
func (c *markDidNotAttendCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.MarkDidNotAttend(ctx, commands.MarkDidNotAttend{Tenant: c.Tenant, Appointment: c.Appointment})
	})
}

type startConsultationCmd struct {
	engineFlags `embed:""`
	Tenant      string         `required:"" help:"The practice's tenant identifier."`
	Patient     patient.ID     `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Appointment appointment.ID `placeholder:"UUID" help:"The appointment's identifier, if there is one; its call-in ends."`
}

// Run carries the command out.
func (c *startConsultationCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.StartConsultation(ctx, commands.StartConsultation{
			Tenant: c.Tenant, Patient: c.Patient, Appointment: c.Appointment,
		})
		return made{"consultationId": id}, err
	})
}
