package audit

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

type auditExportCmd struct {
	term.DatabaseFlag `embed:""`
	filterFlags       `embed:""`
	term.ShowingFlags `embed:""`
	provedFlags       `embed:""`
	Format            string `enum:"json,fhir" default:"json" help:"json is the log as it is; fhir is FHIR R4, of the events about patients or, with --access, of the access record."`
	Resource          string `enum:"AuditEvent,Provenance" default:"AuditEvent" help:"The resource that --format=fhir writes: AuditEvent for access to data, Provenance for changes."`
	Access            bool   `help:"Write the access record in place of the log. It needs --format=fhir or --proof."`
	Out               string `required:"" placeholder:"FILE" help:"Where the events go, one JSON object a line: a file, a pipe, or - for standard output."`
	Manifest          string `placeholder:"FILE" help:"Where the manifest goes. Without it, to FILE.manifest.json next to the events. Needed if the events do not go to a file."`
}

// manifest describes an export, so that it can be checked later.
type manifest struct {
	File       string                   `json:"file"`
	SHA256     event.Digest             `json:"sha256"`             // of the file
	Count      int64                    `json:"count"`              // of its lines
	Stored     tlog.Hash                `json:"stored"`             // root of the tree of these events as they are stored, encrypted
	Format     string                   `json:"format,omitempty"`   // "fhir"; otherwise it holds the events themselves
	Resource   string                   `json:"resource,omitempty"` // of each line, if that is FHIR
	After      int64                    `json:"after"`              // the range that was read: after this idx
	UpTo       int64                    `json:"upTo"`               // up to this one
	FirstIdx   int64                    `json:"firstIdx"`
	LastIdx    int64                    `json:"lastIdx"`
	Filter     string                   `json:"filter"` // key=value&…; "" for everything
	Personal   bool                     `json:"personal"`
	ExportedAt time.Time                `json:"exportedAt"`
	ExportedBy string                   `json:"exportedBy"` // as the log names actors
	Lost       eventstore.MissingEvents `json:"lost"`       // events that are stored and will never be in the log: no export shows them
	Proof      *provedManifest          `json:"proof,omitempty"`
}

// Run writes the file and then its manifest. Each appears under its name when it
// is complete, so that a manifest is never next to half a file.
func (c *auditExportCmd) Run(r *term.Run) error {
	if err := c.check(); err != nil {
		return err
	}
	events, beside, err := c.outputs(r)
	if err != nil {
		return err
	}
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	switch {
	case c.Proof:
		return c.exportProved(r, engine, events, beside)
	case c.Access:
		return c.exportCalls(r, engine, events, beside)
	}
	f, err := c.filter(r.Context, engine)
	if err != nil {
		return err
	}
	f.Only = c.only()
	m, err := c.prepare(r, engine, f, events)
	if err != nil {
		return err
	}
	if err := c.export(r, engine, f, events, &m); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := finishExport(r, events, beside, m, fmt.Sprintf("%d events up to idx %d, SHA-256 %s", m.Count, m.UpTo, m.SHA256)); err != nil {
		return err
	}
	return m.whole()
}

// finishExport writes the manifest and prints a summary.
func finishExport(r *term.Run, lines, beside term.Output, manifest any, said string) error {
	if err := r.Write(beside, func(w io.Writer) error { return json.NewEncoder(w).Encode(manifest) }); err != nil {
		return fmt.Errorf("export the manifest: %w", err)
	}
	out := r.Out
	if lines.Stream != nil || beside.Stream != nil {
		out = r.Err
	}
	fmt.Fprintln(out, said)
	return nil
}

// whole returns an error if events are stored that no export shows.
func (m *manifest) whole() error {
	if err := m.Lost.Err(); err != nil {
		return fmt.Errorf("the export is not whole: %w", err)
	}
	return nil
}

// export writes the events and records the losses that no export can show.
func (c *auditExportCmd) export(r *term.Run, engine *app.Engine, f auditing.EventFilter, events term.Output, m *manifest) (err error) {
	meter := term.NewMeter(r.Raw.Err, "exporting", "events")
	defer meter.End()
	err = r.Write(events, func(w io.Writer) error { return c.write(r.Context, engine, f, w, m, meter) })
	if err != nil {
		return err
	}
	m.Lost, err = engine.Log.MissingEvents(r.Context)
	return err
}

var (
	errNoManifest = errors.New("an export has a manifest to check it by: as the events go to no file, name one with --manifest")
	errOnePlace   = errors.New("the events and their manifest are two files: name another with --manifest")
)

// outputs are where the events and their manifest go.
func (c *auditExportCmd) outputs(r *term.Run) (events, beside term.Output, err error) {
	if events, err = r.Output(c.Out); err != nil {
		return events, beside, err
	}
	if c.Manifest == "" && !events.Whole {
		return events, beside, errNoManifest
	}
	beside, err = r.Output(cmp.Or(c.Manifest, events.Name+".manifest.json"))
	if err == nil && beside.Is(events) {
		err = errOnePlace
	}
	return events, beside, err
}

// prepare fixes the range and records the reading.
func (c *auditExportCmd) prepare(r *term.Run, engine *app.Engine, f auditing.EventFilter, events term.Output) (m manifest, err error) {
	end, err := engine.Auditor.End(r.Context, f)
	if err != nil {
		return m, err
	}
	reader, err := engine.Operator(r.Context, term.Machine())
	if err != nil {
		return m, err
	}
	m = manifest{
		File: filepath.Base(events.Name), After: c.After, UpTo: end, Filter: f.String(), Personal: c.ShowPersonal,
		ExportedAt: r.Now().UTC().Truncate(time.Second), ExportedBy: reader.String(),
	}
	m.Format, m.Resource = c.form()
	q := audit.Queried{Command: "export", Filter: m.Filter, Patient: c.Patient, Personal: c.ShowPersonal}
	if q.ReadsPatients() {
		q.Count, _, err = engine.Auditor.CountEvents(r.Context, f, end)
	}
	if err != nil {
		return m, err
	}
	return m, r.RecordReading(engine, c.Tenant, q)
}

func (c *auditExportCmd) write(ctx context.Context, engine *app.Engine, f auditing.EventFilter, w io.Writer, m *manifest, meter *term.Meter) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	line := c.line(buffered)
	var stored proof.Edge
	for e, err := range engine.Auditor.WholeEvents(ctx, f, m.UpTo) {
		if err != nil {
			return err
		}
		if err := line(e.Recorded); err != nil {
			return err
		}
		stored.Append(proof.LeafOf(e.Stored).Hash())
		if m.Count++; m.Count == 1 {
			m.FirstIdx = e.Idx
		}
		m.LastIdx = e.Idx
		meter.Show(e.Idx-m.After, m.UpTo-m.After)
	}
	err := buffered.Flush()
	m.SHA256, m.Stored = event.Digest(sum.Sum(nil)), stored.Root()
	return err
}
