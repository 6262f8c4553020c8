package privacy

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// historyTab is a part of the history of a patient's data.
type historyTab struct {
	word, name string // in addresses, and on the page
	about      string
	fill       func(*Section, *pagekit.Request, dataState, *actorNames, *historyPart) error
}

// historyTabs are the tabs. The first one is shown first.
var historyTabs = []historyTab{
	{"openings", "Openings", "Each opening of the record, a request, a file or the log.", (*Section).fillOpenings},
	{"lists", "Lists", "Lists, searches and screens that showed the patient, by person, page and hour. A time covers the ten minutes after it.", (*Section).fillLists},
	{"calls", "App calls", "API calls by apps about this patient.", (*Section).fillCalls},
	{"changes", "Changes", "Every change to the patient’s data.", (*Section).fillChanges},
}

// historyPart is the tab on the page.
type historyPart struct {
	Word, About string
	Tabs        []pagekit.Tab
	By          string // the chosen member of staff; "" for all
	People      []memberChoice
	From, Until pagekit.Field
	Filtered    bool
	Rows        []historyRow
	Older       string // the address of the older rows; "" for none
	First       string // the address of the newest rows; "" if they are on the page

	by     staff.ID
	days   [2]time.Time // the first instant, and that after the last; zero for no limit
	zone   *time.Location
	cursor string // the row after which the page begins; "" for the newest
	next   string // the cursor of the older rows; "" for none
}

// historyRow is an event, a call, or the lists that showed the patient within an hour.
type historyRow struct {
	At, Who, What string
	Ended         string   // of a call
	Told          []string // applications that webhooks notified
}

// addHistory adds the tab in the address of the page, with its filters.
func (s *Section) addHistory(r *pagekit.Request, state dataState, actors *actorNames, page *patientPage) error {
	part := historyPart{zone: r.Practice.Zone}
	query := r.Form
	if r.HTTP.Method != http.MethodGet {
		query = url.Values{} // the fields are another form's
	}
	n := max(0, slices.IndexFunc(historyTabs, func(t historyTab) bool { return t.word == query.Get("show") }))
	part.Word, part.About, part.cursor = historyTabs[n].word, historyTabs[n].about, query.Get("before")
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	part.filter(query, people, &page.FormErrors)
	if len(page.Fault("from"))+len(page.Fault("until")) == 0 {
		if err := historyTabs[n].fill(s, r, state, actors, &part); err != nil {
			return err
		}
	}
	part.link(r.Base()+"/privacy/patients/"+state.id.String(), query)
	page.History = part
	return nil
}

// filter reads the filters.
func (h *historyPart) filter(query url.Values, people []projections.Person, wrong *pagekit.FormErrors) {
	for _, p := range people {
		chosen := query.Get("by") == p.Staff.String()
		if chosen {
			h.by, h.By = p.Staff, p.Name
		}
		h.People = append(h.People, memberChoice{p.Staff, p.Name, chosen})
	}
	for n, id := range []string{"from", "until"} {
		text := strings.TrimSpace(query.Get(id))
		date, ok := pagekit.ParseDate(text)
		if text != "" && !ok {
			*wrong = wrong.With(id, pagekit.DateFault(text, pagekit.DateError))
			query.Del(id) // not in links
		}
		if day, err := time.ParseInLocation(time.DateOnly, date, h.zone); err == nil {
			h.days[n] = day.AddDate(0, 0, n)
		}
		field := pagekit.Field{ID: id, Label: [...]string{"From", "Until"}[n], Kind: "text", Fill: "off", Optional: true, Value: text, Fault: wrong.Fault(id)}
		if n == 0 {
			h.From = field
		} else {
			h.Until = field
		}
	}
	h.Filtered = h.By != "" || !h.days[0].IsZero() || !h.days[1].IsZero()
}

// link makes the addresses of the tabs and pages, with the filters.
func (h *historyPart) link(path string, query url.Values) {
	address := func(word, before string) string {
		to := url.Values{"show": {word}}
		for _, name := range []string{"by", "from", "until"} {
			if v := query.Get(name); v != "" {
				to.Set(name, v)
			}
		}
		if before != "" {
			to.Set("before", before)
		}
		return path + "?" + to.Encode() + "#history"
	}
	for _, t := range historyTabs {
		h.Tabs = append(h.Tabs, pagekit.Tab{Name: t.name, Address: address(t.word, ""), Here: t.word == h.Word})
	}
	if h.next != "" {
		h.Older = address(h.Word, h.next)
	}
	if h.cursor != "" {
		h.First = address(h.Word, "")
	}
}

// reads reports whether an event changes nothing.
func reads(row catalogue.Row) bool {
	return row.Operation == catalogue.Read || row.Operation == catalogue.Execute
}

func (s *Section) fillOpenings(r *pagekit.Request, state dataState, actors *actorNames, part *historyPart) error {
	return s.fillEvents(r, state, actors, part, catalogue.Names(reads))
}

func (s *Section) fillChanges(r *pagekit.Request, state dataState, actors *actorNames, part *historyPart) error {
	return s.fillEvents(r, state, actors, part, catalogue.Names(func(row catalogue.Row) bool { return !reads(row) }))
}

// fillEvents adds the events of these names about the patient, and the applications that
// webhooks notified.
func (s *Section) fillEvents(r *pagekit.Request, state dataState, actors *actorNames, part *historyPart, names []string) error {
	before, err := strconv.ParseInt(cmp.Or(part.cursor, "0"), 10, 64)
	if err != nil || part.cursor != "" && before < 1 {
		return pagekit.ErrUnreadable
	}
	traces, err := s.Traces.OfPatient(r.Context(), history.PatientEvents{
		Tenant: r.Tenant, Patient: state.id, Names: names, By: part.by, From: part.days[0], Until: part.days[1], Before: before, Most: mostTraces + 1,
	})
	if err != nil {
		return err
	}
	if len(traces) > mostTraces {
		traces = traces[:mostTraces]
		part.next = strconv.FormatInt(traces[mostTraces-1].Idx, 10)
	}
	notified, err := s.notifiedOf(r, actors, traces)
	for _, t := range traces {
		part.Rows = append(part.Rows, historyRow{At: pagekit.Moment(t.At, part.zone), Who: actors.actor(t.Actor), What: history.Describe(t.Name), Told: notified[t.Event]})
	}
	return err
}

// notifiedOf names the applications that webhooks notified of events.
func (s *Section) notifiedOf(r *pagekit.Request, actors *actorNames, traces []history.PatientEvent) (map[uuid.UUID][]string, error) {
	var events []uuid.UUID
	for _, t := range traces {
		events = append(events, t.Event)
	}
	found, err := s.Notified(r.Context(), events)
	names := map[uuid.UUID][]string{}
	for _, t := range found {
		name := actors.application(t.Application.UUID)
		if !t.Arrived {
			name += " (delivery not confirmed)"
		}
		names[t.Event] = append(names[t.Event], name)
	}
	return names, err
}

// lines reads lines of the access record about the patient.
func (s *Section) lines(r *pagekit.Request, state dataState, part *historyPart, kind access.LineKind, most int) ([]access.Call, error) {
	before, err := cursor(r, "before")
	if err != nil {
		return nil, err
	}
	found, err := s.Calls(r.Context(), CallFilter{
		Tenant: r.Tenant, Patient: state.id, Kind: kind, Staff: part.by, Since: part.days[0], Until: part.days[1], Before: before, Most: most + 1,
	})
	if err == nil && len(found) > most {
		found = found[:most]
		part.next = found[most-1].RequestID.String()
	}
	return found, err
}

func (s *Section) fillCalls(r *pagekit.Request, state dataState, actors *actorNames, part *historyPart) error {
	calls, err := s.lines(r, state, part, access.CallLines, mostTraces)
	for _, c := range calls {
		row := rowOf(r, actors, c)
		part.Rows = append(part.Rows, historyRow{At: row.At, Who: row.Who, What: strings.TrimPrefix(row.What, "call: "), Ended: row.Ended})
	}
	return err
}

// fillLists groups the lines of pages by person, page and hour.
func (s *Section) fillLists(r *pagekit.Request, state dataState, actors *actorNames, part *historyPart) error {
	looks, err := s.lines(r, state, part, access.LookLines, mostLooks)
	if err != nil {
		return err
	}
	type group struct{ who, what, hour string }
	times, groups := map[group][]time.Time{}, []group{}
	for _, c := range looks {
		at := c.At.In(part.zone)
		g := group{actors.actor(c.Actor()), history.Describe(string(c.Endpoint)), at.Format("2006-01-02 15 -0700")}
		if times[g] == nil {
			groups = append(groups, g)
		}
		times[g] = append(times[g], at)
	}
	for _, g := range groups {
		part.Rows = append(part.Rows, historyRow{At: span(times[g], part.zone), Who: g.who, What: g.what})
	}
	return nil
}

// span formats the first and last of times that are listed newest first, within an hour.
func span(times []time.Time, zone *time.Location) string {
	first, last := times[len(times)-1], times[0]
	if len(times) == 1 {
		return pagekit.Moment(last, zone)
	}
	text := pagekit.Moment(last, zone) + ", " + strconv.Itoa(len(times)) + " times"
	if from := pagekit.TimeOfDay(first, zone); from != pagekit.TimeOfDay(last, zone) {
		return from + " to " + text
	}
	return text
}
