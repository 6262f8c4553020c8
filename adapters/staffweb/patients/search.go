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
	"frontdesk/projections"
)

// searchPage is the form, and the patients found.
type searchPage struct {
	pagekit.Faulty
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
func (p searchPage) form(v *pagekit.Visit) searchPage {
	field := func(id, label, hint string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: "text", Value: v.Form.Get(id), Fill: "off", Optional: true, Fault: p.Fault(id)}
	}
	p.Name = field("name", "Name", "The beginning of the first name, the last name or both")
	p.Born = field("born", "Date of birth", pagekit.BornHint)
	p.Identifier = field("identifier", "Identifier", "As applications and letters show it, such as 0190c7a2-0000-7000-8000-0000000000a1")
	p.Limit, p.Token = mostFound, v.Token("patients")
	return p
}

func (s *Section) searchForm(v *pagekit.Visit) error { return s.found(v, http.StatusOK, searchPage{}) }

func (s *Section) found(v *pagekit.Visit, status int, page searchPage) error {
	s.Show(v, pagekit.View{Template: templates["search"], Status: status, Title: page.Titled("Patients"), Content: page.form(v)})
	return nil
}

// search runs a search and shows its first page, or shows another page of an earlier
// one.
func (s *Section) search(v *pagekit.Visit) error {
	if !v.Owns("patients") {
		return pagekit.ErrStale
	}
	if v.Form.Has("search") {
		return s.goOn(v)
	}
	wanted, page := wantedBy(v)
	if len(page.Faults) > 0 {
		return s.found(v, http.StatusBadRequest, page)
	}
	if text := strings.TrimSpace(v.Form.Get("identifier")); text != "" {
		return s.identified(v, text)
	}
	ids, all, err := s.Book.Find(v.Context(), v.Tenant, wanted, mostFound)
	if errors.Is(err, projections.ErrBookFull) {
		return s.found(v, http.StatusOK, searchPage{Faulty: pagekit.Wrong("identifier", "This practice has too many patients to be searched by name or date of birth. Give the identifier.")})
	}
	if err != nil {
		return err
	}
	page = searchPage{Searched: true, All: all, More: all > len(ids)}
	if len(ids) > shown {
		if page.Search, err = s.Searches.keep(v.Context(), v.Session.ID, ids); err != nil {
			return err
		}
	}
	return s.list(v, page, ids, 0)
}

// wantedBy reads the form.
func wantedBy(v *pagekit.Visit) (w projections.Wanted, page searchPage) {
	w.Name = strings.TrimSpace(v.Form.Get("name"))
	born, ok := pagekit.ReadBorn(v.Form.Get("born"))
	if !ok {
		page.Faulty = page.With("born", pagekit.WrongBorn)
	}
	identifier := strings.TrimSpace(v.Form.Get("identifier"))
	if w.BirthDate = born; w.Name == "" && ok && born == "" && identifier == "" {
		page.Faulty = page.With("name", "Give a name, a date of birth or an identifier")
	}
	if _, isID := parse.SomeID(identifier); identifier != "" && !isID {
		page.Faulty = page.With("identifier", "An identifier has 36 letters, digits and hyphens")
	}
	return w, page
}

// identified redirects to the patient with the identifier.
func (s *Section) identified(v *pagekit.Visit, text string) error {
	id, _ := parse.SomeID(text)
	about := patient.ID{UUID: id}
	known, err := s.Patients.PatientExists(v.Context(), v.Tenant, about)
	if err != nil {
		return err
	}
	if !known {
		return s.list(v, searchPage{Searched: true}, nil, 0)
	}
	return v.GoTo(pathOf(v, about))
}

// goOn shows another page of a search.
func (s *Section) goOn(v *pagekit.Visit) error {
	search, ok := parse.SomeID(v.Form.Get("search"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	ids, err := s.Searches.of(v.Context(), v.Session.ID, search)
	if err != nil {
		return err
	}
	from, _ := strconv.Atoi(v.Form.Get("from")) // anything else is the first page
	from = max(0, min(from, len(ids)-1)) / shown * shown
	return s.list(v, searchPage{Searched: true, All: len(ids), More: len(ids) == mostFound, Search: search}, ids, from)
}

// list shows the patients from one of them on, and adds them to the access record.
func (s *Section) list(v *pagekit.Visit, page searchPage, ids []patient.ID, from int) (err error) {
	until := min(from+shown, len(ids))
	if page.List, err = s.namesOf(v, ids[from:until]); err != nil {
		return err
	}
	s.Looked(v, topic, ids[from:until]...)
	page.First, page.Last = from+1, until
	if from > 0 {
		page.Turns = append(page.Turns, turn{from - shown, "Previous page"})
	}
	if until < len(ids) {
		page.Turns = append(page.Turns, turn{until, "Next page"})
	}
	return s.found(v, http.StatusOK, page)
}
