package audit

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// provedFlags are those of an export that can be proved.
type provedFlags struct {
	Proof           bool `help:"Write a line for each event of a log, or for each call with --access, as it is stored. Then audit verify can show that nothing was changed or left out. Filtered lines keep their hash."`
	System          bool `help:"With --proof: the log of no practice."`
	Readings        bool `help:"With --system: also show the queries of auditors. Their filters can name patients of any practice."`
	WithoutSealed   bool `help:"With --proof: write the hashes of encrypted values in place of the values."`
	WithoutMetadata bool `help:"With --proof: write the hashes of the metadata, which name the actors, in place of the metadata."`
}

// provedManifest is the part of the manifest that such an export adds.
type provedManifest struct {
	Note   string    `json:"note"`   // the signed checkpoint, up to which the export goes
	Tenant string    `json:"tenant"` // "" is the log of no practice
	Kind   string    `json:"kind"`   // "events" or "access"
	Size   int64     `json:"size"`
	Root   tlog.Hash `json:"root"` // of the lines in the file
	Shown  int64     `json:"shown"`
	From   int64     `json:"from,omitempty"` // the number of the first line, if those before are in archives
	Edge   []byte    `json:"edge,omitempty"` // of the tree before it: a root for each bit of From, the largest subtree's first
}

var (
	errProofOnly   = fault.New(fault.Invalid, "proof-only", "--system, --readings, --without-sealed and --without-metadata need --proof.")
	errProofIsJSON = fault.New(fault.Invalid, "proof-is-json", "An export with --proof holds the stored data: leave out --format and --resource.")
	errCallsHidden = fault.New(fault.Invalid, "calls-hidden", "An export with --proof has encrypted act claims: read them with audit calls --show-personal.")
)

func (c *auditExportCmd) checkProof() error {
	switch {
	case !c.Proof && (c.System || c.Readings || c.WithoutSealed || c.WithoutMetadata):
		return errProofOnly
	case !c.Proof:
		return nil
	case c.Format == asFHIR || c.Resource == provenance:
		return errProofIsJSON
	case c.Access && c.ShowPersonal:
		return errCallsHidden
	}
	_, err := c.tree()
	return err
}

func (c *auditExportCmd) tree() (proof.Tree, error) {
	return treeFlags{Tenant: c.Tenant, System: c.System, Access: c.Access}.tree()
}

// exportProved writes a log as it is stored, up to its newest checkpoint. Events that do not
// match the checkpoint are written, too, because they are evidence; then the command fails.
func (c *auditExportCmd) exportProved(r *term.Run, engine *app.Engine, lines, beside term.Output) error {
	p, m, err := c.prepareProved(r, engine, lines)
	if err != nil {
		return err
	}
	meter := term.NewMeter(r.Raw.Err, "exporting", "events")
	err = r.Write(lines, func(w io.Writer) error { return writeProved(r, engine, p, w, &m, meter) })
	meter.End()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if m.Lost, err = engine.Log.MissingEvents(r.Context); err != nil {
		return err
	}
	said := fmt.Sprintf("%d of %d lines up to number %d are shown; SHA-256 %s", m.Proof.Shown, m.Count, p.Size-1, m.SHA256)
	if err := finishExport(r, lines, beside, m, said); err != nil {
		return err
	}
	signed, err := proof.ParseNote([]byte(m.Proof.Note))
	if err == nil && (m.Proof.Root != signed.Root || m.Proof.From+m.Count != signed.Size) {
		err = auditing.ErrNotAsSigned
	}
	return errors.Join(err, m.whole())
}

// prepareProved fixes the lines to write and records the reading.
func (c *auditExportCmd) prepareProved(r *term.Run, engine *app.Engine, lines term.Output) (p auditing.Proved, m manifest, err error) {
	if p, err = c.proved(r, engine); err != nil {
		return p, m, err
	}
	signed, err := engine.Auditor.Checkpoint(r.Context, p.Of)
	if err != nil {
		return p, m, err
	}
	p.Size = signed.Size
	reader, err := engine.Operator(r.Context, term.Machine())
	if err != nil {
		return p, m, err
	}
	m = manifest{
		File: filepath.Base(lines.Name), After: c.After, Filter: c.askedOf(p), Personal: c.ShowPersonal,
		ExportedAt: r.Now().UTC().Truncate(time.Second), ExportedBy: reader.String(),
		Proof: &provedManifest{
			Note: signed.Note, Tenant: p.Of.Tenant, Kind: p.Of.Kind.String(), Size: signed.Size, From: p.From.Size, Edge: p.From.Bytes(),
		},
	}
	q := audit.Queried{Command: "export", Filter: m.Filter, Patient: c.Patient, Personal: c.ShowPersonal}
	if q.ReadsPatients() {
		if q.Count, err = shownOf(r, engine, p); err != nil {
			return p, m, err
		}
	}
	return p, m, r.RecordReading(engine, c.Tenant, q)
}

func (c *auditExportCmd) proved(r *term.Run, engine *app.Engine) (p auditing.Proved, err error) {
	p = auditing.Proved{Readings: c.Readings, Personal: c.ShowPersonal, WithoutSealed: c.WithoutSealed, WithoutMetadata: c.WithoutMetadata}
	if p.Of, err = c.tree(); err != nil {
		return p, err
	}
	if p.Events, err = c.filter(r.Context, engine); err != nil {
		return p, err
	}
	if p.Calls, err = c.callFilter(r.Context, engine); err != nil {
		return p, err
	}
	p.From, p.After, err = engine.Auditor.Beginning(r.Context, p.Of)
	return p, err
}

// askedOf returns the filter as the record of a reading holds it.
func (c *auditExportCmd) askedOf(p auditing.Proved) string {
	asked, filter := "proof=true", p.Events.String()
	if c.Access {
		asked, filter = asked+"&access=true", p.Calls.String()
	}
	if c.System {
		asked += "&system=true"
	}
	if filter != "" {
		asked += "&" + filter
	}
	return asked
}

// shownOf counts the lines that are going to be shown.
func shownOf(r *term.Run, engine *app.Engine, p auditing.Proved) (count int64, err error) {
	for line, err := range engine.Auditor.ProvedLines(r.Context, p) {
		if err != nil {
			return 0, err
		}
		if line.Shown {
			count++
		}
	}
	return count, nil
}

func writeProved(r *term.Run, engine *app.Engine, p auditing.Proved, w io.Writer, m *manifest, meter *term.Meter) error {
	sum, edge := sha256.New(), p.From
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	var text []byte
	for line, err := range engine.Auditor.ProvedLines(r.Context, p) {
		if err != nil {
			return err
		}
		if text, err = line.Append(text[:0]); err != nil {
			return fmt.Errorf("write idx %d: %w", line.Idx, err)
		}
		if _, err := buffered.Write(text); err != nil {
			return err
		}
		edge.Append(line.Hash)
		m.addProved(line)
		meter.Show(m.Count, p.Size-p.From.Size)
	}
	m.Proof.Root, m.Stored = edge.Root(), edge.Root()
	err := buffered.Flush()
	m.SHA256 = event.Digest(sum.Sum(nil))
	return err
}

func (m *manifest) addProved(line auditing.ProvedLine) {
	m.Count++
	m.UpTo = line.Idx
	if !line.Shown {
		return
	}
	if m.Proof.Shown++; m.Proof.Shown == 1 {
		m.FirstIdx = line.Idx
	}
	m.LastIdx = line.Idx
}
