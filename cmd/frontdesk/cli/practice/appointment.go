package practice

import (
	"time"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// AppointmentCommands are what can be typed about appointments.
type AppointmentCommands struct {
	BookAppointment   bookAppointmentCmd   `cmd:"" group:"day" help:"Expect a patient at a site."`
	MoveAppointment   moveAppointmentCmd   `cmd:"" group:"day" help:"Expect an appointment's patient at another time, at another site or both."`
	CancelAppointment cancelAppointmentCmd `cmd:"" group:"day" help:"Say that an appointment's patient is not expected any more."`
	MarkArrived       markArrivedCmd       `cmd:"" group:"day" help:"Say that an appointment's patient is there."`
	CallInPatient     callInPatientCmd     `cmd:"" group:"day" help:"Call an appointment's patient in."`
	ClearCallIn       clearCallInCmd       `cmd:"" group:"day" help:"Clear a call-in by hand."`
	MarkDidNotAttend  markDidNotAttendCmd  `cmd:"" group:"day" help:"Say that an appointment's patient did not attend."`
	StartConsultation startConsultationCmd `cmd:"" group:"day" help:"Begin a consultation, which ends its appointment's call-in."`
}

type bookAppointmentCmd struct {
	term.PracticeFlags `embed:""`
	Patient            patient.ID `required:"" placeholder:"UUID" help:"The patient's identifier."`
	Site               site.ID    `required:"" placeholder:"UUID" help:"The site's identifier."`
	At                 time.Time  `required:"" placeholder:"2006-01-02T15:04:05Z" help:"When the patient is expected, in RFC 3339."`
}

func (c *bookAppointmentCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "appointmentId", commands.Desk.BookAppointment, commands.BookAppointment{
		Tenant: c.Tenant, Patient: c.Patient, Site: c.Site, At: c.At,
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
}

func (c *moveAppointmentCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.MoveAppointment, commands.MoveAppointment{
		Tenant: c.Tenant, Appointment: c.Appointment, Site: c.Site, At: c.At,
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
