package patients

import (
	"errors"
	"net/http"
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
	Name, Born, Identifier pagekit.Field
	Searched               bool
	List                   list
	All, Limit             int  // how many were found, and the limit of the list
	More                   bool // more were found than are listed
	First, Last            int  // of those on the page
	Search                 uuid.UUID
	Turns                  []turn // to other pages of the list
	Token                  string
}

// Rows are the rows of the page.
func (p searchPage) Rows() []row { return p.List.Rows }

// turn is a link to another page of a list, with its first row.
type turn struct {
	From  int
	Label string
}

// form fills in the typed values.
func (p searchPage) form(r *pagekit.Request) searchPage {
	field := func(id, label, hint string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: "text", Value: r.Form.Get(id), Fill: "off", Optional: true, Fault: p.Fault(id)}
	}
	p.Name = field("name", "Name", "The beginning of the first name, the last name or both")
	p.Born = field("born", "Date of birth", pagekit.BirthDateHint)
	p.Identifier = field("identifier", "Identifier", "As applications and letters show it, such as 0190c7a2-0000-7000-8000-0000000000a1")
	p.Limit, p.Token = mostFound, r.Token("patients")
	return p
}

func (s *Section) searchForm(r *pagekit.Request) error {
	return s.showSearch(r, http.StatusOK, searchPage{})
}

func (s *Section) showSearch(r *pagekit.Request, status int, page searchPage) error {
	s.Show(r, pagekit.View{Template: templates["search"], Status: status, Title: page.PageTitle("Patients"), Content: page.form(r)})
	return nil
}

// search runs a search and shows its first page, or shows another page of an earlier
// one.
func (s *Section) search(r *pagekit.Request) error {
	if !r.HasToken("patients") {
		return pagekit.ErrStale
	}
	if r.Form.Has("search") {
		return s.nextPage(r)
	}
	wanted, page := wantedBy(r)
	if len(page.Faults) > 0 {
		return s.showSearch(r, http.StatusBadRequest, page)
	}
	if text := strings.TrimSpace(r.Form.Get("identifier")); text != "" {
		return s.redirectByID(r, text)
	}
	ids, all, err := s.PatientIndex.Find(r.Context(), r.Tenant, wanted, mostFound)
	if errors.Is(err, patientindex.ErrFull) {
		return s.showSearch(r, http.StatusOK, searchPage{FormErrors: pagekit.FormError("identifier", "This practice has too many patients to be searched by name or date of birth. Give the identifier.")})
	}
	if err != nil {
		return err
	}
	page = searchPage{Searched: true, All: all, More: all > len(ids)}
	if len(ids) > pageSize {
		if page.Search, err = s.Searches.store(r.Context(), r.Session.ID, ids); err != nil {
			return err
		}
	}
	return s.list(r, page, ids, 0)
}

// wantedBy reads the form.
func wantedBy(r *pagekit.Request) (w patientindex.Criteria, page searchPage) {
	w.Name = strings.TrimSpace(r.Form.Get("name"))
	if long := pagekit.TooLong(w.Name, parse.MaxName); long != "" {
		page.FormErrors = page.With("name", long)
	}
	born, ok := pagekit.ParseBirthDate(r.Form.Get("born"))
	if !ok {
		page.FormErrors = page.With("born", pagekit.BirthDateError)
	}
	identifier := strings.TrimSpace(r.Form.Get("identifier"))
	if w.BirthDate = born; w.Name == "" && ok && born == "" && identifier == "" {
		page.FormErrors = page.With("name", "Give a name, a date of birth or an identifier")
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

// nextPage shows another page of a search.
func (s *Section) nextPage(r *pagekit.Request) error {
	search, ok := parse.SomeID(r.Form.Get("search"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	ids, err := s.Searches.load(r.Context(), r.Session.ID, search)
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(r.Form.Get("from")) // anything else is the first page
	from = max(0, min(from, len(ids)-1)) / pageSize * pageSize
	return s.list(r, searchPage{Searched: true, All: len(ids), More: len(ids) == mostFound, Search: search}, ids, from)
}

// list shows the patients from one of them on, and adds them to the access record.
func (s *Section) list(r *pagekit.Request, page searchPage, ids []patient.ID, from int) (err error) {
	until := min(from+pageSize, len(ids))
	if page.List, err = s.namesOf(r, ids[from:until]); err != nil {
		return err
	}
	s.RecordShown(r, topic, ids[from:until]...)
	page.First, page.Last = from+1, until
	if from > 0 {
		page.Turns = append(page.Turns, turn{from - pageSize, "Previous page"})
	}
	if until < len(ids) {
		page.Turns = append(page.Turns, turn{until, "Next page"})
	}
	return s.showSearch(r, http.StatusOK, page)
}
