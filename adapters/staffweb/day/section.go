package day

import (
	"embed"
	"net/http"
	"slices"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
)

// Section is the pages of the day. All fields are needed.
type Section struct {
	*pagekit.Site
	Appointments projections.Appointments
	Histories    history.Appointments
	Sites        projections.Sites
	Availability projections.Availability
	People       projections.People
	Directory    directory.Names
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "day", "appointment", "ask", "book")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/day", "day", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.RunTheDay, s.day)}),
		pagekit.NewRoute("/day/book", "book", pagekit.FormMethods(staff.RunTheDay, s.bookForm, s.book)),
		pagekit.NewRoute("/day/{appointment}", "appointment", pagekit.FormMethods(staff.RunTheDay, s.appointment, s.act)),
	}
}

// purpose is the purpose of the section's form tokens.
const purpose = "day"

// errNoSite is the answer to an unknown site.
var errNoSite = pagekit.NoSuch("site", "Go back to Appointments and choose a site there.")

// sites are those of the practice, and the one in the form. By default it is instead, or
// else that of the session, or the first.
func (s *Section) sites(r *pagekit.Request, instead site.ID) (all []projections.Site, chosen projections.Site, err error) {
	all, err = s.Sites.List(r.Context(), r.Tenant)
	if err != nil || len(all) == 0 {
		return all, chosen, err
	}
	if named := r.Form.Get("site"); named != "" {
		instead.UUID, _ = parse.SomeID(named)
	} else if instead == (site.ID{}) {
		return all, all[max(0, indexOf(all, r.Session.Place.Site))], nil
	}
	i := indexOf(all, instead)
	if i < 0 {
		return all, chosen, errNoSite
	}
	return all, all[i], nil
}

func indexOf(sites []projections.Site, id site.ID) int {
	return slices.IndexFunc(sites, func(of projections.Site) bool { return of.Site == id })
}

func optionsOf(sites []projections.Site, chosen site.ID) (options []pagekit.Option) {
	for _, of := range sites {
		options = append(options, pagekit.Option{Value: of.Site.String(), Name: of.Name, Chosen: of.Site == chosen})
	}
	return options
}

// roomAt returns the room if the site has it.
func roomAt(at projections.Site, id site.RoomID) (site.RoomID, pagekit.Option) {
	for _, room := range at.Rooms {
		if room.Room == id {
			return id, pagekit.Option{Value: id.String(), Name: room.Name, Chosen: true}
		}
	}
	return site.RoomID{}, pagekit.Option{}
}

func roomsOf(at projections.Site, chosen site.RoomID) (options []pagekit.Option) {
	for _, room := range at.Rooms {
		options = append(options, pagekit.Option{Value: room.Room.String(), Name: room.Name, Chosen: room.Room == chosen})
	}
	return options
}

// roomChoice is the field of the site's rooms.
func roomChoice(at projections.Site, chosen site.RoomID, fault string) pagekit.Choice {
	return pagekit.Choice{ID: "room", Label: "Room", None: "No room", Options: roomsOf(at, chosen), Fault: fault}
}
