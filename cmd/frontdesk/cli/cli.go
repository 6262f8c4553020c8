package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// Streams are the standard streams of a run.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// commandLine is everything that can be typed.
type commandLine struct {
	Sandbox sandboxCmd `cmd:"" group:"service" help:"Run everything on this machine, seeded with a practice, to try it out. Loopback only."`
	Serve   serveCmd   `cmd:"" group:"service" help:"Serve the API in production. Run as many as you like."`
	Migrate migrateCmd `cmd:"" group:"service" help:"Bring the database schema up to this program."`
	Keys    keysCmd    `cmd:"" group:"service" help:"Look after the keys that webhooks are signed with."`
	Audit   auditCmd   `cmd:"" group:"service" help:"Read the event log."`
	Token   tokenCmd   `cmd:"" group:"integrators" help:"Make keys, mint tokens, and say what is wrong with one."`
	Webhook webhookCmd `cmd:"" group:"integrators" help:"Receive, trigger and verify webhooks."`

	RegisterPractice   registerPracticeCmd   `cmd:"" group:"practice" help:"Make a medical practice a tenant."`
	EnableApplication  enableApplicationCmd  `cmd:"" group:"practice" help:"Let an application call for a practice."`
	DisableApplication disableApplicationCmd `cmd:"" group:"practice" help:"Stop an application from calling for a practice, at once."`

	SwitchRequestTypeOff switchRequestTypeOffCmd `cmd:"" group:"practice" help:"Stop taking requests of a type."`
	SwitchRequestTypeOn  switchRequestTypeOnCmd  `cmd:"" group:"practice" help:"Take them again."`
	PauseRequestType     pauseRequestTypeCmd     `cmd:"" group:"practice" help:"Stop taking requests of a type for a while."`
	ResumeRequestType    resumeRequestTypeCmd    `cmd:"" group:"practice" help:"End a pause."`
	SetOpeningHours      setOpeningHoursCmd      `cmd:"" group:"practice" help:"Say when requests of a type are taken."`
	ClosePractice        closePracticeCmd        `cmd:"" group:"practice" help:"Take no requests of any type, from now or an instant on."`
	ReopenPractice       reopenPracticeCmd       `cmd:"" group:"practice" help:"End a closure."`

	RegisterApplication registerApplicationCmd `cmd:"" group:"application" help:"Make an external application known, once for all practices."`
	SetJWKSURL          setJWKSURLCmd          `cmd:"" name:"set-jwks-url" group:"application" help:"Say where an application's public keys are."`
	AddCallback         addCallbackCmd         `cmd:"" group:"application" help:"Register an address that staff may be sent to after approval."`
	RemoveCallback      removeCallbackCmd      `cmd:"" group:"application" help:"Forget such an address."`
	GrantEndpoint       grantEndpointCmd       `cmd:"" group:"application" help:"Let an application call one endpoint in one mode."`
	RevokeEndpoint      revokeEndpointCmd      `cmd:"" group:"application" help:"Take one endpoint in one mode back, at once."`
	MarkPatientScoped   markPatientScopedCmd   `cmd:"" group:"application" help:"Mark an application as an integration with patient-scoped authorisations."`
	UnmarkPatientScoped unmarkPatientScopedCmd `cmd:"" group:"application" help:"Take that mark away."`
	SetWebhook          setWebhookCmd          `cmd:"" group:"application" help:"Say where an application is told of events of one kind."`
	RemoveWebhook       removeWebhookCmd       `cmd:"" group:"application" help:"Tell it of them no more."`

	RegisterStaff   registerStaffCmd   `cmd:"" group:"staff" help:"Make somebody a member of staff."`
	SetPassword     setPasswordCmd     `cmd:"" group:"staff" help:"Set the password of a member of staff; their sessions end."`
	DeactivateStaff deactivateStaffCmd `cmd:"" group:"staff" help:"End what a member of staff may do, at once."`

	GrantUserAuthorisation          grantUserAuthorisationCmd          `cmd:"" group:"authorisation" help:"Let an application act for a member of staff, for 12 hours."`
	GrantPatientScopedAuthorisation grantPatientScopedAuthorisationCmd `cmd:"" group:"authorisation" help:"The same, for one patient alone."`
	RevokeUserAuthorisation         revokeUserAuthorisationCmd         `cmd:"" group:"authorisation" help:"End an authorisation, at once."`

	RegisterPatient       registerPatientCmd       `cmd:"" group:"patient" help:"Make somebody a patient of a practice."`
	RestrictPatientRecord restrictPatientRecordCmd `cmd:"" group:"patient" help:"Let only named staff see a patient's record; name none to lift it."`
	SubmitPatientRequest  submitPatientRequestCmd  `cmd:"" group:"patient" help:"Submit a patient request from a JSON file, as an application would."`

	AddSite           addSiteCmd           `cmd:"" group:"day" help:"Add a place where a practice sees its patients."`
	AddRoom           addRoomCmd           `cmd:"" group:"day" help:"Add a room to a site."`
	BookAppointment   bookAppointmentCmd   `cmd:"" group:"day" help:"Expect a patient at a site."`
	CallInPatient     callInPatientCmd     `cmd:"" group:"day" help:"Call an appointment's patient in."`
	ClearCallIn       clearCallInCmd       `cmd:"" group:"day" help:"Clear a call-in by hand."`
	MarkDidNotAttend  markDidNotAttendCmd  `cmd:"" group:"day" help:"Say that an appointment's patient did not attend."`
	StartConsultation startConsultationCmd `cmd:"" group:"day" help:"Begin a consultation, which ends its appointment's call-in."`
	OpenCareRecord    openCareRecordCmd    `cmd:"" group:"day" help:"Record that a patient's care record is opened."`
	CreateNote        createNoteCmd        `cmd:"" group:"day" help:"Add a note to a patient's care record."`
}

var groups = []kong.Group{
	{Key: "service", Title: "The service"},
	{Key: "integrators", Title: "For integrators"},
	{Key: "practice", Title: "Practices"},
	{Key: "application", Title: "Applications"},
	{Key: "staff", Title: "Staff"},
	{Key: "authorisation", Title: "User authorisations"},
	{Key: "patient", Title: "Patients"},
	{Key: "day", Title: "A practice's day"},
}

const description = `An event-sourced practice-management service for medical practices.

Start with "frontdesk sandbox". Every flag can be given in the environment: --database-url is FRONTDESK_DATABASE_URL.`

// Main runs one command line and returns the exit status.
func Main(ctx context.Context, args []string, streams Streams) int {
	var line commandLine
	exited, status := false, 0
	parser, err := kong.New(&line,
		kong.Name("frontdesk"), kong.Description(description), kong.UsageOnError(), kong.Writers(streams.Out, streams.Err),
		kong.DefaultEnvars("FRONTDESK"), kong.ExplicitGroups(groups), serviceDefaults(), webhookDefaults(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.TypeMapper(reflect.TypeFor[application.ID](), idMapper[application.ID]()),
		kong.TypeMapper(reflect.TypeFor[patient.ID](), idMapper[patient.ID]()),
		kong.TypeMapper(reflect.TypeFor[site.ID](), idMapper[site.ID]()),
		kong.TypeMapper(reflect.TypeFor[site.RoomID](), idMapper[site.RoomID]()),
		kong.TypeMapper(reflect.TypeFor[appointment.ID](), idMapper[appointment.ID]()),
		kong.TypeMapper(reflect.TypeFor[request.AttachmentID](), idMapper[request.AttachmentID]()),
		kong.Exit(func(code int) { exited, status = true, code }),
	)
	if err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %v\n", err) // the struct above is wrong
		return 1
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited {
		return status
	}
	if err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %v\nRun \"frontdesk %s\" for what can be given.\n", err, helpFor(err))
		return 2
	}
	if err := parsed.Run(&run{ctx, streams}); err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %s\n", oneLine(err))
		return 1
	}
	return 0
}

// run is what a subcommand is given: the streams, and when to stop.
type run struct {
	ctx context.Context //nolint:containedctx // kong hands one value to Run
	Streams
}

func helpFor(err error) string {
	if parsing, ok := errors.AsType[*kong.ParseError](err); ok && parsing.Context.Selected() != nil {
		return parsing.Context.Selected().Path() + " --help"
	}
	return "--help"
}

// oneLine is an error in one line: of a refusal, its sentence and its code.
func oneLine(err error) string {
	text := err.Error()
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Kind != fault.Unavailable {
		text = refusal.Detail + " (" + refusal.Code + ")"
	}
	if list, ok := errors.AsType[fault.List](err); ok {
		text = list.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// idMapper reads an identifier in its usual form of 36 characters.
func idMapper[T ~struct{ uuid.UUID }]() kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("uuid", &text); err != nil {
			return err
		}
		id, err := uuid.Parse(text)
		if err != nil || len(text) != 36 {
			return fmt.Errorf("%q is not a UUID", text)
		}
		target.Set(reflect.ValueOf(T{id}))
		return nil
	}
}
