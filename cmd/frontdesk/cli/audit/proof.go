package audit

import (
	"fmt"
	"net/url"
	"os"
	"strconv"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// treeFlags name one of the logs that are proved apart from each other.
type treeFlags struct {
	Tenant string `help:"The log of this practice."`
	System bool   `help:"The log of the events that belong to no practice."`
	Access bool   `help:"The access record in place of the events."`
}

var errWhichLog = fault.New(fault.Invalid, "which-log", "Name one log: that of a practice with --tenant, or the log of no practice with --system.")

func (f treeFlags) tree() (proof.Tree, error) {
	if (f.Tenant == "") != f.System {
		return proof.Tree{}, errWhichLog
	}
	if f.Access {
		return proof.Tree{Tenant: f.Tenant, Kind: proof.Access}, nil
	}
	return proof.Tree{Tenant: f.Tenant, Kind: proof.Events}, nil
}

type auditCheckpointCmd struct {
	term.DatabaseFlag `embed:""`
	treeFlags         `embed:""`
}

// Run prints the newest note, to be kept out of reach of those who can change the database.
func (c *auditCheckpointCmd) Run(r *term.Run) error {
	of, err := c.tree()
	if err != nil {
		return err
	}
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	signed, err := engine.Auditor.Checkpoint(r.Context, of)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(r.Out, signed.Note)
	return err
}

type auditProveCmd struct {
	term.DatabaseFlag `embed:""`
	treeFlags         `embed:""`
	Idx               int64  `placeholder:"IDX" help:"Prove that the event of this idx is in the log, or the line of the access record."`
	Since             string `placeholder:"FILE" help:"Prove that the log begins with everything that this checkpoint, which you have kept, covers."`
}

var errWhatToProve = fault.New(fault.Invalid, "what-to-prove", "Choose a proof: --idx for one event, or --since to show that a log has only grown.")

// Run prints a proof that audit verify checks, as any program does that knows C2SP's forms.
func (c *auditProveCmd) Run(r *term.Run) error {
	of, err := c.tree()
	if err != nil {
		return err
	}
	if (c.Idx > 0) == (c.Since != "") {
		return errWhatToProve
	}
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	prove := c.proveOne
	if c.Since != "" {
		prove = c.proveGrowth
	}
	text, err := prove(r, engine, of)
	if err != nil {
		return err
	}
	_, err = r.Out.Write(text)
	return err
}

func (c *auditProveCmd) proveOne(r *term.Run, engine *app.Engine, of proof.Tree) ([]byte, error) {
	p, about, err := engine.Auditor.Proof(r.Context, of, c.Idx)
	if err != nil {
		return nil, err
	}
	filter := url.Values{"idx": {strconv.FormatInt(c.Idx, 10)}}
	if c.Access {
		filter.Set("access", "true")
	}
	q := audit.Queried{Command: "prove", Filter: filter.Encode(), Patient: patientOf(about), Count: 1}
	return p.Format(), r.RecordReading(engine, c.Tenant, q)
}

// patientOf returns the patient of the event or the call that a proof shows.
func patientOf(about auditing.Stored) patient.ID {
	switch {
	case about.Event != nil:
		return patient.ID{UUID: about.Event.Patient}
	case about.Call != nil:
		return patient.ID{UUID: about.Call.Leaf.Patient}
	}
	return patient.ID{UUID: uuid.Nil}
}

func (c *auditProveCmd) proveGrowth(r *term.Run, engine *app.Engine, of proof.Tree) ([]byte, error) {
	text, err := os.ReadFile(c.Since)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.Since, term.Cause(err))
	}
	kept, err := proof.ParseNote(text)
	if err != nil {
		return nil, err
	}
	grown, err := engine.Auditor.Growth(r.Context, of, kept)
	return grown.Format(), err
}
