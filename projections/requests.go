package projections

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// Answers keeps the answers to calls with an Idempotency-Key. A key is unique, so that
// only one of several concurrent calls gets through its append. Expired rows may be
// deleted at any time.
type Answers struct{ DB Querier }

// Name returns the permanent name.
func (Answers) Name() string { return "answers.v1" }

// Project keeps a row for each call that had an Idempotency-Key and changed something.
// It replaces an expired one. It keeps none if the body's digest is hidden from it. The
// answer to a patient's event is deleted with the patient.
func (Answers) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, erased := r.Event.(patient.Erased); erased {
		do(`DELETE FROM answers WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
		return
	}
	if e, moved := r.Event.(event.Moved); moved {
		do(`UPDATE answers SET patient = $4 WHERE tenant = $1 AND patient = $3 AND made = $2`,
			r.Stream.Tenant, r.Stream.ID, e.FormerPatientID(), e.PatientID())
		return
	}
	call := r.Metadata.Idempotency
	body, err := hex.DecodeString(call.Body)
	if call == (event.Idempotency{}) || err != nil {
		return
	}
	tenant := cmp.Or(call.Tenant, r.Stream.Tenant)
	do(`DELETE FROM answers WHERE tenant = $1 AND key = $2 AND answered_at <= $3`,
		tenant, call.Key[:], r.At.Add(-commands.AnswerLifetime))
	do(addAnswers, row(tenant, call.Key[:], body, r.Stream.ID, r.At, idOrNull(r.About()), call.Answer)...)
}

const addAnswers = `
INSERT INTO answers (tenant, key, body, made, answered_at, patient, answer)
SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::uuid[], $5::timestamptz[], $6::uuid[], $7::text[])`

// Answer returns the answer that was given under a key after an instant, or the zero
// one.
func (a Answers) Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (commands.Answer, error) {
	var body []byte
	var answer commands.Answer
	err := a.DB.QueryRow(ctx, `SELECT body, answer FROM answers WHERE tenant = $1 AND key = $2 AND answered_at > $3`,
		tenant, key[:], after).Scan(&body, &answer.Text)
	if errors.Is(err, pgx.ErrNoRows) {
		return commands.Answer{}, nil
	}
	if err != nil {
		return commands.Answer{}, fmt.Errorf("look for an answer: %w", err)
	}
	answer.Body = hex.EncodeToString(body)
	return answer, nil
}

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
