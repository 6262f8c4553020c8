package service

import (
	"errors"
	"fmt"
	"os"
	"time"

	"frontdesk/adapters/postgres/retention"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/event"
)

// RetainCmd moves old rows of the access record and of deliveries to files.
type RetainCmd struct {
	term.DatabaseFlag `embed:""`
	configFlag        `embed:""`
	AccessRetention   retention.Period `default:"never" placeholder:"PERIOD" help:"How long the access record and webhook history are kept: 8y, or 400d. Older whole months are moved to files. Without it, nothing is moved."`
	Archive           string           `type:"path" placeholder:"DIR" help:"The folder for the archives: a file and a manifest for each month. Use the same folder each time."`
	WithoutProof      bool             `help:"Also move lines of the access record that no signed checkpoint covers, where no frontdesk sign runs. You can then never prove that such an archive is complete and unchanged."`
	Wait              time.Duration    `default:"10m" help:"How long to wait for a table lock. The service keeps running."`
}

// Help returns the details, which a help text has no room for.
func (c *RetainCmd) Help() string {
	return `Run it every day, as the database's owner, with or without a period. It makes the partitions of this month and the next two.
With a period it also archives each month that is wholly older. A month is written to
DIR/<name>.jsonl.gz (one JSON object a line) with DIR/<name>.jsonl.gz.manifest.json, detached, noted in the event log
(audit.archived.v1), read back, and only then dropped. A run that is stopped is finished by the next one.
Lines of the access record are moved when a signed checkpoint covers them. The archive holds it, so frontdesk audit verify
can show later, without the database, that nothing in it was changed or left out.
Begin when all processes have been upgraded. docs/privacy/retention.md lists all stored data with its retention period.`
}

// Run makes partitions, and archives those that are old enough.
func (c *RetainCmd) Run(r *term.Run) error {
	if err := c.checkFolder(); err != nil {
		return err
	}
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	actor, err := engine.Operator(r.Context, term.Machine())
	if err != nil {
		return err
	}
	retain := engine.Retain()
	retain.Keep, retain.Dir, retain.Wait, retain.Tell = c.AccessRetention, c.Archive, c.Wait, r.Tell
	retain.Unproved = c.WithoutProof
	retain.Say = func(text string) { fmt.Fprintln(r.Out, text) }
	if err := retain.Run(event.WithMetadata(r.Context, event.Metadata{Actor: actor})); err != nil {
		return err
	}
	if c.AccessRetention.Forever() {
		fmt.Fprintln(r.Out, "nothing is moved to files: no --access-retention is set")
	}
	if err := engine.Drain(r.Context); err != nil {
		return fmt.Errorf("the archives are complete; their events reach the log as soon as a server runs: %w", err)
	}
	return nil
}

var errNoFolder = errors.New("--archive names no folder: create it first, in a place that is backed up")

func (c *RetainCmd) checkFolder() error {
	if c.Archive == "" {
		if c.AccessRetention.Forever() {
			return nil
		}
		return retention.ErrNoDir
	}
	if info, err := os.Stat(c.Archive); err != nil || !info.IsDir() {
		return errNoFolder
	}
	return nil
}
