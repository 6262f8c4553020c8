package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/auditing"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

type auditExportCmd struct {
	databaseFlag `embed:""`
	filterFlags  `embed:""`
	Out          string `required:"" placeholder:"FILE" help:"Where the events go, one JSON object a line. The manifest goes beside it, to FILE.manifest.json."`
	ShowPersonal bool   `help:"Export personal data, which is hidden otherwise. That you did is recorded."`
}

// manifest says what an export is, so that it can be checked later.
type manifest struct {
	File       string          `json:"file"`
	SHA256     event.Digest    `json:"sha256"` // of the file
	Count      int64           `json:"count"`  // of its lines
	After      int64           `json:"after"`  // the range that was read: after this idx
	UpTo       int64           `json:"upTo"`   // up to this one
	FirstIdx   int64           `json:"firstIdx"`
	LastIdx    int64           `json:"lastIdx"`
	Filter     string          `json:"filter"` // key=value&…; "" for everything
	Personal   bool            `json:"personal"`
	ExportedAt time.Time       `json:"exportedAt"`
	ExportedBy string          `json:"exportedBy"`
	Lost       postgres.Losses `json:"lost"` // events that are stored and will never be in the log: no export shows them
}

// Run writes the file and then its manifest. Each appears under its name when it
// is complete, so that a manifest never stands beside half a file.
func (c *auditExportCmd) Run(r *run) error {
	engine, err := c.open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	f, err := c.filter(r.ctx, engine)
	if err != nil {
		return err
	}
	m, err := c.prepare(r, engine, f)
	if err != nil {
		return err
	}
	meter := newMeter(r.raw.Err, "exporting")
	defer meter.end()
	if err := replaceFile(c.Out, func(w io.Writer) error { return c.write(r.ctx, engine, f, w, &m, meter) }); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if m.Lost, err = engine.Log.Losses(r.ctx); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := replaceFile(c.Out+".manifest.json", func(w io.Writer) error { return json.NewEncoder(w).Encode(m) }); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	fmt.Fprintf(r.Out, "%d events up to idx %d, SHA-256 %s\n", m.Count, m.UpTo, m.SHA256)
	if err := m.Lost.Err(); err != nil {
		return fmt.Errorf("the export is not whole: %w", err)
	}
	return nil
}

// prepare fixes the range and records the reading.
func (c *auditExportCmd) prepare(r *run, engine *app.Engine, f auditing.EventFilter) (m manifest, err error) {
	end, err := engine.Auditor.End(r.ctx, f)
	if err != nil {
		return m, err
	}
	m = manifest{
		File: filepath.Base(c.Out), After: c.After, UpTo: end, Filter: f.String(), Personal: c.ShowPersonal,
		ExportedAt: time.Now().UTC().Truncate(time.Second), ExportedBy: machineUser(),
	}
	q := audit.Queried{Command: "export", Filter: m.Filter, Patient: c.Patient, Personal: c.ShowPersonal}
	if q.ReadsPatients() {
		q.Count, _, err = engine.Auditor.CountEvents(r.ctx, f, end)
	}
	if err != nil {
		return m, err
	}
	return m, r.recordReading(engine, c.Tenant, q)
}

func (c *auditExportCmd) write(ctx context.Context, engine *app.Engine, f auditing.EventFilter, w io.Writer, m *manifest, meter *meter) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	line, _ := printer(buffered, true, c.ShowPersonal)
	for e, err := range engine.Auditor.Events(ctx, f, m.UpTo) {
		if err != nil {
			return err
		}
		if err := line(e); err != nil {
			return err
		}
		if m.Count++; m.Count == 1 {
			m.FirstIdx = e.Idx
		}
		m.LastIdx = e.Idx
		meter.show(e.Idx-m.After, m.UpTo-m.After)
	}
	err := buffered.Flush()
	m.SHA256 = event.Digest(sum.Sum(nil))
	return err
}

// replaceFile writes a file that only its owner may read, and puts it in its
// place when it is complete.
func replaceFile(name string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".frontdesk-*")
	if err != nil {
		return fmt.Errorf("make a file: %w", err)
	}
	defer os.Remove(file.Name()) // it is gone if all went well
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Sync(); err != nil {
		_ = file.Close()
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(file.Name(), name)
}
