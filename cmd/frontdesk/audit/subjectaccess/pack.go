package subjectaccess

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
)

// Command is the name of a pack in the record of readings.
const Command = "subject-pack"

// Pack is all data about one patient, with its sources. A sequence yields the same each time.
type Pack struct {
	Practice projections.Practice
	Patient  patient.ID
	MadeAt   time.Time

	Events     iter.Seq2[event.Recorded, error]  // about the patient, opened, oldest first
	Moved      []history.MovedRequest            // requests that are another patient's: only this is known of them
	Accesses   iter.Seq2[auditing.Access, error] // with personal data
	Directory  directory.Names
	Texts      practice.Information // what the practice tells patients
	Deliveries func(ctx context.Context, events []uuid.UUID) ([]webhooks.Logged, error)
	Shown      func(event.Recorded) (any, error) // an event as auditors are shown it
	// Content writes a file that was sent with a request. It returns [ErrDamaged] if the
	// bytes that it has written differ from the file that was sent.
	Content func(ctx context.Context, w io.Writer, id request.AttachmentID) error
}

// ErrDamaged reports that a file cannot be in the pack.
var ErrDamaged = errors.New("the stored file differs from the one that was sent")

// writer writes one pack.
type writer struct {
	Pack
	Survey
	ctx     context.Context //nolint:containedctx // sequences have nowhere else to get it from
	zip     *zip.Writer
	names   map[string]string // that were looked up
	damaged map[request.AttachmentID]bool
	failed  error // the error that ended a sequence early
}

// Write writes the ZIP. It returns how many files are not in it because they are damaged.
func (p Pack) Write(ctx context.Context, w io.Writer, s Survey) (damaged int, err error) {
	to := &writer{
		Pack: p, Survey: s, ctx: ctx, zip: zip.NewWriter(w),
		names: map[string]string{}, damaged: map[request.AttachmentID]bool{},
	}
	for _, part := range []func() error{to.attachments, to.records, to.page, to.letter, to.zip.Close} {
		if err := errors.Join(part(), to.failed); err != nil {
			return 0, fmt.Errorf("write the pack: %w", err)
		}
	}
	return len(to.damaged), nil
}

// attachments copies the files. They come first, so that the rest can mark those that are
// missing.
func (w *writer) attachments() error {
	for r := range w.requests() {
		for _, f := range r.Attachments {
			if err := w.attachment(f.Sent); err != nil {
				return err
			}
		}
	}
	return nil
}

// attachment reads a file twice, so that no part of a damaged file is in the pack.
func (w *writer) attachment(f request.Attachment) error {
	err := w.Content(w.ctx, io.Discard, f.ID)
	if errors.Is(err, ErrDamaged) {
		w.damaged[f.ID] = true
		return nil
	}
	if err != nil {
		return err
	}
	entry, err := w.create(pathOf(f), zip.Store) // the files are already compressed
	if err != nil {
		return err
	}
	return w.Content(w.ctx, entry, f.ID)
}

// create begins a file of the ZIP.
func (w *writer) create(name string, method uint16) (io.Writer, error) {
	return w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.MadeAt})
}

// records writes everything as JSON, each part to a file with an object of lists.
func (w *writer) records() error {
	for _, part := range []struct {
		name  string
		lists []list
	}{
		{"care-record.json", []list{
			{"patient", untyped(w.details())}, {"notes", untyped(w.notes())}, {"patientRequests", untyped(w.requests())},
			{"patientRequestHistory", untyped(w.ofRequests())}, {"patientRequestsOfOthers", untyped(w.moved())},
			{"appointments", untyped(w.visits())}, {"consultations", untyped(w.consultations())},
			{"dataHistory", untyped(w.ofData())},
		}},
		{"information.json", []list{{"information", untyped(w.information())}}},
		{"events.json", []list{{"events", w.events()}}},
		{"accesses.json", []list{{"accesses", untyped(w.accesses())}}},
		{"webhooks.json", []list{{"webhooks", untyped(w.deliveries())}}},
	} {
		if err := w.json(part.name, part.lists); err != nil {
			return err
		}
	}
	return nil
}

// list is a member of a JSON object.
type list struct {
	name  string
	items iter.Seq[any]
}

func untyped[T any](items iter.Seq[T]) iter.Seq[any] {
	return func(yield func(any) bool) {
		for item := range items {
			if !yield(item) {
				return
			}
		}
	}
}

// json writes an object of lists, with an item a line.
func (w *writer) json(name string, lists []list) error {
	entry, err := w.create(name, zip.Deflate)
	if err != nil {
		return err
	}
	lead := "{"
	for _, l := range lists {
		if err := l.write(entry, lead); err != nil {
			return err
		}
		lead = ",\n"
	}
	if w.failed != nil {
		return w.failed
	}
	_, err = io.WriteString(entry, "}\n")
	return err
}

func (l list) write(to io.Writer, lead string) error {
	if _, err := fmt.Fprintf(to, "%s%q: [", lead, l.name); err != nil {
		return err
	}
	lead = "\n"
	for item := range l.items {
		line, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(to, "%s%s", lead, line); err != nil {
			return err
		}
		lead = ",\n"
	}
	_, err := io.WriteString(to, "]")
	return err
}
