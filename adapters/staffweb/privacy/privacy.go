package privacy

import (
	"context"
	"embed"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
	"frontdesk/projections/patientindex"
)

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "privacy", "patient", "refused", "erasures", "letter", "checkpoint", "information")

// Section is the pages for privacy officers. All fields are needed.
type Section struct {
	*pagekit.Site
	Traces       history.Accesses
	Asked        projections.ErasureRequests
	Done         projections.Erasures
	People       projections.People
	Directory    directory.Names
	Contacts     projections.Contacts
	PatientIndex *patientindex.Index
	Service
}

// Service has the dependencies that only these pages have. All fields are needed.
type Service struct {
	// Calls reads the access record, newest lines first.
	Calls func(context.Context, CallFilter) ([]access.Call, error)
	// Notified returns the applications that webhooks notified of events.
	Notified func(ctx context.Context, events []uuid.UUID) ([]Notified, error)
	// Copy prepares the copy of all data about a patient.
	Copy func(ctx context.Context, tenant string, id patient.ID) (Copy, error)
	// Erased writes the ledger of erasures outside the database. It is called after an
	// erasure.
	Erased func(context.Context) error
	// Copying limits the copies that are written at once: it holds one value for each.
	Copying chan struct{}
	// Checkpoints reads the signed checkpoints of logs.
	Checkpoints Checkpoints
}

// CallFilter selects lines of the access record.
type CallFilter struct {
	Tenant  string
	Patient patient.ID // named or shown by the line; zero for all
	Staff   staff.ID   // the caller or viewer; zero for all
	Kind    access.LineKind
	Refused bool // only refused calls
	Since   time.Time
	Until   time.Time // exclusive
	Before  uuid.UUID // only lines older than that of this request id; zero begins with the newest
	Most    int
}

// Notified is a webhook that notified an application of an event, or tried to.
type Notified struct {
	Event       uuid.UUID
	Application application.ID
	Arrived     bool
}

// Copy is a copy of all data about a patient, before it is written.
type Copy struct {
	Reading audit.Queried // recorded before the copy is written
	Write   func(context.Context, io.Writer) error
}

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	guard := func(page pagekit.Page) pagekit.Page { return s.confirmed("privacy", page) }
	texts := pagekit.Methods{
		http.MethodGet:  pagekit.Requires(staff.SeeInformation, s.information),
		http.MethodPost: pagekit.Requires(staff.EditInformation, s.setInformation),
	}
	return []pagekit.Route{
		pagekit.NewRoute("/privacy-texts", "privacy-texts", texts.WithText(2*practice.MaxInformation*len(practice.Topics()))),
		pagekit.NewRoute("/privacy", "privacy", pagekit.FormMethods(staff.GuardPrivacy, guard(s.home), guard(s.find))),
		pagekit.NewRoute("/privacy/refused", "privacy-refused", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.GuardPrivacy, guard(s.refused))}),
		pagekit.NewRoute("/privacy/erasures", "privacy-erasures", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.GuardPrivacy, guard(s.erasures))}),
		pagekit.NewRoute("/privacy/erasures/{erasure}", "privacy-erasure", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.GuardPrivacy, guard(s.letter))}),
		pagekit.NewRoute("/privacy/checkpoint", "privacy-checkpoint", pagekit.FormMethods(staff.GuardPrivacy, guard(s.checkpoint), guard(s.compare))),
		pagekit.NewRoute("/privacy/checkpoint/newest", "privacy-checkpoint-file", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.GuardPrivacy, guard(s.download))}),
		pagekit.NewRoute("/privacy/patients/{patient}", "privacy-patient", pagekit.FormMethods(staff.GuardPrivacy, s.ofPatient(s.patient), s.ofPatient(s.act))),
		pagekit.NewRoute("/privacy/patients/{patient}/copy", "privacy-copy", pagekit.Methods{http.MethodPost: pagekit.Requires(staff.GuardPrivacy, s.ofPatient(s.copy))}),
	}
}

// confirmed gives access after recent reauthentication, and otherwise asks for it (D66).
func (s *Section) confirmed(at string, page pagekit.Page) pagekit.Page {
	return func(r *pagekit.Request) error {
		if !s.Confirmed(r) {
			return s.ConfirmForm(r, at)
		}
		return page(r)
	}
}

// homePage is the first page of the section.
type homePage struct {
	pagekit.FormErrors
	Broken   []brokenRow
	Older    string // the last row of them, if older ones follow
	Newer    bool   // they do not begin with the newest
	Waiting  []waitingRow
	Operator bool // no two privacy officers are independent of each other
	Looked   bool // there was a search
	Name     string
	Birth    string
	Found    []foundRow
	FoundAll int
	Token    string
}

// NameField is the field of a name or an identifier.
func (p homePage) NameField() pagekit.Field {
	return pagekit.Field{
		ID: "name", Label: "Name, or the beginning of it, NHS number or patient ID",
		Kind: "text", Value: p.Name, Fill: "off", Optional: true, Fault: p.Fault("name"),
	}
}

// BirthField is the field of a date of birth.
func (p homePage) BirthField() pagekit.Field {
	return pagekit.Field{ID: "birth", Label: "Date of birth", Hint: pagekit.BirthDateHint, Kind: "text", Value: p.Birth, Fill: "off", Optional: true, Fault: p.Fault("birth")}
}

// Limits of the lists.
const (
	mostBroken  = 20
	mostWaiting = 50
	mostFound   = 50
	mostRefused = 50
	mostTraces  = 25
	mostLooks   = 500 // lines that are grouped
)

// brokenRow is one opening of a restricted record by giving a reason.
type brokenRow struct {
	Patient           patient.ID
	Name, Who         string
	At, Until, Reason string
}

// waitingRow is an erasure that waits for a second person.
type waitingRow struct {
	Patient      patient.ID
	Name         string
	Asked, Until string
}

// foundRow is a patient that was found.
type foundRow struct {
	Patient                patient.ID
	Name, Birth, NHSNumber string
}

// home shows broken glass first, and then the erasures that wait.
func (s *Section) home(r *pagekit.Request) error {
	return s.showHome(r, http.StatusOK, homePage{})
}

func (s *Section) showHome(r *pagekit.Request, status int, page homePage, found ...patient.ID) error {
	before, err := cursor(r, "before")
	if err != nil {
		return err
	}
	broken, err := s.Traces.BreakGlass(r.Context(), r.Tenant, before, mostBroken+1)
	if err != nil {
		return err
	}
	if page.Newer = before != uuid.Nil; len(broken) > mostBroken {
		broken = broken[:mostBroken]
		page.Older = broken[mostBroken-1].Event.String()
	}
	waiting, err := s.Asked.Waiting(r.Context(), r.Tenant, s.Now(), projections.RequestedErasure{}, mostWaiting)
	if err != nil {
		return err
	}
	independent, err := s.independentOfficers(r)
	if err != nil {
		return err
	}
	page.Operator = !independent
	if err := s.fillHome(r, &page, broken, waiting, found); err != nil {
		return err
	}
	page.Token = r.Token("privacy")
	s.Show(r, pagekit.View{Template: templates["privacy"], Status: status, Title: page.PageTitle("Privacy"), Content: page})
	return nil
}

// fillHome reads all names of the page in one query, and adds the patients to the access
// record.
func (s *Section) fillHome(r *pagekit.Request, page *homePage, broken []history.BreakGlassAccess, waiting []projections.RequestedErasure, found []patient.ID) error {
	shown := found
	for _, b := range broken {
		shown = append(shown, b.Patient)
	}
	for _, w := range waiting {
		shown = append(shown, w.Patient)
	}
	names, err := s.named(r, "privacy", shown)
	if err != nil {
		return err
	}
	actors, err := s.actorNames(r)
	if err != nil {
		return err
	}
	for _, b := range broken {
		page.Broken = append(page.Broken, brokenRow{b.Patient, names.name(b.Patient), actors.member(b.Staff.UUID), pagekit.Moment(b.At, r.Practice.Zone), pagekit.Moment(b.Until, r.Practice.Zone), b.Reason})
	}
	for _, w := range waiting {
		page.Waiting = append(page.Waiting, waitingRow{w.Patient, names.name(w.Patient), pagekit.Moment(w.AskedAt, r.Practice.Zone), pagekit.Moment(w.AskedAt.Add(latest), r.Practice.Zone)})
	}
	contacts, err := s.Contacts.Find(r.Context(), r.Tenant, found...)
	if err != nil {
		return err
	}
	for _, id := range found {
		page.Found = append(page.Found, foundRow{id, names.name(id), names.birthDate(id), pagekit.FormatNHSNumber(contacts[id].NHSNumber)})
	}
	return nil
}
