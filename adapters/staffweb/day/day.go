package day

import (
	"net/http"
	"net/url"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// rowsShown is the page size.
const rowsShown = 500

// dayPage is a day at a site.
type dayPage struct {
	Done                       string // the last action; "" for none
	Site                       projections.Site
	Sites                      []pagekit.Option
	Date, On                   string // 2006-01-02, and in words
	Yesterday, Today, Tomorrow string // addresses; Today is "" on that day
	Fragment                   string // the address of the list only
	Rooms                      []pagekit.Option
	Room                       pagekit.Option // for calling patients in from here; zero for none
	Rows                       []row
	More                       bool // there are more than are shown
	Token                      string
}

// day shows the day's appointments. One line of the access record lists the patients
// shown.
func (s *Section) day(v *pagekit.Request) error {
	if v.Form.Has("patient") {
		return v.Redirect(v.Base() + "/day/book?" + url.Values{"patient": {v.Form.Get("patient")}}.Encode())
	}
	if err := s.NoteHead(v); err != nil {
		return err
	}
	sites, at, err := s.sites(v, site.ID{})
	if err != nil {
		return err
	}
	page, err := s.pageOf(v, sites, at)
	if err != nil {
		return err
	}
	view := pagekit.View{Template: templates["day"], Status: http.StatusOK, Title: "Day", Content: page}
	if len(sites) > 0 {
		view.Script = pagekit.Live
	}
	if v.Form.Has("fragment") {
		view.Fragment = "list"
	}
	s.Show(v, view)
	return nil
}

func (s *Section) pageOf(v *pagekit.Request, sites []projections.Site, at projections.Site) (dayPage, error) {
	today := s.Now().In(v.Practice.Zone).Format(time.DateOnly)
	date := v.Form.Get("date")
	from, until, ok := parse.Day(date, v.Practice.Zone)
	if !ok {
		date = today
		from, until, _ = parse.Day(date, v.Practice.Zone)
	}
	room, chosen := roomAt(at, readRoom(v))
	page := dayPage{
		Done: doneTexts[v.Form.Get("done")], Site: at, Sites: optionsOf(sites, at.Site), Date: date, On: pagekit.Weekday(from, v.Practice.Zone),
		Yesterday: addressOf(v, at.Site, from.Add(-time.Hour), room), Tomorrow: addressOf(v, at.Site, until.Add(time.Hour), room),
		Fragment: addressOf(v, at.Site, from, room) + "&fragment", Rooms: roomsOf(at, room), Room: chosen, Token: v.Token(purpose),
	}
	if date != today {
		page.Today = addressOf(v, at.Site, s.Now(), room)
	}
	found, err := s.Appointments.Between(v.Context(), v.Tenant, at.Site, from, until, rowsShown+1)
	if err != nil {
		return page, err
	}
	page.More = len(found) > rowsShown
	page.Rows, err = s.rowsOf(v, at, found[:min(len(found), rowsShown)])
	return page, err
}

// rowsOf are appointments with the names of their patients. A just erased patient has
// none, and is left out.
func (s *Section) rowsOf(v *pagekit.Request, at projections.Site, found []projections.Appointment) (rows []row, err error) {
	patients := make([]patient.ID, len(found))
	for n, a := range found {
		patients[n] = a.Patient
	}
	names, err := s.Patients(v, patients...)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if name, known := names[a.Patient]; known {
			rows = append(rows, s.rowOf(v, at, a, name))
		}
	}
	if len(rows) > 0 {
		s.RecordShown(v, "day", patients...)
	}
	return rows, nil
}

// addressOf is the address of a day. It keeps the room for calling in.
func addressOf(v *pagekit.Request, at site.ID, on time.Time, room site.RoomID) string {
	query := url.Values{"site": {at.String()}, "date": {on.In(v.Practice.Zone).Format(time.DateOnly)}}
	if room != (site.RoomID{}) {
		query.Set("room", room.String())
	}
	return v.Base() + "/day?" + query.Encode()
}

// readRoom is the room in the form; zero for none.
func readRoom(v *pagekit.Request) (room site.RoomID) {
	room.UUID, _ = parse.SomeID(v.Form.Get("room"))
	return room
}
