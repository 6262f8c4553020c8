package patients

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections/patientindex"
)

// searchPage is the form, and the patients found.
type searchPage struct {
	pagekit.FormErrors
	Name, Born, NHSNumber, Identifier pagekit.Field

	Searched    bool
	List        list
	All, Limit  int  // how many were found, and the limit of the list
	More        bool // more were found than are listed
	First, Last int  // of those on the page
	Search      uuid.UUID
	Turns       []turn // to other pages of the list
	Token       string
}

// Rows are the rows of the page.
func (p searchPage) Rows() []row { return p.List.Rows }

// turn is a link to another page of a list.
type turn struct{ Address, Label string }

// form fills in the typed values.
func (p searchPage) form(r *pagekit.Request) searchPage {
	field := func(id, label, hint string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: "text", Value: r.Form.Get(id), Fill: "off", Optional: true, Fault: p.Fault(id)}
	}
	p.Name = field("name", "Name", "Enter the start of a first name, last name or both")
	p.Born = field("born", "Date of birth", pagekit.BirthDateHint)
	p.NHSNumber = field("nhs-number", "NHS number", numberHint)
	p.Identifier = field("identifier", "Identifier", "Patient ID, for example 0190c7a2-0000-7000-8000-0000000000a1")
	p.Limit, p.Token = mostFound, r.Token(pagekit.FindPatient)
	return p
}

// searchForm shows the form or, with a search in the address, a page of its result.
func (s *Section) searchForm(r *pagekit.Request) error {
	if r.Form.Has("search") {
		return s.result(r)
	}
	return s.showSearch(r, http.StatusOK, searchPage{})
}

func (s *Section) showSearch(r *pagekit.Request, status int, page searchPage) error {
	s.Show(r, pagekit.View{Template: templates["search"], Status: status, Title: page.PageTitle("Patients"), Content: page.form(r)})
	return nil
}

// search runs a search, and redirects to its result.
func (s *Section) search(r *pagekit.Request) error {
	ours := r.HasToken(pagekit.FindPatient)
	r.Form = s.sorted(r.Form)
	if !ours {
		status, wrong := r.Unsent("name")
		return s.showSearch(r, status, searchPage{FormErrors: wrong})
	}
	wanted, page := s.wantedBy(r)
	if len(page.Faults) > 0 {
		return s.showSearch(r, http.StatusBadRequest, page)
	}
	if text := strings.TrimSpace(r.Form.Get("identifier")); text != "" {
		return s.redirectByID(r, text)
	}
	ids, _, err := s.PatientIndex.Find(r.Context(), r.Tenant, wanted, mostFound+1)
	if errors.Is(err, patientindex.ErrFull) {
		return s.showSearch(r, http.StatusOK, searchPage{FormErrors: pagekit.FormError("identifier", "Search by name, date of birth or NHS number is not available for a list this large. Enter the patient ID.")})
	}
	if err != nil {
		return err
	}
	search, err := s.Searches.store(r.Context(), r.Session.ID, ids)
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/patients?search=" + search.String())
}

// sorted puts the text of the one field in the header into the field of the form that it
// is for: an identifier, an NHS number, a date of birth, or a name.
func (s *Section) sorted(form url.Values) url.Values {
	text := strings.TrimSpace(form.Get("find"))
	if text == "" {
		return form
	}
	field := "name"
	if _, isID := parse.SomeID(text); isID {
		field = "identifier"
	} else if isNumber(text) {
		field = "nhs-number"
	} else if _, isDate := pagekit.ParseBirthDate(text, s.Now()); isDate {
		field = "born"
	}
	return url.Values{field: {text}}
}

// isNumber reports whether a text has the ten digits of an NHS number, also one that is not
// valid.
func isNumber(text string) bool {
	digits, _ := patient.ParseNHSNumber(text)
	_, err := strconv.ParseUint(digits, 10, 64)
	return len(digits) == 10 && err == nil
}

// wantedBy reads the form.
func (s *Section) wantedBy(r *pagekit.Request) (w patientindex.Criteria, page searchPage) {
	w.Name = strings.TrimSpace(r.Form.Get("name"))
	if long := pagekit.TooLong(w.Name, parse.MaxName); long != "" {
		page.FormErrors = page.With("name", long)
	}
	born, ok := pagekit.ParseBirthDate(r.Form.Get("born"), s.Now())
	if !ok {
		page.FormErrors = page.With("born", pagekit.DateFault(r.Form.Get("born"), pagekit.BirthDateError))
	}
	w.NHSNumber = strings.TrimSpace(r.Form.Get("nhs-number"))
	if _, ok := patient.ParseNHSNumber(w.NHSNumber); w.NHSNumber != "" && !ok {
		page.FormErrors = page.With("nhs-number", numberFault(w.NHSNumber))
	}
	identifier := strings.TrimSpace(r.Form.Get("identifier"))
	if w.BirthDate = born; w.Name == "" && ok && born == "" && w.NHSNumber == "" && identifier == "" {
		page.FormErrors = page.With("name", "Enter a name, date of birth, NHS number or patient ID")
	}
	if _, isID := parse.SomeID(identifier); identifier != "" && !isID {
		page.FormErrors = page.With("identifier", "An identifier has 36 letters, digits and hyphens")
	}
	return w, page
}

// redirectByID redirects to the patient with the identifier.
func (s *Section) redirectByID(r *pagekit.Request, text string) error {
	id, _ := parse.SomeID(text)
	about := patient.ID{UUID: id}
	known, err := s.Patients.PatientExists(r.Context(), r.Tenant, about)
	if err != nil {
		return err
	}
	if !known {
		return s.list(r, searchPage{Searched: true}, nil, 0)
	}
	return r.Redirect(pathOf(r, about))
}

// result shows a page of a stored search. Its address has nothing that was typed, so that
// it can be reloaded and returned to.
func (s *Section) result(r *pagekit.Request) error {
	search, ok := parse.SomeID(r.Form.Get("search"))
	if !ok {
		return errNoSearch
	}
	ids, err := s.Searches.load(r.Context(), r.Session.ID, search)
	if err != nil {
		return err
	}
	more := len(ids) > mostFound
	ids = ids[:min(len(ids), mostFound)]
	from, _ := strconv.Atoi(r.Form.Get("from")) // anything else is the first page
	from = max(0, min(from, len(ids)-1)) / pageSize * pageSize
	return s.list(r, searchPage{Searched: true, All: len(ids), More: more, Search: search}, ids, from)
}

// list shows the patients from one of them on, and adds them to the access record.
func (s *Section) list(r *pagekit.Request, page searchPage, ids []patient.ID, from int) (err error) {
	until := min(from+pageSize, len(ids))
	if page.List, err = s.namesOf(r, ids[from:until]); err != nil {
		return err
	}
	s.RecordShown(r, topic, ids[from:until]...)
	page.First, page.Last = from+1, until
	address := r.Base() + "/patients?search=" + page.Search.String() + "&from="
	if from > 0 {
		page.Turns = append(page.Turns, turn{address + strconv.Itoa(from-pageSize), "Previous page"})
	}
	if until < len(ids) {
		page.Turns = append(page.Turns, turn{address + strconv.Itoa(until), "Next page"})
	}
	return s.showSearch(r, http.StatusOK, page)
}
