package privacy

import (
	"context"
	"embed"
	"io"
	"net/http"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

//go:embed templates
var sources embed.FS

var templates = frame.Templates(sources, "privacy", "patient", "refused", "erasures", "letter")

// Section is the pages for privacy officers. All fields are needed.
type Section struct {
	*frame.Site
	Traces    projections.Traces
	Asked     projections.ErasureRequests
	Done      projections.Erasures
	People    projections.People
	Directory projections.Directory
	Book      *projections.Book
	Service
}

// Service is what these pages have done outside of what all pages have. All fields are
// needed.
type Service struct {
	// Calls reads the access record, newest lines first.
	Calls func(context.Context, Lines) ([]access.Call, error)
	// Told returns which applications webhooks have told of events.
	Told func(ctx context.Context, events []uuid.UUID) ([]Told, error)
	// Copy prepares the copy of what is held about a patient.
	Copy func(ctx context.Context, tenant string, id patient.ID) (Copy, error)
	// Erased notes outside of the database who is erased. It is called after an erasure.
	Erased func(context.Context) error
	// Copying holds one for each copy that is being written.
	Copying chan struct{}
}

// Lines says which lines of the access record are wanted.
type Lines struct {
	Tenant  string
	Patient patient.ID // whom they have named or shown; zero for all
	Refused bool       // calls that were refused, and no others
	Before  uuid.UUID  // older ones than that of this request id; zero begins with the newest
	Most    int
}

// Told is that an application was told of an event by a webhook, or that this was tried.
type Told struct {
	Event       uuid.UUID
	Application application.ID
	Arrived     bool
}

// Copy is the copy of all that is held about a patient, which is not written yet.
type Copy struct {
	Reading audit.Queried // that is recorded before
	Write   func(context.Context, io.Writer) error
}

// Routes are the paths of the section.
func (s *Section) Routes() []frame.Route {
	guard := func(page frame.Page) frame.Page { return s.confirmed("privacy", page) }
	return []frame.Route{
		frame.At("/privacy", "privacy", frame.Both(staff.GuardPrivacy, guard(s.home), guard(s.find))),
		frame.At("/privacy/refused", "privacy-refused", frame.Methods{http.MethodGet: frame.WhoMay(staff.GuardPrivacy, guard(s.refused))}),
		frame.At("/privacy/erasures", "privacy-erasures", frame.Methods{http.MethodGet: frame.WhoMay(staff.GuardPrivacy, guard(s.erasures))}),
		frame.At("/privacy/erasures/{erasure}", "privacy-erasure", frame.Methods{http.MethodGet: frame.WhoMay(staff.GuardPrivacy, guard(s.letter))}),
		frame.At("/privacy/patients/{patient}", "privacy-patient", frame.Both(staff.GuardPrivacy, s.ofPatient(s.patient), s.ofPatient(s.act))),
		frame.At("/privacy/patients/{patient}/copy", "privacy-copy", frame.Methods{http.MethodPost: frame.WhoMay(staff.GuardPrivacy, s.ofPatient(s.copy))}),
	}
}

// confirmed lets in who has proved lately who they are, and asks everybody else (D66).
func (s *Section) confirmed(at string, page frame.Page) frame.Page {
	return func(v *frame.Visit) error {
		if !s.Confirmed(v) {
			return s.ConfirmFirst(v, at)
		}
		return page(v)
	}
}

// homePage is what privacy officers see first.
type homePage struct {
	frame.Faulty
	Broken   []brokenRow
	Older    string // the last of them, if there are more
	Newer    bool   // they do not begin with the newest
	Waiting  []waitingRow
	Operator bool // no two privacy officers are independent of each other
	Looked   bool // somebody was looked for
	Name     string
	Birth    string
	Found    []foundRow
	FoundAll int
	Token    string
}

// NameField asks for a name, or for an identifier.
func (p homePage) NameField() frame.Field {
	return frame.Field{
		ID: "name", Label: "Name, or the beginning of it, or the patient’s identifier",
		Kind: "text", Value: p.Name, Fill: "off", Optional: true, Fault: p.Fault("name"),
	}
}

// BirthField asks for a date of birth.
func (p homePage) BirthField() frame.Field {
	return frame.Field{ID: "birth", Label: "Date of birth", Hint: frame.BornHint, Kind: "text", Value: p.Birth, Fill: "off", Optional: true, Fault: p.Fault("birth")}
}

// Bounds of the lists.
const (
	mostBroken  = 20
	mostWaiting = 50
	mostFound   = 50
	mostRefused = 50
	mostTraces  = 25
)

// brokenRow is one time that somebody has opened a restricted record by a reason.
type brokenRow struct {
	Patient           patient.ID
	Name, Who         string
	At, Until, Reason string
}

// waitingRow is a patient whose erasure waits for a second person.
type waitingRow struct {
	Patient      patient.ID
	Name         string
	Asked, Until string
}

// foundRow is a patient who was looked for.
type foundRow struct {
	Patient     patient.ID
	Name, Birth string
}

// home shows who has broken the glass, first of all, and whose erasure waits.
func (s *Section) home(v *frame.Visit) error {
	return s.showHome(v, http.StatusOK, homePage{})
}

func (s *Section) showHome(v *frame.Visit, status int, page homePage, found ...patient.ID) error {
	before, err := cursor(v, "before")
	if err != nil {
		return err
	}
	broken, err := s.Traces.Broken(v.Context(), v.Tenant, before, mostBroken+1)
	if err != nil {
		return err
	}
	if page.Newer = before != uuid.Nil; len(broken) > mostBroken {
		broken = broken[:mostBroken]
		page.Older = broken[mostBroken-1].Event.String()
	}
	waiting, err := s.Asked.Waiting(v.Context(), v.Tenant, s.Now(), mostWaiting)
	if err != nil {
		return err
	}
	independent, err := s.independentOfficers(v)
	if err != nil {
		return err
	}
	page.Operator = !independent
	if err := s.fillHome(v, &page, broken, waiting, found); err != nil {
		return err
	}
	page.Token = v.Token("privacy")
	s.Show(v, frame.View{Template: templates["privacy"], Status: status, Title: page.Titled("Privacy"), Content: page})
	return nil
}

// fillHome names everybody on the page by one query, and notes that it did.
func (s *Section) fillHome(v *frame.Visit, page *homePage, broken []projections.Breaking, waiting []projections.AskedErasure, found []patient.ID) error {
	shown := found
	for _, b := range broken {
		shown = append(shown, b.Patient)
	}
	for _, w := range waiting {
		shown = append(shown, w.Patient)
	}
	names, err := s.named(v, "privacy", shown)
	if err != nil {
		return err
	}
	who, err := s.words(v)
	if err != nil {
		return err
	}
	for _, b := range broken {
		page.Broken = append(page.Broken, brokenRow{b.Patient, names.of(b.Patient), who.member(b.Staff.UUID), frame.Moment(b.At, v.Practice.Zone), frame.Moment(b.Until, v.Practice.Zone), b.Reason})
	}
	for _, w := range waiting {
		page.Waiting = append(page.Waiting, waitingRow{w.Patient, names.of(w.Patient), frame.Moment(w.AskedAt, v.Practice.Zone), frame.Moment(w.AskedAt.Add(latest), v.Practice.Zone)})
	}
	for _, id := range found {
		page.Found = append(page.Found, foundRow{id, names.of(id), names.born(id)})
	}
	return nil
}
