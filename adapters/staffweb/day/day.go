package day

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// rowsShown is the page size.
const rowsShown = 500

// dayPage is a day at a site.
type dayPage struct {
	pagekit.FormErrors
	Done                       string    // the last action; "" for none
	Undo                       *undoForm // nil if that cannot be undone
	Site                       projections.Site
	Sites                      []pagekit.Option
	Date                       string // as typed, or in words
	On                         string // with the day of the week
	Yesterday, Today, Tomorrow string // addresses; Today is "" on that day
	Fragment                   string // the address of the list only
	Rooms                      []pagekit.Option
	Clinicians                 []pagekit.Option
	With                       string         // the clinician whose appointments are shown; "" for everyone's
	Room                       pagekit.Option // for calling patients in from here; zero for none
	Rows                       []row
	Waiting, CalledIn          []row // those of Rows that wait, the longest first, and that are called in
	More                       bool  // there are more than are shown
	Token                      string
}

// day shows the day's appointments. One line of the access record lists the patients
// shown.
func (s *Section) day(r *pagekit.Request) error {
	if r.Form.Has("patient") {
		return r.Redirect(r.Base() + "/day/book?" + url.Values{"patient": {r.Form.Get("patient")}}.Encode())
	}
	if err := s.NoteHead(r); err != nil {
		return err
	}
	sites, at, err := s.sites(r, site.ID{})
	if err != nil {
		return err
	}
	if r.Form.Has("chosen") {
		if err := s.keepPlace(r, at); err != nil {
			return err
		}
	}
	page, err := s.pageOf(r, sites, at)
	if err != nil {
		return err
	}
	view := pagekit.View{Template: templates["day"], Status: http.StatusOK, Title: page.PageTitle("Appointments"), Content: page}
	if len(page.Faults) > 0 {
		view.Status = http.StatusBadRequest
	}
	if len(sites) > 0 {
		view.Script = pagekit.Live
	}
	if r.Form.Has("fragment") {
		view.Fragment = "list"
	}
	s.Show(r, view)
	return nil
}

func (s *Section) pageOf(r *pagekit.Request, sites []projections.Site, at projections.Site) (dayPage, error) {
	today := s.Today(r)
	typed := strings.TrimSpace(r.Form.Get("date"))
	date, ok := pagekit.ParseDate(typed)
	if !ok {
		date = today
	}
	from, until, _ := parse.Day(date, r.Practice.Zone)
	room, chosen := roomAt(at, roomOf(r))
	with := withOf(r)
	page := dayPage{
		Done: doneTexts[r.Form.Get("done")], Site: at, Sites: optionsOf(sites, at.Site), Date: pagekit.Day(from, r.Practice.Zone), On: pagekit.Weekday(from, r.Practice.Zone),
		Yesterday: addressOf(r, at.Site, from.Add(-time.Hour), room, with), Tomorrow: addressOf(r, at.Site, until.Add(time.Hour), room, with),
		Fragment: addressOf(r, at.Site, from, room, with) + "&fragment", Rooms: roomsOf(at, room), Room: chosen, Token: r.Token(purpose),
	}
	if typed != "" && !ok {
		page.Date, page.FormErrors = typed, pagekit.FormError("date", pagekit.DateFault(typed, pagekit.DateError))
	}
	if date != today {
		page.Today = addressOf(r, at.Site, s.Now(), room, with)
	}
	if err := s.addClinicians(r, &page, with); err != nil {
		return page, err
	}
	found, err := s.Appointments.Between(r.Context(), r.Tenant, at.Site, with, from, until, rowsShown+1)
	if err != nil {
		return page, err
	}
	page.More = len(found) > rowsShown
	page.Rows, err = s.rowsOf(r, at, found[:min(len(found), rowsShown)])
	if err != nil {
		return page, err
	}
	page.arrange(found, s.Now())
	id, _ := parse.SomeID(r.Form.Get("undo"))
	if n := slices.IndexFunc(page.Rows, func(row row) bool { return row.ID.UUID == id }); n >= 0 {
		page.Undo, err = s.undoOf(r, fromDay, page.Rows[n])
	}
	return page, err
}

// arrange lists who waits and who is called in, and marks the first appointment that is
// still to come.
func (p *dayPage) arrange(found []projections.Appointment, now time.Time) {
	arrived, upcoming := map[appointment.ID]time.Time{}, map[appointment.ID]bool{}
	for _, a := range found {
		upcoming[a.Appointment] = a.StartsAt.After(now)
		if a.ArrivedAt != nil {
			arrived[a.Appointment] = *a.ArrivedAt
		}
	}
	for n, row := range p.Rows {
		switch {
		case row.Waits != "":
			p.Waiting = append(p.Waiting, row)
		case row.Called:
			p.CalledIn = append(p.CalledIn, row)
		}
		if n > 0 && upcoming[row.ID] && !upcoming[p.Rows[n-1].ID] {
			p.Rows[n].Class = strings.TrimSpace(row.Class + " now")
		}
	}
	slices.SortStableFunc(p.Waiting, func(a, b row) int { return arrived[a.ID].Compare(arrived[b.ID]) })
}

// rowsOf are appointments with the names of their patients. A just erased patient has
// none, and is left out.
func (s *Section) rowsOf(r *pagekit.Request, at projections.Site, found []projections.Appointment) (rows []row, err error) {
	patients := make([]patient.ID, len(found))
	for n, a := range found {
		patients[n] = a.Patient
	}
	names, err := s.Patients(r, patients...)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if name, known := names[a.Patient]; known {
			rows = append(rows, s.rowOf(r, at, a, name))
		}
	}
	if len(rows) > 0 {
		s.RecordShown(r, "day", patients...)
	}
	return rows, nil
}

// addClinicians adds whose appointments can be shown. One who is no clinician any longer
// is named while theirs are.
func (s *Section) addClinicians(r *pagekit.Request, page *dayPage, with staff.ID) (err error) {
	page.Clinicians, err = s.clinicians(r, with)
	if err != nil || with == (staff.ID{}) {
		return err
	}
	if page.With, err = s.clinicianName(r, with); page.With != "" && !slices.ContainsFunc(page.Clinicians, chosen) {
		page.Clinicians = append(page.Clinicians, pagekit.Option{Value: with.String(), Name: page.With, Chosen: true})
	}
	return err
}

// addressOf is the address of a day. It keeps the room for calling in, and the clinician
// whose appointments are shown.
func addressOf(r *pagekit.Request, at site.ID, on time.Time, room site.RoomID, with staff.ID) string {
	query := url.Values{"site": {at.String()}, "date": {on.In(r.Practice.Zone).Format(time.DateOnly)}}
	if room != (site.RoomID{}) {
		query.Set("room", room.String())
	}
	if with != (staff.ID{}) {
		query.Set("with", with.String())
	} else if r.Session.Place.Clinician != with {
		query.Set("with", "")
	}
	return r.Base() + "/day?" + query.Encode()
}

// keepPlace stores the site, the room and the clinician that the member has chosen on the
// page.
func (s *Section) keepPlace(r *pagekit.Request, at projections.Site) error {
	room, _ := roomAt(at, readRoom(r))
	place := signin.Place{Site: at.Site, Room: room, Clinician: withOf(r)}
	if place == r.Session.Place {
		return nil
	}
	r.Session.Place = place
	return s.Auth.Sessions.KeepPlace(r.Context(), r.Tenant, r.Session, place)
}

// roomOf is the room in the address, or else that of the session; zero for none.
func roomOf(r *pagekit.Request) site.RoomID {
	if r.Form.Has("room") {
		return readRoom(r)
	}
	return r.Session.Place.Room
}

// withOf is the clinician in the address whose appointments are shown, or else that of the
// session; zero for everyone's.
func withOf(r *pagekit.Request) (with staff.ID) {
	if !r.Form.Has("with") {
		return r.Session.Place.Clinician
	}
	with.UUID, _ = parse.SomeID(r.Form.Get("with"))
	return with
}

// readRoom is the room in the form; zero for none.
func readRoom(r *pagekit.Request) (room site.RoomID) {
	room.UUID, _ = parse.SomeID(r.Form.Get("room"))
	return room
}
