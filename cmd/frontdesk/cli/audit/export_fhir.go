package audit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/audit/fhir"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/access"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The format and the resource of an export in FHIR.
const (
	asFHIR     = "fhir"
	provenance = "Provenance"
)

// These refuse flags that contradict each other.
var (
	errFHIROnly     = fault.New(fault.Invalid, "fhir-only", "--access needs --format=fhir or --proof, and --resource=Provenance needs --format=fhir.")
	errEventsOnly   = fault.New(fault.Invalid, "events-only", "--after, --up-to, --stream and --event choose events: leave them out with --access.")
	errCallsChanged = fault.New(fault.Invalid, "no-provenance", "A call alone changes nothing: export the Provenance of events, without --access.")
)

func (c *auditExportCmd) check() error {
	changes := c.Resource == provenance
	if err := c.checkProof(); err != nil {
		return err
	}
	switch {
	case c.Format != asFHIR && (c.Access && !c.Proof || changes):
		return errFHIROnly
	case c.Access && changes:
		return errCallsChanged
	case c.Access && (c.After != 0 || c.UpTo != 0 || c.Stream != uuid.Nil || len(c.Event) > 0):
		return errEventsOnly
	}
	return nil
}

// form returns the format and the resource for the manifest of an export.
func (c *auditExportCmd) form() (format, resource string) {
	if c.Format != asFHIR {
		return "", ""
	}
	return asFHIR, c.Resource
}

// only returns the condition for events besides the filter.
func (c *auditExportCmd) only() func(event.Recorded) bool {
	switch {
	case c.Format != asFHIR:
		return nil
	case c.Resource == provenance:
		return fhir.Changes
	}
	return fhir.Concerns
}

// line returns the function that writes an event.
func (c *auditExportCmd) line(w io.Writer) func(event.Recorded) error {
	if c.Format != asFHIR {
		line, _ := printer(w, true, c.ShowPersonal)
		return line
	}
	encoder := json.NewEncoder(w)
	return func(e event.Recorded) error {
		if c.Resource == provenance {
			return encoder.Encode(fhir.ProvenanceOf(e, c.ShowPersonal))
		}
		return encoder.Encode(fhir.OfEvent(e, c.ShowPersonal))
	}
}

// accessManifest describes an export of the access record.
type accessManifest struct {
	File       string       `json:"file"`
	SHA256     event.Digest `json:"sha256"` // of the file
	Count      int64        `json:"count"`  // of its lines
	Format     string       `json:"format"`
	Resource   string       `json:"resource"`
	Before     uuid.UUID    `json:"before"` // the calls before the one that would have this request id
	Filter     string       `json:"filter"` // key=value&…; "access=true" for everything
	Personal   bool         `json:"personal"`
	ExportedAt time.Time    `json:"exportedAt"`
	ExportedBy string       `json:"exportedBy"` // as the log names actors
}

// exportCalls writes the access record up to now, newest calls first, and then the
// manifest.
func (c *auditExportCmd) exportCalls(r *term.Run, engine *app.Engine, calls, beside term.Output) error {
	f, m, err := c.prepareCalls(r, engine, calls)
	if err != nil {
		return err
	}
	all := engine.Auditor.EachCall(r.Context, f)
	if err := r.Write(calls, func(w io.Writer) error { return c.writeCalls(all, w, &m) }); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := finishExport(r, calls, beside, m, fmt.Sprintf("%d calls, SHA-256 %s", m.Count, m.SHA256)); err != nil {
		return err
	}
	return warnArchived(r, engine, retention.AccessRecord, c.Since, c.Until)
}

// prepareCalls fixes the range to read and records the reading.
func (c *auditExportCmd) prepareCalls(r *term.Run, engine *app.Engine, calls term.Output) (f auditing.CallFilter, m accessManifest, err error) {
	if f, err = c.callFilter(r.Context, engine); err != nil {
		return f, m, err
	}
	asked := "access=true"
	if chosen := f.String(); chosen != "" {
		asked += "&" + chosen
	}
	reader, err := engine.Operator(r.Context, term.Machine())
	if err != nil {
		return f, m, err
	}
	f.Before = event.NewID()
	m = accessManifest{
		File: filepath.Base(calls.Name), Format: asFHIR, Resource: c.Resource, Before: f.Before, Filter: asked, Personal: c.ShowPersonal,
		ExportedAt: r.Now().UTC().Truncate(time.Second), ExportedBy: reader.String(),
	}
	q := audit.Queried{Command: "export", Filter: asked, Patient: c.Patient, Personal: c.ShowPersonal}
	if q.ReadsPatients() {
		q.Count, err = engine.Auditor.CountCalls(r.Context, f)
	}
	if err != nil {
		return f, m, err
	}
	return f, m, r.RecordReading(engine, c.Tenant, q)
}

func (c *auditExportCmd) callFilter(ctx context.Context, engine *app.Engine) (auditing.CallFilter, error) {
	member, err := staffNamed(ctx, engine, c.Tenant, c.User)
	return auditing.CallFilter{Personal: c.ShowPersonal, CallFilter: accesslog.CallFilter{
		Tenant: c.Tenant, Application: c.Application, Staff: member, Patient: c.Patient, Since: c.Since, Until: c.Until,
	}}, err
}

func (c *auditExportCmd) writeCalls(all iter.Seq2[access.Call, error], w io.Writer, m *accessManifest) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	encoder := json.NewEncoder(buffered)
	for call, err := range all {
		if err != nil {
			return err
		}
		if err := encoder.Encode(fhir.OfCall(call, c.ShowPersonal)); err != nil {
			return err
		}
		m.Count++
	}
	err := buffered.Flush()
	m.SHA256 = event.Digest(sum.Sum(nil))
	return err
}
