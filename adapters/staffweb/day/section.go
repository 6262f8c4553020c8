package day

import (
	"embed"
	"net/http"
	"slices"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Section is the pages of the day. All fields are needed.
type Section struct {
	*frame.Site
	Appointments projections.Appointments
	Sites        projections.Sites
}

//go:embed templates
var sources embed.FS

var templates = frame.Templates(sources, "day", "appointment", "book")

// Routes are the paths of the section.
func (s *Section) Routes() []frame.Route {
	return []frame.Route{
		frame.At("/day", "day", frame.Methods{http.MethodGet: frame.WhoMay(staff.RunTheDay, s.day)}),
		frame.At("/day/book", "book", frame.Both(staff.RunTheDay, s.bookForm, s.book)),
		frame.At("/day/{appointment}", "appointment", frame.Both(staff.RunTheDay, s.appointment, s.act)),
	}
}

// purpose is the purpose of the section's form tokens.
const purpose = "day"

// errNoSite is the answer to an unknown site.
var errNoSite = frame.NoSuch("site", "Go back to Day and choose a site there.")

// sites are those of the practice, and the one in the form. By default it is instead,
// or else the first.
func (s *Section) sites(v *frame.Visit, instead site.ID) (all []projections.Site, chosen projections.Site, err error) {
	all, err = s.Sites.Of(v.Context(), v.Tenant)
	if err != nil || len(all) == 0 {
		return all, chosen, err
	}
	if named := v.Form.Get("site"); named != "" {
		instead.UUID, _ = parse.SomeID(named)
	} else if instead == (site.ID{}) {
		return all, all[0], nil
	}
	i := slices.IndexFunc(all, func(of projections.Site) bool { return of.Site == instead })
	if i < 0 {
		return all, chosen, errNoSite
	}
	return all, all[i], nil
}

func optionsOf(sites []projections.Site, chosen site.ID) (options []frame.Option) {
	for _, of := range sites {
		options = append(options, frame.Option{Value: of.Site.String(), Name: of.Name, Chosen: of.Site == chosen})
	}
	return options
}

// roomAt returns the room if the site has it.
func roomAt(at projections.Site, id site.RoomID) (site.RoomID, frame.Option) {
	for _, room := range at.Rooms {
		if room.Room == id {
			return id, frame.Option{Value: id.String(), Name: room.Name, Chosen: true}
		}
	}
	return site.RoomID{}, frame.Option{}
}

func roomsOf(at projections.Site, chosen site.RoomID) (options []frame.Option) {
	for _, room := range at.Rooms {
		options = append(options, frame.Option{Value: room.Room.String(), Name: room.Name, Chosen: room.Room == chosen})
	}
	return options
}

// roomChoice is the field of the site's rooms.
func roomChoice(at projections.Site, chosen site.RoomID, fault string) frame.Choice {
	return frame.Choice{ID: "room", Label: "Room", None: "No room", Options: roomsOf(at, chosen), Fault: fault}
}
