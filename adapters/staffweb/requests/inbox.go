package requests

import (
	"cmp"
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
	listed
	Done        string // the last action; "" for none
	Title       string
	IsDone      bool // the tab of completed requests
	Tabs        []pagekit.Tab
	Types       []pagekit.Option
	Rows        []row
	Empty       string // the text without rows
	Further     bool   // this is not the first page
	First, Next string // addresses; Next is "" on the last page
	News        string // the address of the count of requests that came since
	filters
}

// row is a request in the inbox.
type row struct {
	ID              request.ID
	Patient         patient.ID
	Name, Born      string // of the patient
	Asks            string // the beginning of the text; "" if it is not shown
	Restricted      bool   // the record is closed to the member
	Long            bool   // the text is too long for the list
	Kind            string // "Medical"
	At              string
	Waiting         string // how long it has waited or, if it is done, the outcome
	Late            bool   // it has waited for too long
	Urgent, ByProxy bool
	InError         bool
	Files           string // "" for none
	Later           string // the day until which it is put off; "" for none
	Holder          string // the holder or, of a completed request, who completed it and when; "" without a holder
	MayTake         bool
	Address, Token  string // of the form that takes it
	List            listed
}

// inbox lists waiting requests. Names are opened for the current page, in one query,
// and one line of the access record lists the patients shown.
func (s *Section) inbox(r *pagekit.Request) error {
	switch {
	case r.Form.Has("row"):
		return s.showRow(r)
	case r.Form.Has("news"):
		return s.showNews(r)
	}
	if err := s.NoteHead(r); err != nil {
		return err
	}
	newest, err := s.Inbox.Newest(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	filter, list := s.filterOf(r), listedBy(r)
	found, next, err := s.page(r, filter, list)
	if err != nil {
		return err
	}
	counts, err := s.Inbox.Counts(r.Context(), r.Tenant, r.Session.Staff, s.Today(r))
	if err != nil {
		return err
	}
	rows, err := s.rowsOf(r, found)
	if err != nil {
		return err
	}
	if err := s.addAsks(r, rows); err != nil {
		return err
	}
	content := inboxPage{
		listed: list, Done: doneWords[r.Form.Get("done")], Title: tabNames[filter.Tab], IsDone: filter.Tab == projections.InboxDone, Tabs: tabsOf(r, filter, counts), Types: typesOf(filter.Type),
		Rows: rows, Empty: emptyWords(filter), Further: filter.After != (projections.InboxPlace{}), First: list.address(r), Next: next,
		News: list.since(max(r.Head(), newest)).address(r) + "&fragment&news",
	}
	if content.filters, err = s.filtersOf(r, list); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["inbox"], Status: http.StatusOK, Title: "Requests", Content: content, Script: pagekit.Live})
	return nil
}

// page returns a page of a list, and the address of the next one; "" at the end.
func (s *Section) page(r *pagekit.Request, filter projections.InboxFilter, list listed) (rows []projections.InboxRow, next string, err error) {
	if list.Since > 0 {
		rows, behind, err := s.Inbox.Since(r.Context(), r.Tenant, filter, list.Since, rowsShown)
		if behind > 0 {
			next = list.since(behind).address(r)
		}
		return rows, next, err
	}
	rows, place, err := s.Inbox.Page(r.Context(), r.Tenant, filter, rowsShown)
	if place != (projections.InboxPlace{}) {
		next = list.address(r) + "&after=" + formatPlace(place)
	}
	return rows, next, err
}

// newsPage is the link to the requests that came since a list was loaded.
type newsPage struct {
	Text, Count string // "" without any
	Address     string
}

// showNews shows how many requests came since a list was loaded. It shows no patient, so it
// adds no line to the access record.
func (s *Section) showNews(r *pagekit.Request) error {
	list := listedBy(r)
	n, urgent, err := s.Inbox.CountSince(r.Context(), r.Tenant, s.filterOf(r), list.Since)
	if err != nil {
		return err
	}
	content := newsPage{Address: list.address(r)}
	if n > 0 {
		content.Text, content.Count = pagekit.Counted(n, "new request"), strconv.Itoa(n)
	}
	if urgent > 0 {
		content.Text += ", " + strconv.Itoa(urgent) + " urgent"
	}
	s.Show(r, pagekit.View{Template: templates["inbox"], Fragment: "news", Status: http.StatusOK, Content: content})
	return nil
}

// showRow shows the holder of a request, for a list that is open while a colleague acts on it.
// A request without a holder also shows its patient's name.
func (s *Section) showRow(r *pagekit.Request) error {
	id, ok := parse.SomeID(r.Form.Get("row"))
	if !ok {
		return errNoRequest
	}
	found, err := s.Inbox.Find(r.Context(), r.Tenant, request.ID{UUID: id})
	if err != nil {
		return orNoRequest(err)
	}
	rows := []row{s.rowOf(r, found, projections.PatientName{})}
	if rows[0].MayTake {
		if rows, err = s.rowsOf(r, []projections.InboxRow{found}); err != nil || len(rows) == 0 {
			return cmp.Or(err, error(errNoRequest))
		}
		s.RecordShown(r, "requests", found.Patient)
	}
	s.Show(r, pagekit.View{Template: templates["inbox"], Fragment: "row", Status: http.StatusOK, Content: rows[0]})
	return nil
}

// listed is the list from which a request's page was opened. The links and forms of the
// page carry it.
type listed struct {
	Tab    projections.InboxTab
	Type   request.Type // "" for all
	Urgent bool         // only urgent ones
	Since  int64        // only those whose submission is behind this idx of the log; 0 for all
}

// listedBy reads the list from the address or a form.
func listedBy(r *pagekit.Request) listed { return readList(r.Form) }

// readList reads a list. It ignores invalid values.
func readList(values url.Values) listed {
	l := listed{Tab: projections.InboxNew, Urgent: values.Has("urgent")}
	if tab := projections.InboxTab(values.Get("tab")); slices.Contains(projections.InboxTabs(), tab) {
		l.Tab = tab
	}
	if kind := request.Type(values.Get("type")); kind.Known() == nil {
		l.Type = kind
	}
	if idx, err := strconv.ParseInt(values.Get("new-since"), 10, 64); err == nil && idx > 0 {
		l.Tab, l.Since = projections.InboxNew, idx
	}
	return l
}

// since is the list of new requests that came behind an idx of the log, with the same filter.
func (l listed) since(idx int64) listed {
	return listed{projections.InboxNew, l.Type, l.Urgent, max(1, idx)}
}

// Query is the list as the query of an address.
func (l listed) Query() string {
	query := url.Values{"tab": {string(l.Tab)}}
	if l.Type != "" {
		query.Set("type", string(l.Type))
	}
	if l.Urgent {
		query.Set("urgent", "yes")
	}
	if l.Since > 0 {
		query.Set("new-since", strconv.FormatInt(l.Since, 10))
	}
	return "?" + query.Encode()
}

// address is the address of the list's first page.
func (l listed) address(r *pagekit.Request) string { return r.Base() + "/requests" + l.Query() }

// addressOf is the address of a request that is opened from the list.
func (l listed) addressOf(r *pagekit.Request, id request.ID) string {
	return r.Base() + "/requests/" + id.String() + l.Query()
}

// filterOf is the list in the address, from the place in the address.
func (s *Section) filterOf(r *pagekit.Request) projections.InboxFilter {
	l := listedBy(r)
	return projections.InboxFilter{Tab: l.Tab, Member: r.Session.Staff, Type: l.Type, Urgent: l.Urgent, Today: s.Today(r), After: parsePlace(r.Form.Get("after"))}
}

// tabsOf are the tabs, each with its number of requests, whatever the filter. Done requests
// are not counted: they do not wait.
func tabsOf(r *pagekit.Request, f projections.InboxFilter, counts map[projections.InboxTab]int) (tabs []pagekit.Tab) {
	for _, t := range projections.InboxTabs() {
		leads := listed{Tab: t, Type: f.Type, Urgent: f.Urgent}.address(r)
		count := counted(counts[t])
		if t == projections.InboxDone || counts[t] == 0 {
			count = ""
		}
		tabs = append(tabs, pagekit.Tab{Name: tabNames[t], Address: leads, Count: count, Here: t == f.Tab})
	}
	return tabs
}

// counted formats a count that stops at [projections.MostCounted].
func counted(n int) string {
	if n >= projections.MostCounted {
		return strconv.Itoa(projections.MostCounted-1) + "+"
	}
	return strconv.Itoa(n)
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
	return rows, nil
}

func (s *Section) rowOf(r *pagekit.Request, waiting projections.InboxRow, of projections.PatientName) row {
	now := s.Now()
	waits := now.Sub(waiting.SubmittedAt)
	line := row{
		ID: waiting.Request, Patient: waiting.Patient, Name: of.Name, Born: pagekit.BornAndAge(of.BirthDate, now.In(r.Practice.Zone)), Kind: typeNames[waiting.Type],
		At: s.ShortWhen(r, waiting.SubmittedAt), Waiting: pagekit.Waited(waits), Late: waits >= pagekit.LateRequest && waiting.DoneAt == nil,
		Urgent: waiting.Urgent, ByProxy: waiting.ByProxy, InError: waiting.InError, Files: filesWords(waiting.Files), Holder: s.holderText(r, holderOf(waiting), waiting.DoneAt),
		MayTake: waiting.Holder == staff.ID{} && waiting.DoneAt == nil,
		Address: r.Base() + "/requests/" + waiting.Request.String(), Token: r.Token(purposeOf(waiting.Request.String())), List: listedBy(r),
	}
	if waiting.Until > s.Today(r) {
		line.Later = "Until " + dayOf(waiting.Until)
	}
	if waiting.DoneAt != nil {
		line.Waiting = outcomeNames[waiting.Outcome]
	}
	return line
}

// holder is who has a request.
type holder struct {
	member staff.ID
	team   bool
	name   string
	left   bool // the member has left
}

func holderOf(row projections.InboxRow) holder {
	return holder{row.Holder, row.Team != (staff.TeamID{}), row.HolderName, row.HolderLeft}
}

// holderText names the member or the team who has a request, or the member who is done with
// it.
func (s *Section) holderText(r *pagekit.Request, has holder, done *time.Time) string {
	who := pagekit.Plain(has.name)
	switch {
	case has.team:
		return "With " + who + "."
	case has.member == staff.ID{}:
		return ""
	case has.member == r.Session.Staff:
		who = "You"
	}
	switch {
	case done != nil:
		return who + " completed it at " + s.When(r, *done) + "."
	case has.member == r.Session.Staff:
		return "You have it."
	case has.left:
		return who + " has it, and has left."
	}
	return who + " has it."
}

// formatPlace formats a position, which has a request's identifier and time, and no name.
func formatPlace(place projections.InboxPlace) string {
	return fmt.Sprintf("%t_%d_%s", place.Urgent, place.At.UnixMicro(), place.Request)
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
