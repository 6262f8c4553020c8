package requests

import (
	"context"
	"embed"
	"io"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
	"frontdesk/projections/patientindex"
)

// Section is the pages of requests. All fields are needed.
type Section struct {
	*pagekit.Site
	Inbox        projections.Inbox
	Requests     history.Requests
	Templates    projections.NoteTemplates
	Filters      SavedFilters
	Teams        projections.Teams
	Directory    directory.Names
	Records      Records
	Contacts     projections.Contacts
	PatientIndex PatientIndex
	Files        Files
	Answers      Answers
}

// Answers knows which answers applications have fetched.
type Answers interface {
	// AnswerShown returns when an application was first shown an answer, whose topic is
	// [access.AnswerTopic]; a zero time if it was not.
	AnswerShown(ctx context.Context, tenant, topic string) (time.Time, error)
}

// Records knows the restricted records.
type Records interface {
	// Sight returns a member's access to the patient's record.
	Sight(ctx context.Context, tenant string, id patient.ID, member staff.ID) (record.Sight, error)
	// Sights returns a member's access to the records of patients, without unrestricted ones.
	Sights(ctx context.Context, tenant string, member staff.ID, ids ...patient.ID) (map[patient.ID]record.Sight, error)
}

// PatientIndex finds patients by their names.
type PatientIndex interface {
	// Search returns up to most patients whose names contain all words of a text, and
	// whether there are more.
	Search(ctx context.Context, tenant, text string, most int) (found []patientindex.Match, more bool, err error)
}

// Files stores the attachments of requests.
type Files interface {
	// Open returns a reader of a file. It ends with an error instead of io.EOF if the
	// file is not as it was uploaded.
	Open(ctx context.Context, tenant string, file request.Attachment) (io.Reader, error)
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "inbox", "request", "patient", "note_templates")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/requests", "requests", pagekit.FormMethods(staff.HandleRequests, s.inbox, s.changeFilters)),
		pagekit.NewRoute("/note-templates", "note-templates", pagekit.FormMethods(staff.EditNoteTemplates, s.noteTemplates, s.setTemplate).WithText(2*practice.MaxNoteTemplateText)),
		pagekit.NewRoute("/requests/{request}", "request", pagekit.FormMethods(staff.HandleRequests, s.request, s.handle).WithText(2*request.MaxText)),
		pagekit.NewRoute("/requests/{request}/patient", "request-patient", pagekit.FormMethods(staff.HandleRequests, s.moveForm, s.move).WithText(request.MaxText)),
		pagekit.NewRoute("/requests/{request}/attachments/{n}", "attachment", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.HandleRequests, s.attachment)}),
	}
}
