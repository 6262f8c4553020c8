package auditing

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// FileCheck compares the files that events name with what is stored of them.
type FileCheck struct {
	Auditor
	Uploads *uploads.Store
	read    verification.FilesRead
}

// VerifyFiles prepares the comparison of files. Without a master key, files are compared and
// not opened.
func (a Auditor) VerifyFiles() *FileCheck {
	return &FileCheck{Auditor: a, Uploads: &uploads.Store{DB: postgres.On(a.Pool), Keys: a.Keys, Now: a.Now}}
}

// Page compares the files of some events.
func (c *FileCheck) Page(ctx context.Context, page []event.Stored, found *verification.Result) error {
	for _, s := range page {
		if s.Name != (request.Submitted{}).EventName() {
			continue
		}
		submitted, err := c.submitted(ctx, s)
		if err != nil {
			return err
		}
		for _, file := range submitted.Attachments {
			if err := c.compare(ctx, s, file, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// submitted reads a request. If its box does not open, which another check reports, the keys
// of its files are hidden.
func (c *FileCheck) submitted(ctx context.Context, s event.Stored) (request.Submitted, error) {
	if c.Keys.Opens() {
		if opened, err := c.Keys.Open(ctx, []event.Stored{s}); err == nil {
			submitted, _ := opened[0].Event.(request.Submitted)
			return submitted, nil
		}
	}
	e, err := c.Log.Codec.Join(s, nil)
	submitted, _ := e.Event.(request.Submitted)
	return submitted, err
}

func (c *FileCheck) compare(ctx context.Context, s event.Stored, file request.Attachment, found *verification.Result) error {
	differs := func(what string) {
		found.Add(verification.Finding{Check: verification.Files, Tenant: s.Stream.Tenant, Idx: s.Idx, Count: 1},
			"the file %s of idx %d at %s %s", file.ID, s.Idx, s.Stream.Tenant, what)
	}
	opened, err := c.Uploads.Check(ctx, s.Stream.Tenant, file)
	if errors.Is(err, uploads.ErrMissingFile) {
		erased, err := c.erased(ctx, s)
		if erased {
			c.read.Erased++
		} else if err == nil {
			differs("is gone, and its patient was not erased")
		}
		return err
	}
	c.read.Read++
	if opened {
		c.read.Opened++
	}
	if errors.Is(err, uploads.ErrAlteredFile) {
		differs("is not what was sent")
		return nil
	}
	return err
}

// erasedBy finds an event that has erased a patient, or a request with its patient.
const erasedBy = `
SELECT EXISTS (SELECT FROM erasures g JOIN events e ON e.stream = g.stream AND e.tenant = g.tenant AND e.version = g.version
	WHERE g.tenant = $1 AND (g.kind, g.holder) IN (($2::smallint, $3::uuid), ($4::smallint, $5::uuid)) AND e.name LIKE '%.erased.v1'
		AND EXISTS (SELECT FROM json_to_recordset(e.data::json -> 'keys') AS k (kind smallint, holder uuid) WHERE (k.kind, k.holder) = (g.kind, g.holder)))`

// erased reports whether an event has erased the patient of a request, or the request.
func (c *FileCheck) erased(ctx context.Context, s event.Stored) (erased bool, err error) {
	err = c.Pool.QueryRow(ctx, erasedBy, s.Stream.Tenant, int16(event.OfPatient), s.Patient, int16(event.OfRequest), s.Stream.ID).Scan(&erased)
	if err != nil {
		return false, fmt.Errorf("look who was erased: %w", err)
	}
	return erased, nil
}

// End notes what was read.
func (c *FileCheck) End(_ context.Context, found *verification.Result) error {
	found.Files = &c.read
	if closed := c.read.Read - c.read.Opened; closed > 0 {
		found.Uncheck("what is in %d files: they were compared, and not opened; give the master key", closed)
	}
	return nil
}
