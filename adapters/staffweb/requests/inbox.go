package requests

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// rowsShown is the page size.
const rowsShown = 50

// inboxPage is one page of a tab.
type inboxPage struct {
	Title       string
	Tab         projections.InboxTab
	Tabs        []tab
	Types       []pagekit.Option
	Urgent      bool // only urgent ones are shown
	Rows        []row
	Empty       string // the text without rows
	Further     bool   // this is not the first page
	First, Next string // addresses; Next is "" on the last page
}

// tab leads to one tab.
type tab struct {
	Name, Address string
	Count         string // "" for none
	Here          bool
}

// row is a request in the inbox.
type row struct {
	ID              request.ID
	Name, Born      string // of the patient
	Kind            string // "Medical request"
	At, Age         string
	Urgent, ByProxy bool
	InError         bool
	Files           string // "" for none
	Holder          string // a sentence; "" without a holder
}

// inbox lists waiting requests. Names are opened for the current page, in one query,
// and one line of the access record lists the patients shown.
func (s *Section) inbox(r *pagekit.Request) error {
	if err := s.NoteHead(r); err != nil {
		return err
	}
	filter := filterOf(r)
	found, next, err := s.Inbox.Page(r.Context(), r.Tenant, filter, rowsShown)
	if err != nil {
		return err
	}
	counts, err := s.Inbox.Counts(r.Context(), r.Tenant, r.Session.Staff)
	if err != nil {
		return err
	}
	rows, err := s.rowsOf(r, found)
	if err != nil {
		return err
	}
	here := addressOf(r, filter)
	content := inboxPage{
		Title: tabNames[filter.Tab], Tab: filter.Tab, Tabs: tabsOf(r, filter, counts), Types: typesOf(filter.Type), Urgent: filter.Urgent,
		Rows: rows, Empty: emptyWords(filter), Further: filter.After != (projections.InboxPlace{}), First: here.String(),
	}
	if next != (projections.InboxPlace{}) {
		content.Next = pageAddress(here, next)
	}
	s.Show(r, pagekit.View{Template: templates["inbox"], Status: http.StatusOK, Title: "Requests", Content: content, Script: pagekit.Live})
	return nil
}

// filterOf reads the filter from the address. It ignores invalid values.
func filterOf(r *pagekit.Request) projections.InboxFilter {
	f := projections.InboxFilter{Tab: projections.InboxNew, Member: r.Session.Staff, Urgent: r.Form.Has("urgent"), After: parsePlace(r.Form.Get("after"))}
	if tab := projections.InboxTab(r.Form.Get("tab")); slices.Contains(projections.InboxTabs(), tab) {
		f.Tab = tab
	}
	if kind := request.Type(r.Form.Get("type")); kind.Known() == nil {
		f.Type = kind
	}
	return f
}

// addressOf is the address of the first page of a filter.
func addressOf(r *pagekit.Request, f projections.InboxFilter) *url.URL {
	query := url.Values{"tab": {string(f.Tab)}}
	if f.Type != "" {
		query.Set("type", string(f.Type))
	}
	if f.Urgent {
		query.Set("urgent", "yes")
	}
	return &url.URL{Path: r.Base() + "/requests", RawQuery: query.Encode()}
}

// mostCounted is where counting ends. Done requests are not counted: they are not
// waiting.
const mostCounted = 1000

// tabsOf are the tabs, each with its number of requests, whatever the filter.
func tabsOf(r *pagekit.Request, f projections.InboxFilter, counts map[projections.InboxTab]int) (tabs []tab) {
	for _, t := range projections.InboxTabs() {
		leads := addressOf(r, projections.InboxFilter{Tab: t, Type: f.Type, Urgent: f.Urgent})
		count := strconv.Itoa(counts[t])
		switch {
		case t == projections.InboxDone, counts[t] == 0:
			count = ""
		case counts[t] >= mostCounted:
			count = strconv.Itoa(mostCounted-1) + "+"
		}
		tabs = append(tabs, tab{tabNames[t], leads.String(), count, t == f.Tab})
	}
	return tabs
}

// rowsOf are requests with the names of their patients. A just erased patient has none,
// and is left out.
func (s *Section) rowsOf(r *pagekit.Request, found []projections.InboxRow) (rows []row, err error) {
	patients := make([]patient.ID, 0, len(found))
	for _, waiting := range found {
		if !slices.Contains(patients, waiting.Patient) {
			patients = append(patients, waiting.Patient)
		}
	}
	names, err := s.Patients(r, patients...)
	if err != nil {
		return nil, err
	}
	for _, waiting := range found {
		if name, known := names[waiting.Patient]; known {
			rows = append(rows, s.rowOf(r, waiting, name))
		}
	}
	s.RecordShown(r, "requests", patients...)
	return rows, nil
}

func (s *Section) rowOf(r *pagekit.Request, waiting projections.InboxRow, of projections.PatientName) row {
	return row{
		ID: waiting.Request, Name: of.Name, Born: pagekit.FormatBirthDate(of.BirthDate), Kind: pagekit.RequestNames[waiting.Type],
		At: s.When(r, waiting.SubmittedAt), Age: ageText(s.Now().Sub(waiting.SubmittedAt)),
		Urgent: waiting.Urgent, ByProxy: waiting.ByProxy, InError: waiting.InError, Files: filesWords(waiting.Files), Holder: s.holderText(r, waiting.Holder, waiting.HolderName, waiting.DoneAt),
	}
}

// holderText names the member who has a request, or is done with it.
func (s *Section) holderText(r *pagekit.Request, holder staff.ID, name string, done *time.Time) string {
	who := pagekit.Plain(name)
	switch holder {
	case staff.ID{}:
		return ""
	case r.Session.Staff:
		who = "You"
	}
	if done != nil {
		return who + " completed it at " + s.When(r, *done) + "."
	}
	if holder == r.Session.Staff {
		return "You have it."
	}
	return who + " has it."
}

// pageAddress is the address of the page after a position. A position has a request's
// identifier and time, and no name.
func pageAddress(address *url.URL, place projections.InboxPlace) string {
	query := address.Query()
	query.Set("after", fmt.Sprintf("%t_%d_%s", place.Urgent, place.At.UnixMicro(), place.Request))
	return address.Path + "?" + query.Encode()
}

// parsePlace parses a position. An invalid one is the beginning.
func parsePlace(text string) projections.InboxPlace {
	parts := strings.Split(text, "_")
	if len(parts) != 3 {
		return projections.InboxPlace{}
	}
	urgent, noBool := strconv.ParseBool(parts[0])
	at, noTime := strconv.ParseInt(parts[1], 10, 64)
	id, ok := parse.ID(parts[2])
	if noBool != nil || noTime != nil || !ok {
		return projections.InboxPlace{}
	}
	return projections.InboxPlace{Urgent: urgent, At: time.UnixMicro(at).UTC(), Request: request.ID{UUID: id}}
}
