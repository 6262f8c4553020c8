package audit

import (
	"encoding/json"
	"fmt"

	"frontdesk/cmd/frontdesk/cli/term"
)

type auditBeginEpochCmd struct {
	term.DatabaseFlag `embed:""`
	Reason            string `required:"" help:"What was restored, and to which instant. Stored unencrypted: do not include names."`
	Epoch             int    `placeholder:"N" help:"The number of the epoch, if frontdesk sign names one; the next one otherwise."`
	JSON              bool   `name:"json" help:"Print one JSON object."`
}

// Help returns the details, which a help text has no room for.
func (c *auditBeginEpochCmd) Help() string {
	return `The service detects on its own that its database is a copy, or was recovered or promoted. It cannot detect that a snapshot of the disk
was restored: the files look the same. Then run this as the owner of the database, before any process serves. Events from after
the snapshot are lost. Pending webhooks of earlier events are never sent, because they may have been sent already.`
}

// Run begins an epoch.
func (c *auditBeginEpochCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	actor, err := engine.Operator(r.Context, term.Machine())
	if err != nil {
		return err
	}
	begun, err := engine.Sequencer.DeclareEpoch(r.Context, c.Epoch, c.Reason, actor)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(begun)
	}
	_, err = fmt.Fprintf(r.Out, "epoch %d has begun after idx %d\n", begun.Epoch, begun.LastKnown)
	return err
}
