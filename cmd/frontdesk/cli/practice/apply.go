package practice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/apply"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/staff"
)

var errExitCode = errors.New("--exit-code needs --dry-run: without it, the changes are made")

// ApplyCmd makes practices and applications as files declare them.
type ApplyCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	term.NetworkFlag    `embed:""`
	linkFlag            `embed:""`
	File                []string `short:"f" required:"" sep:"none" placeholder:"FILE" help:"YAML that declares practices and applications; - is standard input; may be repeated."`
	DryRun              bool     `help:"Print the changes without making them."`
	ExitCode            bool     `help:"With --dry-run: end with status 3 if something would change."`
	Links               string   `placeholder:"FILE" help:"Invite staff who are new or cannot sign in yet: their links are added to this file, one JSON object a line. Without it, they are only registered."`
	JSON                bool     `name:"json" help:"Print one JSON object for each document."`
}

// Run checks all documents, and then carries them out. Ctrl-C and a kill leave each of
// them done or not begun; the next run goes on.
func (c *ApplyCmd) Run(r *term.Run) error {
	if c.ExitCode && !c.DryRun {
		return errExitCode
	}
	files, err := c.read(r)
	if err != nil {
		return err
	}
	links, err := c.openLinks(r)
	if err != nil {
		return err
	}
	defer links.close()
	master, err := c.Given(r)
	if err != nil {
		return err
	}
	engine, ctx, err := c.OpenDesk(r, app.Config{MasterKeys: master, AllowNetwork: c.AllowNetwork})
	if err != nil {
		return err
	}
	defer engine.Close()
	report := newApplyReport(r, c.DryRun, c.JSON)
	work := &apply.Run{Desk: engine.Desk, Current: engine.Current(), Progress: report.meter.Show}
	if c.Links != "" {
		work.Hand = links.hand
	}
	if err := c.check(ctx, engine, work, files, report); err != nil || c.DryRun {
		return err
	}
	return c.carryOut(ctx, engine, work, report)
}

// read reads all files, so that both passes see the same.
func (c *ApplyCmd) read(r *term.Run) (*apply.Files, error) {
	files := &apply.Files{}
	for _, name := range c.File {
		if err := addFile(r, files, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func addFile(r *term.Run, files *apply.Files, name string) error {
	if name == "-" {
		return files.Add("standard input", r.In)
	}
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, term.Cause(err))
	}
	defer file.Close()
	return files.Add(name, file)
}

// check has everything refused that can be, before the first change.
func (c *ApplyCmd) check(ctx context.Context, engine *app.Engine, work *apply.Run, files *apply.Files, report *applyReport) error {
	seals := false
	work.Tell = func(o apply.Outcome) error {
		seals = seals || hires(o)
		return report.checked(o)
	}
	tally, err := work.Check(ctx, files)
	report.meter.End()
	if err := report.refused(err); err != nil {
		return err
	}
	if seals {
		if err := engine.CanOpen(); err != nil {
			return err
		}
	}
	if err := report.summary(tally, c.DryRun); err != nil {
		return err
	}
	if c.ExitCode && tally.Changed > 0 {
		return term.ErrDiffers
	}
	return nil
}

// hires reports whether a document adds a member of staff, whose name is encrypted.
func hires(o apply.Outcome) bool {
	for _, change := range o.Changes {
		for _, e := range change.Events {
			if _, is := e.(staff.Registered); is {
				return true
			}
		}
	}
	return false
}

func (c *ApplyCmd) carryOut(ctx context.Context, engine *app.Engine, work *apply.Run, report *applyReport) error {
	work.Tell = report.done
	tally, err := work.Apply(ctx)
	report.meter.End()
	if err != nil {
		return fmt.Errorf("%w (%d documents are done; apply the same files again to go on)", err, tally.Documents)
	}
	if err := engine.Drain(ctx); err != nil {
		return fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return report.summary(tally, true)
}
