// Package practice holds the subcommands about practices: each passes an intent to the
// desk, or lists the read models. A subcommand is in the file of its noun.
package practice

import (
	"context"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/application"
	domain "frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Commands are the verbs of practices, except for offboarding.
type Commands struct {
	List     listPracticesCmd    `cmd:"" help:"List all practices."`
	Register registerPracticeCmd `cmd:"" help:"Register a practice."`
	Export   exportPracticeCmd   `cmd:"" help:"Export a practice in the form of apply." detail:"The output is YAML that matches the practice as it is: hours, closures, sites, roles of staff and the applications that it has enabled. It has no patients, passwords or people who have left."`
	Close    closePracticeCmd    `cmd:"" help:"Close a practice to all requests." detail:"It takes no requests of any type, from now or from an instant on."`
	Reopen   reopenPracticeCmd   `cmd:"" help:"End a closure of a practice."`

	ListPasskeyRoles listPasskeyRolesCmd `cmd:"" help:"List which roles need a passkey."`
	SetPasskeyRule   setPasskeyRuleCmd   `cmd:"" help:"Set which roles need a passkey." detail:"Managers of the practice do the same on a page. Once anyone at the practice has a password, only a manager with a passkey takes a role off."`

	SetNoteTemplate setNoteTemplateCmd `cmd:"" help:"Set or remove a note template." detail:"Staff insert it into notes on requests. Managers of the practice do the same on a page."`
	SetInformation  setInformationCmd  `cmd:"" help:"Set a text of subject access packs." detail:"Managers of the practice do the same on a page."`
}

// RequestTypeCommands are the verbs of the types of request that a practice accepts.
type RequestTypeCommands struct {
	SwitchOff switchRequestTypeOffCmd `cmd:"" help:"Stop accepting a type of request."`
	SwitchOn  switchRequestTypeOnCmd  `cmd:"" help:"Start accepting a type of request."`
	Pause     pauseRequestTypeCmd     `cmd:"" help:"Stop accepting a type of request temporarily."`
	Resume    resumeRequestTypeCmd    `cmd:"" help:"End a pause of a request type."`
	SetHours  setOpeningHoursCmd      `cmd:"" help:"Set when a type of request is accepted."`
}

type registerPracticeCmd struct {
	term.PracticeFlags `embed:""`
	Name               string `required:"" help:"The practice's name."`
	TimeZone           string `default:"Europe/London" help:"Its IANA time zone."`
}

func (c *registerPracticeCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return term.Made{"tenantId": c.Tenant}, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: c.Tenant, Name: c.Name, TimeZone: c.TimeZone})
	})
}

// enablementFlags name an application at a practice.
type enablementFlags struct {
	term.PracticeFlags `embed:""`
	Application        application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

type enableApplicationCmd struct {
	enablementFlags `embed:""`
}

func (c *enableApplicationCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.EnableApplication, commands.EnableApplication{Tenant: c.Tenant, Application: c.Application})
}

type disableApplicationCmd struct {
	enablementFlags  `embed:""`
	term.TakingFlags `embed:""`
}

func (c *disableApplicationCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.DisableApplication]{
		Tenant: c.Tenant, Follows: "The application can no longer call for the practice.",
		Intent: commands.Desk.DisableApplication, Given: commands.DisableApplication{Tenant: c.Tenant, Application: c.Application},
	})
}

// requestTypeFlags name a request type of a practice.
type requestTypeFlags struct {
	term.PracticeFlags `embed:""`
	RequestType        request.Type `required:"" placeholder:"medical|admin" help:"The request type."`
}

type switchRequestTypeOffCmd struct {
	requestTypeFlags `embed:""`
	term.TakingFlags `embed:""`
}

func (c *switchRequestTypeOffCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.SwitchRequestTypeOff]{
		Tenant: c.Tenant, Follows: "The practice then accepts no requests of this type.",
		Intent: commands.Desk.SwitchRequestTypeOff, Given: commands.SwitchRequestTypeOff{Tenant: c.Tenant, RequestType: c.RequestType},
	})
}

type switchRequestTypeOnCmd struct {
	requestTypeFlags `embed:""`
}

func (c *switchRequestTypeOnCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.SwitchRequestTypeOn, commands.SwitchRequestTypeOn{Tenant: c.Tenant, RequestType: c.RequestType})
}

type pauseRequestTypeCmd struct {
	requestTypeFlags `embed:""`
	Until            time.Time `placeholder:"INSTANT" help:"When it resumes by itself, like 2026-03-02T13:00:00Z; without it, when it is resumed."`
	term.TakingFlags `embed:""`
}

func (c *pauseRequestTypeCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.PauseRequestType]{
		Tenant: c.Tenant, Follows: "The practice then accepts no requests of this type until the pause ends.",
		Intent: commands.Desk.PauseRequestType, Given: commands.PauseRequestType{Tenant: c.Tenant, RequestType: c.RequestType, Until: c.Until},
	})
}

type resumeRequestTypeCmd struct {
	requestTypeFlags `embed:""`
}

func (c *resumeRequestTypeCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.ResumeRequestType, commands.ResumeRequestType{Tenant: c.Tenant, RequestType: c.RequestType})
}

type setOpeningHoursCmd struct {
	requestTypeFlags `embed:""`
	Hours            []string `sep:"none" placeholder:"'mon 08:00-12:30'" help:"Opening hours, in the practice's time zone; may be repeated, also for one day. 22:00-06:00 spans midnight. Without any, it is always open."`
}

func (c *setOpeningHoursCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.SetOpeningHours, commands.SetOpeningHours{
		Tenant: c.Tenant, RequestType: c.RequestType, Hours: c.Hours,
	})
}

type closePracticeCmd struct {
	term.PracticeFlags `embed:""`
	From               time.Time `placeholder:"INSTANT" help:"When it closes, like 2026-12-24T12:00:00Z; without it, now."`
	Until              time.Time `placeholder:"INSTANT" help:"When it opens again; without it, when it is reopened."`
	term.TakingFlags   `embed:""`
}

func (c *closePracticeCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.ClosePractice]{
		Tenant: c.Tenant, Follows: "The practice accepts no requests while it is closed.",
		Intent: commands.Desk.ClosePractice, Given: commands.ClosePractice{Tenant: c.Tenant, From: c.From, Until: c.Until},
	})
}

type reopenPracticeCmd struct {
	term.PracticeFlags `embed:""`
	From               time.Time `placeholder:"INSTANT" help:"When it opens again; without it, now. The start of a planned closure cancels it."`
}

func (c *reopenPracticeCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.ReopenPractice, commands.ReopenPractice{Tenant: c.Tenant, From: c.From})
}

type setInformationCmd struct {
	term.PracticeFlags `embed:""`
	Topic              domain.Topic `required:"" placeholder:"TOPIC" help:"One of purposes, retention-period, rights, complaints, automated-decisions and transfers."`
	Text               string       `required:"" help:"The text for patients, in at most 2,000 characters."`
}

func (c *setInformationCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.SetSubjectAccessInformation, commands.SetSubjectAccessInformation{
		Tenant: c.Tenant, Texts: map[domain.Topic]string{c.Topic: c.Text}, Seen: -1,
	})
}

type setNoteTemplateCmd struct {
	term.PracticeFlags `embed:""`
	Name               string `required:"" help:"The template's name, in at most 60 characters."`
	Text               string `help:"Its text, in at most 2,000 characters; without it, the template is removed."`
}

func (c *setNoteTemplateCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.SetNoteTemplate, commands.SetNoteTemplate{Tenant: c.Tenant, Name: c.Name, Text: c.Text})
}
