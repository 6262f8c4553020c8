package practice

import (
	"context"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// AppointmentCommands are the verbs of appointments.
type AppointmentCommands struct {
	Book              bookAppointmentCmd   `cmd:"" help:"Book an appointment."`
	Move              moveAppointmentCmd   `cmd:"" help:"Move an appointment to another time or site." detail:"Or to both. With --clinician, --minutes or --kind, all three change; otherwise they stay."`
	Cancel            cancelAppointmentCmd `cmd:"" help:"Cancel an appointment."`
	MarkArrived       markArrivedCmd       `cmd:"" help:"Mark a patient as arrived."`
	CallIn            callInPatientCmd     `cmd:"" help:"Call a patient in."`
	ClearCallIn       clearCallInCmd       `cmd:"" help:"Clear a call-in by hand."`
	MarkDidNotAttend  markDidNotAttendCmd  `cmd:"" help:"Mark an appointment as did not attend."`
	Undo              undoStepCmd          `cmd:"" help:"Undo the last step of an appointment." detail:"It must be less than 30 seconds old, and that of the member of staff in --as."`
	StartConsultation startConsultationCmd `cmd:"" help:"Start the consultation of an appointment." detail:"It ends the call-in."`
}

type bookAppointmentCmd struct {
	term.PracticeFlags `embed:""`
	Patient            patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Site               site.ID    `required:"" placeholder:"UUID" help:"The site's identifier."`
	At                 time.Time  `required:"" placeholder:"2006-01-02T15:04:05Z" help:"When the patient is expected, in RFC 3339."`
	planFlags          `embed:""`
}

// planFlags are the clinician, the length and the kind of an appointment.
type planFlags struct {
	Clinician string           `placeholder:"USERNAME" help:"The clinician's username; without it, no one in particular."`
	Minutes   int              `placeholder:"N" help:"The length in minutes, from 5 to 120."`
	Kind      appointment.Kind `placeholder:"KIND" help:"How the patient is seen: face-to-face, telephone, video or home-visit."`
}

func (f planFlags) plan(ctx context.Context, desk commands.Desk, tenant string) (plan appointment.Plan, err error) {
	plan = appointment.Plan{Minutes: f.Minutes, Kind: f.Kind}
	if f.Clinician != "" {
		plan.Clinician, err = desk.Staff.StaffByUsername(ctx, tenant, f.Clinician)
	}
	return plan, err
}

func (c *bookAppointmentCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		plan, err := c.plan(ctx, desk, c.Tenant)
		if err != nil {
			return nil, err
		}
		id, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: c.Tenant, Patient: c.Patient, Site: c.Site, At: c.At, Plan: plan})
		return term.Made{"appointmentId": id}, err
	})
}

// appointmentFlags name an appointment of a practice.
type appointmentFlags struct {
	term.PracticeFlags `embed:""`
	Appointment        appointment.ID `required:"" placeholder:"UUID" help:"The appointment's identifier."`
}

type moveAppointmentCmd struct {
	appointmentFlags `embed:""`
	Site             site.ID   `placeholder:"UUID" help:"The site's identifier; without it, the site stays the same."`
	At               time.Time `required:"" placeholder:"2006-01-02T15:04:05Z" help:"When the patient is expected, in RFC 3339."`
	planFlags        `embed:""`
}

func (c *moveAppointmentCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		moved := commands.MoveAppointment{Tenant: c.Tenant, Appointment: c.Appointment, Site: c.Site, At: c.At}
		if c.planFlags != (planFlags{}) {
			plan, err := c.plan(ctx, desk, c.Tenant)
			if err != nil {
				return nil, err
			}
			moved.Plan = &plan
		}
		return nil, desk.MoveAppointment(ctx, moved)
	})
}

type cancelAppointmentCmd struct {
	appointmentFlags `embed:""`
}

func (c *cancelAppointmentCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.CancelAppointment, commands.CancelAppointment{Tenant: c.Tenant, Appointment: c.Appointment})
}

type markArrivedCmd struct {
	appointmentFlags `embed:""`
}

func (c *markArrivedCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.MarkArrived, commands.MarkArrived{Tenant: c.Tenant, Appointment: c.Appointment})
}

type callInPatientCmd struct {
	appointmentFlags `embed:""`
	Room             site.RoomID `placeholder:"UUID" help:"The room to come to; without it, none is shown."`
}

func (c *callInPatientCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.CallInPatient, commands.CallInPatient{
		Tenant: c.Tenant, Appointment: c.Appointment, Room: c.Room,
	})
}

type clearCallInCmd struct {
	appointmentFlags `embed:""`
}

func (c *clearCallInCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.ClearCallIn, commands.ClearCallIn{Tenant: c.Tenant, Appointment: c.Appointment})
}

type markDidNotAttendCmd struct {
	appointmentFlags `embed:""`
}

func (c *markDidNotAttendCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.MarkDidNotAttend, commands.MarkDidNotAttend{Tenant: c.Tenant, Appointment: c.Appointment})
}

type undoStepCmd struct {
	appointmentFlags `embed:""`
}

func (c *undoStepCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.UndoAppointmentStep, commands.UndoAppointmentStep{Tenant: c.Tenant, Appointment: c.Appointment})
}

type startConsultationCmd struct {
	term.PracticeFlags `embed:""`
	Patient            patient.ID     `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Appointment        appointment.ID `placeholder:"UUID" help:"The appointment's identifier, if there is one; its call-in ends."`
}

func (c *startConsultationCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "consultationId", commands.Desk.StartConsultation, commands.StartConsultation{
		Tenant: c.Tenant, Patient: c.Patient, Appointment: c.Appointment,
	})
}
