package cli

import (
	"fmt"
	"time"

	"frontdesk/cmd/frontdesk/app"
)

type sealLogCmd struct {
	databaseFlag   `embed:""`
	masterKeyFlags `embed:""`
	Wait           time.Duration `default:"10m" help:"How long to ask for a table that somebody else holds. Calls go on meanwhile."`
}

// Run seals what is left in clear. Ctrl-C stops it, and the next run goes on from there.
func (c *sealLogCmd) Run(r *run) error {
	master, err := c.read(r)
	if err != nil {
		return err
	}
	meter := newMeter(r.raw.Err, "sealing", "events")
	work := app.SealLog{Machine: machine(), Wait: c.Wait, Progress: meter.show, Tell: func(text string) { meter.end(); r.tell(text) }}
	events, changed, err := work.Run(r.ctx, app.Config{DatabaseURL: c.DatabaseURL, MasterKey: master})
	meter.end()
	if err != nil {
		return err
	}
	if !changed {
		fmt.Fprintln(r.Out, "nothing was left to seal")
		return nil
	}
	fmt.Fprintf(r.Out, "sealed: %d events were in clear; now VACUUM the table events, and let backups of before expire\n", events)
	return nil
}
