package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"frontdesk/adapters/postgres/replay"
)

type auditRebuildCmd struct {
	databaseFlag `embed:""`
	Projection   []string `placeholder:"NAME" help:"Only this read model, such as patients.v1; may be repeated."`
	Switch       bool     `help:"Put right what differs in one transaction, which appends wait for, and compare again."`
	Fresh        bool     `help:"Begin with the first event, even if an earlier run was stopped on the way: needed after an upgrade."`
	JSON         bool     `name:"json" help:"Print one JSON object."`
}

var errDiffers = errors.New("the read models differ from the log: --switch puts them right")

// Run rebuilds and compares. Ctrl-C stops it, and the next run goes on from there.
func (c *auditRebuildCmd) Run(r *run) error {
	engine, err := c.open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	rebuild, err := engine.Auditor.Rebuild(c.Projection)
	if err != nil {
		return err
	}
	meter := newMeter(r.Err, "rebuilding")
	rebuild.Fresh, rebuild.Switch, rebuild.Progress = c.Fresh, c.Switch, meter.show
	result, err := rebuild.Run(r.ctx)
	meter.end()
	if r.ctx.Err() != nil {
		return errors.New("stopped; the next run goes on from here (--fresh begins anew)")
	}
	if err != nil {
		return err
	}
	if err := c.print(r.Out, result); err != nil {
		return err
	}
	if len(result.Differences) > 0 && !result.Switched {
		return errDiffers
	}
	return nil
}

func (c *auditRebuildCmd) print(w io.Writer, result replay.Result) error {
	if c.JSON {
		if result.Differences == nil {
			result.Differences = []replay.Difference{}
		}
		return json.NewEncoder(w).Encode(result)
	}
	fmt.Fprintf(w, "compared at idx %d\n", result.Idx)
	for _, d := range result.Differences {
		fmt.Fprintf(w, "%s: table %s lacks %d rows that the log tells of and has %d that it does not: %s\n",
			d.Projection, d.Table, d.Missing, d.Strange, strings.Join(d.Keys, " "))
	}
	switch {
	case len(result.Differences) == 0:
		fmt.Fprintln(w, "no difference")
	case result.Switched:
		fmt.Fprintf(w, "put right; appends waited for %s at the longest\n", result.Held)
	}
	return nil
}
