package audit

import (
	"encoding/json"
	"fmt"
	"slices"

	"frontdesk/adapters/postgres/retention"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// archiveFlags name the archive to verify.
type archiveFlags struct {
	Archive []string `env:"-" type:"path" placeholder:"FILE" help:"Verify an archive of the access record that frontdesk retain has written, <name>.jsonl.gz, with its manifest next to it; may be repeated. It needs --key, and no database."`
}

var errArchiveWithoutKey = fault.New(fault.Invalid, "key-missing", "--archive needs --key: the checkpoints in an archive count as much as the key that signed them.")

// archive verifies an archive.
func (c *auditVerifyCmd) archive(r *term.Run) error {
	policy, notes, err := c.trusted()
	if err != nil {
		return err
	}
	if policy == nil {
		return errArchiveWithoutKey
	}
	var kept []proof.Checkpoint
	for _, note := range notes {
		kept = append(kept, note.Checkpoint)
	}
	pieces, err := retention.Verify(c.Archive, *policy, kept)
	if err != nil {
		return term.Cause(err)
	}
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(pieces)
	}
	for _, p := range pieces {
		fmt.Fprintf(r.Out, "%s: entries %d to %d match the signed checkpoint: %d lines, and %d that other archives or the database hold\n",
			logName(p.Tenant), p.From, p.Size-1, p.Lines, p.Size-p.From-p.Lines)
	}
	for _, note := range notes {
		if !slices.ContainsFunc(pieces, func(p retention.Verified) bool { return p.Compares(note.Checkpoint) }) {
			fmt.Fprintf(r.Out, "not compared: %s, because the archive has nothing of its log at its size, %d\n", note.Name, note.Size)
		}
	}
	return nil
}

func logName(tenant string) string {
	if tenant == "" {
		return "no practice"
	}
	return "practice " + tenant
}
