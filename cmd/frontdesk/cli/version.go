package cli

import (
	"encoding/json"
	"fmt"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the versions of the program's parts and of the schema that it needs.
func (c *versionCmd) Run(r *term.Run) error {
	v, err := app.ThisVersion()
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(v)
	}
	_, err = fmt.Fprint(r.Out, v)
	return err
}
