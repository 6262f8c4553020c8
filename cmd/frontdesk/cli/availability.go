package cli

import (
	"context"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/request"
)

// requestTypeFlags name one request type of a practice.
type requestTypeFlags struct {
	Tenant      string       `required:"" help:"The practice's tenant identifier."`
	RequestType request.Type `required:"" placeholder:"medical|admin" help:"The request type."`
}

type switchRequestTypeOffCmd struct {
	engineFlags      `embed:""`
	requestTypeFlags `embed:""`
}

// Run carries the command out.
func (c *switchRequestTypeOffCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SwitchRequestTypeOff(ctx, commands.SwitchRequestTypeOff{Tenant: c.Tenant, RequestType: c.RequestType})
	})
}

type switchRequestTypeOnCmd struct {
	engineFlags      `embed:""`
	requestTypeFlags `embed:""`
}

// Run carries the command out.
func (c *switchRequestTypeOnCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SwitchRequestTypeOn(ctx, commands.SwitchRequestTypeOn{Tenant: c.Tenant, RequestType: c.RequestType})
	})
}

type pauseRequestTypeCmd struct {
	engineFlags      `embed:""`
	requestTypeFlags `embed:""`
	Until            time.Time `placeholder:"INSTANT" help:"When it resumes by itself, like 2026-03-02T13:00:00Z; without it, when it is resumed."`
}

// Run carries the command out.
func (c *pauseRequestTypeCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.PauseRequestType(ctx, commands.PauseRequestType{
			Tenant: c.Tenant, RequestType: c.RequestType, Until: c.Until,
		})
	})
}

type resumeRequestTypeCmd struct {
	engineFlags      `embed:""`
	requestTypeFlags `embed:""`
}

// Run carries the command out.
func (c *resumeRequestTypeCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.ResumeRequestType(ctx, commands.ResumeRequestType{Tenant: c.Tenant, RequestType: c.RequestType})
	})
}

type setOpeningHoursCmd struct {
	engineFlags      `embed:""`
	requestTypeFlags `embed:""`
	Hours            []string `sep:"none" placeholder:"'mon 08:00-12:30'" help:"When it is open, in the practice's time zone; may be repeated, also for one day. 22:00-06:00 spans midnight. Without any, it is always open."`
}

// Run carries the command out.
func (c *setOpeningHoursCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetOpeningHours(ctx, commands.SetOpeningHours{
			Tenant: c.Tenant, RequestType: c.RequestType, Hours: c.Hours,
		})
	})
}

type closePracticeCmd struct {
	engineFlags `embed:""`
	Tenant      string    `required:"" help:"The practice's tenant identifier."`
	From        time.Time `placeholder:"INSTANT" help:"When it closes, like 2026-12-24T12:00:00Z; without it, now."`
	Until       time.Time `placeholder:"INSTANT" help:"When it is open again; without it, when it is reopened."`
}

// Run carries the command out.
func (c *closePracticeCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.ClosePractice(ctx, commands.ClosePractice{Tenant: c.Tenant, From: c.From, Until: c.Until})
	})
}

type reopenPracticeCmd struct {
	engineFlags `embed:""`
	Tenant      string    `required:"" help:"The practice's tenant identifier."`
	From        time.Time `placeholder:"INSTANT" help:"When it is open again; without it, now. The beginning of a planned closure calls it off."`
}

// Run carries the command out.
func (c *reopenPracticeCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.ReopenPractice(ctx, commands.ReopenPractice{Tenant: c.Tenant, From: c.From})
	})
}
