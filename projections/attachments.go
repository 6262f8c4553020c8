package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// Attachments keeps the files that requests name. Each row references the stored file.
// So no event can name a deleted file, and no file that an event names can be deleted.
// The name that the patient gave the file stays in the event.
type Attachments struct {
	DB    Querier
	Opens Opener
}

// Attachment is a file that a request names.
type Attachment struct {
	request.Attachment
	Tenant  string
	Request request.ID
	Patient patient.ID
}

// Name returns the permanent name.
func (Attachments) Name() string { return "attachments.v1" }

// Project keeps a row for each file that a request names.
func (Attachments) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, erased := r.Event.(patient.Erased); erased {
		do(`DELETE FROM attachments WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
		return
	}
	if e, moved := r.Event.(event.Moved); moved {
		do(`UPDATE attachments SET patient = $4 WHERE tenant = $1 AND patient = $3 AND request = $2`,
			r.Stream.Tenant, r.Stream.ID, e.FormerPatientID(), e.PatientID())
		return
	}
	submitted, _ := r.Event.(request.Submitted)
	for _, a := range submitted.Attachments {
		do(addAttachments, row(r.Stream.Tenant, a.ID, r.Stream.ID, submitted.Patient, a.Size, a.SHA256[:])...)
	}
}

const addAttachments = `
INSERT INTO attachments (tenant, attachment, request, patient, size, sha256)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::bytea[])`

const attachmentNamed = `
SELECT a.tenant, a.request, a.patient, e.id, e.recorded_at, e.name, e.data, e.metadata, e.sealed
FROM attachments a JOIN events e ON e.stream = a.request AND e.version = 1 AND e.tenant = a.tenant
WHERE a.attachment = $1`

// Attachment returns a file as its event names it, at any practice, or
// [request.ErrUnknownAttachment]. Its key and its name are set only if they can be
// decrypted.
func (a Attachments) Attachment(ctx context.Context, id request.AttachmentID) (Attachment, error) {
	found, named := Attachment{}, event.Stored{Version: 1}
	err := a.DB.QueryRow(ctx, attachmentNamed, id).Scan(&found.Tenant, &found.Request, &found.Patient,
		&named.ID, &named.At, &named.Name, &named.Data, &named.Metadata, &named.Sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, request.ErrUnknownAttachment
	}
	if err != nil {
		return found, fmt.Errorf("find attachment: %w", err)
	}
	named.Stream = event.Stream{Tenant: found.Tenant, ID: found.Request.UUID}
	events, err := a.Opens.Open(ctx, []event.Stored{named})
	if err != nil {
		return found, fmt.Errorf("find attachment: %w", err)
	}
	submitted, _ := events[0].Event.(request.Submitted)
	i := slices.IndexFunc(submitted.Attachments, func(a request.Attachment) bool { return a.ID == id })
	if i < 0 {
		return found, request.ErrUnknownAttachment
	}
	found.Attachment = submitted.Attachments[i]
	return found, nil
}
