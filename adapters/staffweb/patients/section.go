package patients

import (
	"embed"
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/patientindex"
)

// Section is the pages about patients. All fields are needed.
type Section struct {
	*pagekit.Site
	PatientIndex *patientindex.Index
	Searches     Searches
	Patients     projections.Patients
	Contacts     projections.Contacts
	Records      projections.CareRecords
	Timeline     projections.Timeline
	Inbox        projections.Inbox
	Appointments projections.Appointments
	Directory    directory.Names
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "search", "register", "record", "closed", "timeline", "details", "contact")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	get := func(page pagekit.Page) pagekit.Methods {
		return pagekit.Methods{http.MethodGet: pagekit.Requires(staff.SeePatients, page)}
	}
	return []pagekit.Route{
		pagekit.NewRoute("/patients", "patients", pagekit.FormMethods(staff.SeePatients, s.searchForm, s.search)),
		pagekit.NewRoute("/patients/register", "register-patient", pagekit.FormMethods(staff.SeePatients, s.registerForm, s.register)),
		pagekit.NewRoute("/patients/{patient}", "patient", get(s.record)),
		pagekit.NewRoute("/patients/{patient}/glass", "glass", pagekit.FormMethods(staff.SeePatients, s.record, s.breakGlass).WithText(longestNote)),
		pagekit.NewRoute("/patients/{patient}/timeline", "timeline", get(s.timeline)),
		pagekit.NewRoute("/patients/{patient}/details", "patient-details", pagekit.FormMethods(staff.SeePatients, s.detailsForm, s.changeDetails)),
		pagekit.NewRoute("/patients/{patient}/contact", "patient-contact", pagekit.FormMethods(staff.SeePatients, s.contactForm, s.changeContact)),
		pagekit.NewRoute("/patients/{patient}/notes", "notes", pagekit.FormMethods(staff.SeePatients, s.record, s.addNote).WithText(longestNote)),
	}
}

// topic is the pages' name in the access record.
const topic = "patients"

// errNoPatient is the answer for patients that the practice does not have, whether it ever
// had them or not.
var errNoPatient = pagekit.NoSuch("patient", "Go to Patients and look for them there.")

// subject is the patient of a page.
type subject struct {
	ID patient.ID
	projections.PatientName
	Sight record.Sight
	Born  string // in words; "" if unknown
	At    string // the address of their page
}

// findSubject finds the patient in the path, and the member's access to the record.
func (s *Section) findSubject(r *pagekit.Request) (w subject, err error) {
	id, ok := parse.SomeID(r.PathValue("patient"))
	if !ok {
		return w, errNoPatient
	}
	w.ID.UUID = id
	names, err := s.Site.Patients(r, w.ID)
	if err != nil {
		return w, err
	}
	name, known := names[w.ID]
	if !known {
		return w, errNoPatient
	}
	w.PatientName, w.Born, w.At = name, pagekit.FormatBirthDate(name.BirthDate), pathOf(r, w.ID)
	w.Sight, err = s.Patients.Sight(r.Context(), r.Tenant, w.ID, r.Session.Staff)
	return w, err
}

// isOpen reports whether the member has access to the record now.
func (s *Section) isOpen(w subject) bool { return w.Sight.Open(s.Now()) }

// purpose is the purpose of forms about the patient.
func (w subject) purpose() string { return "patient\x00" + w.ID.String() }

func pathOf(r *pagekit.Request, id patient.ID) string { return r.Base() + "/patients/" + id.String() }

// orNoPatient replaces the refusal of a patient who is gone by the page for that.
func orNoPatient(err error) error {
	if errors.Is(err, patient.ErrUnknown) {
		return errNoPatient
	}
	return err
}

// namesOf lists patients by name, without those who are gone.
func (s *Section) namesOf(r *pagekit.Request, ids []patient.ID) (l list, err error) {
	names, err := s.Site.Patients(r, ids...)
	l.At = r.Base() + "/patients"
	for _, id := range ids {
		if name, known := names[id]; known {
			l.Rows = append(l.Rows, row{id, name.Name, pagekit.FormatBirthDate(name.BirthDate)})
		}
	}
	return l, err
}

// list is patients with links to their pages below an address.
type list struct {
	At   string
	Rows []row
}

// row is one patient in a list.
type row struct {
	Patient    patient.ID
	Name, Born string
}
