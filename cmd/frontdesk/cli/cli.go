package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/cmd/frontdesk/cli/audit"
	"frontdesk/cmd/frontdesk/cli/integrate"
	"frontdesk/cmd/frontdesk/cli/practice"
	"frontdesk/cmd/frontdesk/cli/service"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// Streams are the standard streams of a run.
type Streams = term.Streams

// commandLine is everything that can be typed. The commands about a noun of the
// practice are listed in the noun's file.
type commandLine struct {
	Sandbox integrate.SandboxCmd    `cmd:"" group:"service" help:"Run everything on this machine, seeded with a practice, to try it out. Loopback only."`
	Serve   service.ServeCmd        `cmd:"" group:"service" help:"Serve the API in production. Run as many as you like."`
	Ready   service.ReadyCmd        `cmd:"" group:"service" help:"Ask the \"serve\" of this machine whether it is ready for calls."`
	Roles   service.RolesCmd        `cmd:"" group:"service" help:"Print the SQL that makes the roles of the database, for a superuser."`
	Migrate service.MigrateCmd      `cmd:"" group:"service" help:"Bring the database schema up to this program."`
	Keys    service.KeysCmd         `cmd:"" group:"service" help:"Look after the keys that webhooks are signed with."`
	Audit   audit.Commands          `cmd:"" group:"service" help:"Read the event log."`
	Sign    service.SignCmd         `cmd:"" group:"service" help:"Sign how far the logs have come, so that nobody can change them unseen. One for each database."`
	Relay   service.RelayCmd        `cmd:"" group:"service" help:"Hand the event log to NATS JetStream, for followers outside of the database. Run as many as you like."`
	Feed    integrate.FeedCmd       `cmd:"" group:"service" help:"Let others follow the event log by NATS JetStream."`
	Witness service.WitnessCmd      `cmd:"" group:"service" help:"Cosign the checkpoints of logs that somebody else runs, so that nobody can be shown another history."`
	Retain  service.RetainCmd       `cmd:"" group:"service" help:"Keep the access record and the deliveries no longer than needed: move what is old to files."`
	Dev     integrate.DevCmd        `cmd:"" group:"integrators" help:"Make your own code base an application of a sandbox: keys, grants, webhooks, and a page that shows it all."`
	Token   integrate.TokenCmd      `cmd:"" group:"integrators" help:"Make keys, mint tokens, and say what is wrong with one."`
	Webhook integrate.WebhookCmd    `cmd:"" group:"integrators" help:"Receive, trigger and verify webhooks."`
	Checks  integrate.CheckCommands `embed:""`

	Integrator integrate.IntegratorCmd `cmd:"" group:"integrators" help:"Ask a service what it knows of an application: its calls, its webhooks, its keys."`

	Version    versionCmd    `cmd:"" group:"program" help:"Say which program this is, and which database schema it needs."`
	Completion completionCmd `cmd:"" group:"program" help:"Teach a shell to complete command lines."`

	Practices practice.Commands `embed:""`

	OffboardPractice audit.OffboardPracticeCmd `cmd:"" group:"practice" help:"Stop everything that applications do for a practice, and export its log. Nothing is erased."`

	Availability   practice.AvailabilityCommands  `embed:""`
	Applications   practice.ApplicationCommands   `embed:""`
	Registrations  practice.RegistrationCommands  `embed:""`
	Staff          practice.StaffCommands         `embed:""`
	Authorisations practice.AuthorisationCommands `embed:""`
	Patients       practice.PatientCommands       `embed:""`
	Requests       practice.RequestCommands       `embed:""`
	Erasures       practice.ErasureCommands       `embed:""`
	Sites          practice.SiteCommands          `embed:""`
	Appointments   practice.AppointmentCommands   `embed:""`
	Records        practice.RecordCommands        `embed:""`
}

var groups = []kong.Group{
	{Key: "service", Title: "The service"},
	{Key: "integrators", Title: "For integrators"},
	{Key: "practice", Title: "Practices"},
	{Key: "application", Title: "Applications"},
	{Key: "staff", Title: "Staff"},
	{Key: "authorisation", Title: "User authorisations"},
	{Key: "patient", Title: "Patients"},
	{Key: "request", Title: "What a practice does with patient requests"},
	{Key: "erasure", Title: "Erasure, by two operators"},
	{Key: "day", Title: "A practice's day"},
	{Key: "program", Title: "The program"},
}

const description = `An event-sourced practice-management service for medical practices.

Start with "frontdesk sandbox". Every flag can be given in the environment: --database-url is FRONTDESK_DATABASE_URL. Commands with
--config also read flags from a file. What is typed wins over the environment, and that over the file.`

// Main runs one command line and returns the exit status.
func Main(ctx context.Context, args []string, streams Streams) int {
	raw, out := streams, term.NewVisible(streams.Out)
	streams.Out, streams.Err = out, term.NewVisible(raw.Err)
	exited, status := false, 0
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parser, err := newParser(grammar(args[0]), raw, func(code int) { exited, status = true, code })
	if err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %v\n", err) // the struct above is wrong
		return 1
	}
	parsed, err := parser.Parse(args)
	if exited {
		return status
	}
	if err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %s\nRun \"frontdesk %s\" for what can be given.\n", term.OneLine(err), helpFor(err))
		return 2
	}
	preferSandbox(parsed)
	preferNearer(parsed)
	err = parsed.Run(&term.Run{Context: ctx, Streams: streams, Raw: raw, Now: clock.System})
	if err = cmp.Or(err, out.Failure()); err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %s\n", term.OneLine(err))
		return 1
	}
	return 0
}

// newParser returns what understands the command lines of a grammar. It calls exit after --help.
func newParser(grammar any, raw Streams, exit func(code int)) (*kong.Kong, error) {
	return kong.New(grammar,
		kong.Name("frontdesk"), kong.Description(description), kong.UsageOnError(), kong.Writers(raw.Out, raw.Err),
		kong.DefaultEnvars("FRONTDESK"), kong.ExplicitGroups(groups), kong.PostBuild(setDefaults), kong.Exit(exit),
		kong.BindTo(fileSettings{}, (*service.SettingsFiles)(nil)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.ValueFormatter(withDefault),
		kong.TypeMapper(reflect.TypeFor[application.ID](), term.IDMapper(body.InvalidID("application"))),
		kong.TypeMapper(reflect.TypeFor[patient.ID](), term.IDMapper(body.InvalidID("patient"))),
		kong.TypeMapper(reflect.TypeFor[site.ID](), term.IDMapper(body.InvalidID("site"))),
		kong.TypeMapper(reflect.TypeFor[site.RoomID](), term.IDMapper(body.InvalidID("room"))),
		kong.TypeMapper(reflect.TypeFor[appointment.ID](), term.IDMapper(body.InvalidID("appointment"))),
		kong.TypeMapper(reflect.TypeFor[record.NoteID](), term.IDMapper(body.InvalidID("note"))),
		kong.TypeMapper(reflect.TypeFor[display.ID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[request.ID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[request.AttachmentID](), term.IDMapper(body.InvalidID("attachment"))),
		kong.TypeMapper(reflect.TypeFor[uuid.UUID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[time.Time](), term.InstantMapper()), kong.NamedMapper("folder", kong.MapperFunc(term.Folder)),
	)
}

// setDefaults gives flags such as `default:"${lockout}"` and the help of arguments what the
// program has. Variables of kong would do the same. But kong expands each of them once for every flag there is,
// which took longer than most commands.
func setDefaults(k *kong.Kong) error {
	all := term.ServiceDefaults()
	maps.Copy(all, term.WebhookDefaults())
	expand := func(text string) string { return os.Expand(text, func(name string) string { return all[name] }) }
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Flag:
			node.Default = expand(node.Default)
		case *kong.Value:
			if node.Flag == nil { // an argument
				node.Help = expand(node.Help)
			}
		}
		return next(nil)
	})
}

// withDefault returns the help of a flag or an argument. kong prints the default of a flag as
// its placeholder, so where the flag has another placeholder the help names the default.
func withDefault(value *kong.Value) string {
	if value.Flag != nil && value.Flag.PlaceHolder != "" && value.Default != "" {
		help, dot := strings.CutSuffix(value.Help, ".")
		help += fmt.Sprintf(" (default %s)", value.Default)
		if dot {
			help += "."
		}
		described := *value
		described.Help, value = help, &described
	}
	return kong.DefaultHelpValueFormatter(value)
}

func helpFor(err error) string {
	if parsing, ok := errors.AsType[*kong.ParseError](err); ok && parsing.Context.Selected() != nil {
		return parsing.Context.Selected().Path() + " --help"
	}
	return "--help"
}
