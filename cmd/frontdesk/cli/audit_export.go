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

	"frontdesk/cmd/frontdesk/app"
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
	File       string       `json:"file"`
	SHA256     event.Digest `json:"sha256"` // of the file
	Count      int64        `json:"count"`  // of its lines
	After      int64        `json:"after"`  // the range that was read: after this idx
	UpTo       int64        `json:"upTo"`   // up to this one
	FirstIdx   int64        `json:"firstIdx"`
	LastIdx    int64        `json:"lastIdx"`
	Filter     string       `json:"filter"` // key=value&…; "" for everything
	Personal   bool         `json:"personal"`
	ExportedAt time.Time    `json:"exportedAt"`
	ExportedBy string       `json:"exportedBy"`
}

// Run writes the file and then its manifest, each by rename: a manifest is
// there only when its file is complete.
func (c *auditExportCmd) Run(r *run) error {
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	f, err := c.resolve(r.ctx, engine)
	if err != nil {
		return err
	}
	m, err := c.prepare(r.ctx, engine, f)
	if err != nil {
		return err
	}
	meter := newMeter(r.Err, "exporting")
	defer meter.end()
	err = replaceFile(c.Out, func(w io.Writer) error { return c.write(r.ctx, engine, f, w, &m, meter) })
	if err == nil {
		err = replaceFile(c.Out+".manifest.json", func(w io.Writer) error { return json.NewEncoder(w).Encode(m) })
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	fmt.Fprintf(r.Out, "%d events up to idx %d, SHA-256 %s\n", m.Count, m.UpTo, m.SHA256)
	return nil
}

// prepare fixes the range and records the reading.
func (c *auditExportCmd) prepare(ctx context.Context, engine *app.Engine, f filter) (m manifest, err error) {
	head, err := engine.Log.Head(ctx)
	if err != nil {
		return m, err
	}
	if c.UpTo > 0 {
		head = min(head, c.UpTo)
	}
	m = manifest{
		File: filepath.Base(c.Out), After: c.After, UpTo: head, Filter: f.text(), Personal: c.ShowPersonal,
		ExportedAt: time.Now().UTC().Truncate(time.Second), ExportedBy: machineUser(),
	}
	var count int64
	if c.ShowPersonal || !isZero(c.Patient) {
		if count, err = f.count(ctx, engine, head); err != nil {
			return m, err
		}
	}
	return m, reading{"export", f, c.ShowPersonal}.record(ctx, engine, count)
}

func isZero[T comparable](v T) bool { var zero T; return v == zero }

func (c *auditExportCmd) write(ctx context.Context, engine *app.Engine, f filter, w io.Writer, m *manifest, meter *meter) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	line, _ := printer(buffered, true, c.ShowPersonal)
	for e, err := range f.events(ctx, engine, m.UpTo) {
		if err == nil {
			err = line(e)
		}
		if err != nil {
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

// replaceFile writes a file for nobody else's eyes, and puts it in its place
// when it is complete.
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
