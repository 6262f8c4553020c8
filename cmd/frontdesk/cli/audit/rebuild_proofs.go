package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/proof"
)

var errOtherTrees = errors.New("the trees did not match the log, and have been rebuilt. Find out who has written to them, or changed the log since: frontdesk audit verify compares the log with the signed checkpoints")

// proofs rebuilds the trees in place of read models.
func (c *auditRebuildCmd) proofs(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	meter := term.NewMeter(r.Raw.Err, "rebuilding", "events")
	rebuild := engine.RebuildProofs()
	rebuild.Progress = meter.Show
	others, err := rebuild.Run(r.Context)
	meter.End()
	if r.Context.Err() != nil {
		return errors.New("stopped; the service builds the rest")
	}
	if err != nil {
		return err
	}
	if err := c.printTrees(r.Out, others); err != nil {
		return err
	}
	if len(others) > 0 {
		return errOtherTrees
	}
	return nil
}

// treeNamed is a tree as a machine reads it.
type treeNamed struct {
	Tenant string `json:"tenant"` // "" is the log of no practice
	Kind   string `json:"kind"`
}

func (c *auditRebuildCmd) printTrees(w io.Writer, others []proof.Tree) error {
	if c.JSON {
		named := []treeNamed{}
		for _, of := range others {
			named = append(named, treeNamed{of.Tenant, of.Kind.String()})
		}
		return json.NewEncoder(w).Encode(map[string]any{"others": named})
	}
	for _, of := range others {
		fmt.Fprintf(w, "the tree of %s (%s) was another\n", practiceNamed(of.Tenant), of.Kind)
	}
	if len(others) == 0 {
		fmt.Fprintln(w, "rebuilt; every tree was correct")
	}
	return nil
}

func practiceNamed(tenant string) string {
	if tenant == "" {
		return "no practice"
	}
	return tenant
}
