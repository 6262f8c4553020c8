package sites

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// errNone is the answer to an unknown site.
var errNone = pagekit.NoSuch("site", "Go back to Sites and choose one there.")

// sitePage is one site.
type sitePage struct {
	pagekit.FormErrors
	Done  string // the last action; "" for none
	Site  projections.Site
	Name  field
	Rooms []field
	New   field // of another room
	Token string
}

// field is an editable name.
type field struct {
	ID, Label string
	N         int    // of a room, from 1
	Room      string // the room; "" for the site itself
	Was       string // as shown on the page
	Typed     string
	Fault     string
}

func (f field) changed() bool { return strings.TrimSpace(f.Typed) != f.Was }

var doneTexts = map[string]string{"added": "The site has been added. Add its rooms here.", "saved": "The names have been saved."}

// site shows a site with its rooms.
func (s *Section) site(r *pagekit.Request) error {
	at, err := s.find(r)
	if err != nil {
		return err
	}
	s.showSite(r, http.StatusOK, sitePage{Done: doneTexts[r.Form.Get("done")], Site: at, Name: field{Was: at.Name, Typed: at.Name}, Rooms: roomFields(r, at)})
	return nil
}

func (s *Section) showSite(r *pagekit.Request, status int, page sitePage) {
	page.Token = r.Token(purpose)
	page.Name.ID, page.Name.Label = "name", "Name of the site"
	page.New.ID, page.New.Label = "new", "Another room"
	s.Show(r, pagekit.View{Template: templates["site"], Status: status, Title: page.PageTitle("Site"), Content: page})
}

// find reads the site in the address.
func (s *Section) find(r *pagekit.Request) (projections.Site, error) {
	all, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return projections.Site{}, err
	}
	id, ok := parse.SomeID(r.PathValue("site"))
	i := slices.IndexFunc(all, func(of projections.Site) bool { return of.Site.UUID == id })
	if !ok || i < 0 {
		return projections.Site{}, errNone
	}
	return all[i], nil
}

// roomFields are the rooms of a site, with the values of the form.
func roomFields(r *pagekit.Request, at projections.Site) (fields []field) {
	for n, room := range at.Rooms {
		number := strconv.Itoa(n + 1)
		f := field{N: n + 1, ID: "room" + number, Label: "Name of room " + number, Room: room.Room.String(), Was: room.Name, Typed: room.Name}
		for sent := 1; r.Form.Has("id" + strconv.Itoa(sent)); sent++ {
			if at := strconv.Itoa(sent); r.Form.Get("id"+at) == f.Room {
				f.Was, f.Typed = r.Form.Get("was"+at), r.Form.Get("room"+at)
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// change saves the edited names, and adds a room if one is named.
func (s *Section) change(r *pagekit.Request) error {
	at, err := s.find(r)
	if err != nil {
		return err
	}
	page := sitePage{
		Site: at, Name: field{Was: r.Form.Get("was"), Typed: r.Form.Get("name")}, Rooms: roomFields(r, at), New: field{Typed: r.Form.Get("new")},
	}
	if !r.HasToken(purpose) {
		status, wrong := r.Unsent("name")
		page.FormErrors = wrong
		s.showSite(r, status, page)
		return nil
	}
	if page.check(); len(page.Faults) > 0 {
		s.showSite(r, http.StatusBadRequest, page)
		return nil
	}
	if err := s.save(r, page); err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/sites/" + at.Site.String() + "?done=saved")
}

// check finds the faults of the edited names.
func (p *sitePage) check() {
	check := func(f *field, taken bool, of string) {
		if f.Fault = nameFault(strings.TrimSpace(f.Typed), taken, of); f.Fault != "" {
			p.FormErrors = p.With(f.ID, f.Fault)
		}
	}
	if p.Name.changed() {
		p.Name.ID = "name"
		check(&p.Name, false, "site")
	}
	for n := range p.Rooms {
		if f := &p.Rooms[n]; f.changed() {
			check(f, p.nameTaken(f.Typed, f.Room), "room")
		}
	}
	if p.New.changed() {
		p.New.ID = "new"
		check(&p.New, p.nameTaken(p.New.Typed, ""), "room")
	}
}

// nameTaken reports whether another room will have a name.
func (p *sitePage) nameTaken(name, but string) bool {
	return slices.ContainsFunc(p.Rooms, func(f field) bool {
		return f.Room != but && strings.TrimSpace(f.Typed) == strings.TrimSpace(name)
	})
}

func (s *Section) save(r *pagekit.Request, page sitePage) error {
	if page.Name.changed() {
		err := s.Desk.RenameSite(r.StaffContext(), commands.RenameSite{Tenant: r.Tenant, Site: page.Site.Site, Name: page.Name.Typed})
		if err != nil {
			return err
		}
	}
	for n, f := range page.Rooms {
		if !f.changed() {
			continue
		}
		err := s.Desk.RenameRoom(r.StaffContext(), commands.RenameRoom{Tenant: r.Tenant, Room: page.Site.Rooms[n].Room, Name: f.Typed})
		if err != nil {
			return err
		}
	}
	if !page.New.changed() {
		return nil
	}
	_, err := s.Desk.AddRoom(r.StaffContext(), commands.AddRoom{Tenant: r.Tenant, Site: page.Site.Site, Name: page.New.Typed})
	return err
}
