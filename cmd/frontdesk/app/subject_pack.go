package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/uploads"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/audit/subjectaccess"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// packPage is how many events a pack holds at once: each may be some MiB long.
const packPage = 50

// SubjectPack returns the sources of a patient's pack, and the events in it. It refuses
// an unknown patient.
func (e *Engine) SubjectPack(ctx context.Context, tenant string, id patient.ID) (subjectaccess.Pack, auditing.EventFilter, error) {
	asked := auditing.EventFilter{Tenant: tenant, Patient: id}
	exists, err := e.Desk.Patients.PatientExists(ctx, tenant, id)
	if err == nil && !exists {
		err = patient.ErrUnknown
	}
	if err != nil {
		return subjectaccess.Pack{}, asked, err
	}
	moved, err := e.moved(ctx, tenant, id, &asked)
	if err != nil {
		return subjectaccess.Pack{}, asked, err
	}
	signpost, err := e.Practices().Find(ctx, tenant)
	if err != nil {
		return subjectaccess.Pack{}, asked, err
	}
	texts, err := commands.Load[practice.Information](ctx, e.Desk.Store, practice.InformationStream(tenant))
	if err != nil {
		return subjectaccess.Pack{}, asked, err
	}
	auditor := e.Auditor
	auditor.Log.Page = packPage
	end, err := auditor.End(ctx, asked)
	return subjectaccess.Pack{
		Practice: signpost, Patient: id, MadeAt: e.config.Now(), Moved: moved,
		Events: auditor.Events(ctx, asked, end), Accesses: auditor.Accesses(ctx, asked, end, true),
		Directory: e.Directory(), Texts: texts, Deliveries: e.Deliveries().Of,
		Shown:   func(r event.Recorded) (any, error) { return auditing.LoggedOf(r, true) },
		Content: e.contentOf,
	}, asked, err
}

// moved extends asked by the events of requests that have come from other patients, and
// leaves out those that now belong to other patients, which it returns.
func (e *Engine) moved(ctx context.Context, tenant string, id patient.ID, asked *auditing.EventFilter) (others []history.MovedRequest, err error) {
	all, err := e.Requests().Moved(ctx, tenant, id)
	hidden := map[uuid.UUID]bool{}
	for _, m := range all {
		if m.Theirs {
			asked.Requests = append(asked.Requests, m.Request.UUID)
			continue
		}
		others, hidden[m.Request.UUID] = append(others, m), true
	}
	asked.Only = func(r event.Recorded) bool { return !hidden[r.Stream.ID] }
	return others, err
}

// contentOf writes the same bytes as `audit attachment`.
func (e *Engine) contentOf(ctx context.Context, w io.Writer, id request.AttachmentID) error {
	file, err := e.Attachments.Attachment(ctx, id)
	if err != nil {
		return err
	}
	err = e.CopyFile(ctx, w, file)
	if errors.Is(err, uploads.ErrAlteredFile) {
		return subjectaccess.ErrDamaged
	}
	return err
}

// CopyFile writes a file that was sent with a request, part by part, and reports whether its
// content is intact.
func (e *Engine) CopyFile(ctx context.Context, w io.Writer, file projections.Attachment) error {
	content, err := e.Uploads.Open(ctx, file.Tenant, file.Attachment)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, content); err != nil {
		return fmt.Errorf("write the attachment: %w", err)
	}
	return nil
}
