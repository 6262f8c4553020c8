package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
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
	"frontdesk/domain/staff"
)

// Streams are the standard streams of a run.
type Streams = term.Streams

// commandLine is the table of commands: help, completion and docs/operate/commands.md are
// made from it. The nouns hold their verbs. Verbs that run or keep the service have no noun.
// A command's help is a verb and its object, in at most eight words; its detail is the rest.
type commandLine struct {
	Serve   service.ServeCmd   `cmd:"" part:"service" help:"Serve the API and the staff pages." detail:"Run as many as you like."`
	Ready   service.ReadyCmd   `cmd:"" part:"service" help:"Check whether \"serve\" on this machine is ready."`
	Sign    service.SignCmd    `cmd:"" part:"service" help:"Sign checkpoints of the logs." detail:"Later changes to the logs are then detected. Run one for each database."`
	Witness service.WitnessCmd `cmd:"" part:"service" help:"Cosign the checkpoints of other operators' logs." detail:"Then every reader of such a log is shown the same history."`
	Relay   service.RelayCmd   `cmd:"" part:"service" help:"Send the event log to NATS JetStream." detail:"Run as many as you like."`
	Retain  service.RetainCmd  `cmd:"" part:"service" help:"Archive old access-record and delivery rows to files."`
	Migrate service.MigrateCmd `cmd:"" part:"service" help:"Apply database migrations."`
	Backup  service.BackupCmd  `cmd:"" part:"service" help:"Back up the database, and restore it."`
	Roles   service.RolesCmd   `cmd:"" part:"service" help:"Print SQL that creates the database roles." detail:"A superuser runs it."`
	Key     service.KeyCmd     `cmd:"" part:"service" help:"Manage signing keys and the master key."`
	Audit   audit.Commands     `cmd:"" part:"service" help:"Read, export and verify the event log."`
	Feed    integrate.FeedCmd  `cmd:"" part:"service" help:"Manage followers of the log on NATS JetStream."`

	Version    versionCmd    `cmd:"" part:"service" help:"Print the program's version and schema version."`
	Completion completionCmd `cmd:"" part:"service" help:"Generate shell completion scripts."`
	Help       helpCmd       `cmd:"" hidden:"" help:"Print the help of a command."`

	Apply         practice.ApplyCmd              `cmd:"" part:"practice" help:"Apply practice and application definitions from YAML files." detail:"It prints what they change."`
	Practice      practiceCmd                    `cmd:"" part:"practice" help:"Register, close, reopen and offboard practices."`
	RequestType   practice.RequestTypeCommands   `cmd:"" part:"practice" help:"Set when a practice accepts requests."`
	Application   practice.ApplicationCommands   `cmd:"" part:"practice" help:"Register applications and manage their access."`
	Authorisation practice.AuthorisationCommands `cmd:"" part:"practice" help:"Authorise applications to act for staff."`
	Staff         practice.StaffCommands         `cmd:"" part:"practice" help:"Invite staff and manage their access."`
	Team          practice.TeamCommands          `cmd:"" part:"practice" help:"Manage teams that requests are given to."`
	Site          practice.SiteCommands          `cmd:"" part:"practice" help:"Manage sites, rooms and waiting room screens."`
	Patient       practice.PatientCommands       `cmd:"" part:"practice" help:"Register patients and write their care records."`
	Request       practice.RequestCommands       `cmd:"" part:"practice" help:"Submit and process patient requests."`
	Appointment   practice.AppointmentCommands   `cmd:"" part:"practice" sandboxonly:"" help:"Book appointments and record attendance."`
	Erasure       practice.ErasureCommands       `cmd:"" part:"practice" help:"Erase people, with two operators."`

	Sandbox    integrate.SandboxCmd    `cmd:"" part:"integrators" help:"Run a local sandbox with a seeded practice." detail:"Loopback only. Without a verb, it starts one: sandbox start --help lists the flags."`
	Dev        integrate.DevCmd        `cmd:"" part:"integrators" help:"Connect your own application to a sandbox." detail:"It makes keys, grants and webhooks, and serves a page that shows all of it."`
	Token      integrate.TokenCmd      `cmd:"" part:"integrators" help:"Make keys, mint tokens and explain refusals."`
	Webhook    webhookCmd              `cmd:"" part:"integrators" help:"Register, receive, trigger and verify webhooks."`
	Integrator integrate.IntegratorCmd `cmd:"" part:"integrators" help:"Query a service and test your application."`
}

// practiceCmd holds the verbs of practices.
type practiceCmd struct {
	practice.Commands `embed:""`

	Offboard audit.OffboardPracticeCmd `cmd:"" help:"Stop a practice's applications and export its log." detail:"Nothing is erased."`
}

// webhookCmd holds the verbs of webhooks: of their URLs, and of those that are sent.
type webhookCmd struct {
	practice.WebhookURLCommands `embed:""`
	integrate.WebhookCommands   `embed:""`
}

// parts are the parts of the program's help, which commands name in their tags.
var parts = []struct{ name, title string }{
	{"service", "Service"},
	{"practice", "Practices"},
	{"integrators", "Integrators"},
}

const description = "frontdesk is an event-sourced practice-management service for medical practices."

// Main runs one command line and returns the exit status.
func Main(ctx context.Context, args []string, streams Streams) int {
	raw, out := streams, term.NewVisible(streams.Out)
	streams.Out, streams.Err = out, term.NewVisible(raw.Err)
	exited, status := false, 0
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
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
		help := helpFor(err)
		err = cmp.Or(unknownCommand(args), err)
		fmt.Fprintf(streams.Err, "frontdesk: %s\nFor help, run \"frontdesk %s\".\n", term.OneLine(err), help)
		return 2
	}
	preferSandbox(parsed)
	preferNearer(parsed)
	err = parsed.Run(&term.Run{Context: ctx, Streams: streams, Raw: raw, Now: clock.System, SandboxOnly: sandboxOnly(parsed.Selected())})
	if errors.Is(err, term.ErrDiffers) {
		err, status = nil, 3
	}
	if err = cmp.Or(err, out.Failure()); err != nil {
		fmt.Fprintf(streams.Err, "frontdesk: %s\n", term.OneLine(err))
		return 1
	}
	return status
}

// sandboxOnly reports whether a command, or its noun, does what only staff and applications do
// at a practice.
func sandboxOnly(node *kong.Node) bool {
	return node != nil && (node.Tag != nil && node.Tag.Has("sandboxonly") || sandboxOnly(node.Parent))
}

// onlyInSandbox ends the help of these commands.
const onlyInSandbox = "It works only with the database of a sandbox: at a practice, staff and applications do this."

// newParser returns the parser for the command lines of a grammar. It calls exit after --help.
func newParser(grammar any, raw Streams, exit func(code int)) (*kong.Kong, error) {
	return kong.New(grammar,
		kong.Name("frontdesk"), kong.Description(description), kong.UsageOnError(), kong.Writers(raw.Out, raw.Err),
		kong.DefaultEnvars("FRONTDESK"), kong.PostBuild(completeModel), kong.Exit(exit),
		kong.Resolvers(&operatorSettings{}),
		kong.BindTo(fileSettings{}, (*service.SettingsFiles)(nil)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: helpWidth}),
		kong.Help(printHelp), kong.ValueFormatter(withDefault),
		kong.TypeMapper(reflect.TypeFor[application.ID](), term.IDMapper(body.InvalidID("application"))),
		kong.TypeMapper(reflect.TypeFor[patient.ID](), term.IDMapper(body.InvalidID("patient"))),
		kong.TypeMapper(reflect.TypeFor[site.ID](), term.IDMapper(body.InvalidID("site"))),
		kong.TypeMapper(reflect.TypeFor[site.RoomID](), term.IDMapper(body.InvalidID("room"))),
		kong.TypeMapper(reflect.TypeFor[appointment.ID](), term.IDMapper(body.InvalidID("appointment"))),
		kong.TypeMapper(reflect.TypeFor[record.NoteID](), term.IDMapper(body.InvalidID("note"))),
		kong.TypeMapper(reflect.TypeFor[staff.TeamID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[display.ID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[request.ID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[request.AttachmentID](), term.IDMapper(body.InvalidID("attachment"))),
		kong.TypeMapper(reflect.TypeFor[uuid.UUID](), term.IDMapper(term.ErrInvalidID)),
		kong.TypeMapper(reflect.TypeFor[time.Time](), term.InstantMapper()), kong.NamedMapper("folder", kong.MapperFunc(term.Folder)),
	)
}

// completeModel gives commands the detail of their tags, and fills in flags such as
// `default:"${lockout}"` and the help of arguments from values of the program. Variables of
// kong would do the same. But kong expands each of them once for every flag there is,
// which took longer than most commands.
func completeModel(k *kong.Kong) error {
	all := term.ServiceDefaults()
	maps.Copy(all, term.WebhookDefaults())
	expand := func(text string) string { return os.Expand(text, func(name string) string { return all[name] }) }
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Command:
			node.Detail = strings.TrimSpace(node.Tag.Get("detail") + "\n\n" + node.Detail)
			if sandboxOnly(node) {
				node.Detail = strings.TrimSpace(node.Detail + "\n\n" + onlyInSandbox)
			}
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
