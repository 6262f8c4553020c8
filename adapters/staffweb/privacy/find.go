package privacy

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
	"frontdesk/projections/patientindex"
)

// find shows patients by the beginning of a name, by date of birth, by NHS number or by identifier. It
// is a POST, so that no address contains a name.
func (s *Section) find(r *pagekit.Request) error {
	page := homePage{Looked: true, Name: strings.TrimSpace(r.Form.Get("name")), Birth: strings.TrimSpace(r.Form.Get("birth"))}
	if !r.HasToken("privacy") {
		status, wrong := r.Unsent("name")
		page.Looked, page.FormErrors = false, wrong
		return s.showHome(r, status, page)
	}
	if id, ok := parse.ID(page.Name); ok {
		return r.Redirect(r.Base() + "/privacy/patients/" + id.String())
	}
	wanted, wrong := s.wantedBy(page)
	if page.FormErrors = wrong; len(page.Faults) > 0 {
		page.Looked = false
		return s.showHome(r, http.StatusBadRequest, page)
	}
	found, all, err := s.PatientIndex.Find(r.Context(), r.Tenant, wanted, mostFound)
	if errors.Is(err, patientindex.ErrFull) {
		page.Looked, page.FormErrors = false, pagekit.FormError("name", "The practice has too many patients to be searched by name. Enter the patient’s identifier.")
		return s.showHome(r, http.StatusBadRequest, page)
	}
	if err != nil {
		return err
	}
	page.FoundAll = all
	return s.showHome(r, http.StatusOK, page, found...)
}

// wantedBy reads the search, or its faults.
func (s *Section) wantedBy(page homePage) (w patientindex.Criteria, wrong pagekit.FormErrors) {
	born, ok := pagekit.ParseBirthDate(page.Birth, s.Now())
	long := pagekit.TooLong(page.Name, parse.MaxName)
	switch {
	case long != "":
		wrong = pagekit.FormError("name", long)
	case !ok:
		wrong = pagekit.FormError("birth", pagekit.DateFault(page.Birth, pagekit.BirthDateError))
	case page.Name == "" && born == "":
		wrong = pagekit.FormError("name", "Enter a name, a date of birth, an NHS number or an identifier")
	}
	if _, isNumber := patient.ParseNHSNumber(page.Name); isNumber {
		return patientindex.Criteria{NHSNumber: page.Name, BirthDate: born}, wrong
	}
	return patientindex.Criteria{Name: page.Name, BirthDate: born}, wrong
}

// cursor is the identifier of the row after which a list continues; zero for its beginning.
func cursor(r *pagekit.Request, name string) (uuid.UUID, error) {
	if r.HTTP.Method != http.MethodGet || !r.Form.Has(name) {
		return uuid.Nil, nil
	}
	id, ok := parse.ID(r.Form.Get(name))
	if !ok {
		return uuid.Nil, pagekit.ErrUnreadable
	}
	return id, nil
}

// patientNames are the names of the patients on a page.
type patientNames map[patient.ID]projections.PatientName

func (n patientNames) name(id patient.ID) string {
	if name := n[id].Name; name != "" {
		return name
	}
	return "a patient whom the practice does not have" // an identifier that a call invented, or an erased patient
}

func (n patientNames) birthDate(id patient.ID) string {
	return pagekit.FormatBirthDate(n[id].BirthDate)
}

// named returns the names of patients, and adds the named ones to the access record under a
// topic, each once.
func (s *Section) named(r *pagekit.Request, topic string, shown []patient.ID) (patientNames, error) {
	once := map[patient.ID]bool{}
	var wanted []patient.ID
	for _, id := range shown {
		if id.UUID != uuid.Nil && !once[id] {
			once[id], wanted = true, append(wanted, id)
		}
	}
	names, err := s.Patients(r, wanted...) // without patients that the practice does not have
	if err != nil {
		return nil, err
	}
	var known []patient.ID
	for _, id := range wanted {
		if _, has := names[id]; has {
			known = append(known, id)
		}
	}
	s.RecordShown(r, topic, known...)
	return names, nil
}
