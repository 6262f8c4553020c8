package day

import (
	"embed"
	"html/template"
	"net/http"
	"slices"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/domain/written"
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

var templates = withParts(frame.Templates(sources, "day", "appointment", "book"))

// withParts adds what pages of the section share.
func withParts(pages map[string]*template.Template) map[string]*template.Template {
	for name, page := range pages {
		pages[name] = template.Must(page.ParseFS(sources, "templates/parts.html"))
	}
	return pages
}

// Routes are the paths of the section.
func (s *Section) Routes() []frame.Route {
	return []frame.Route{
		frame.At("/day", "day", frame.Methods{http.MethodGet: frame.WhoMay(staff.RunTheDay, s.day)}),
		frame.At("/day/book", "book", frame.Both(staff.RunTheDay, s.bookForm, s.book)),
		frame.At("/day/{appointment}", "appointment", frame.Both(staff.RunTheDay, s.appointment, s.act)),
	}
}

// purpose is what the tokens of the section's forms are for.
const purpose = "day"

// errNoSite is the answer to what names no site of the practice.
var errNoSite = &frame.Apology{
	Status: http.StatusNotFound, Heading: "There is no such site at the practice",
	Text: "Nothing has been changed.", Advice: "Go back to Day and choose a site there.",
}

// sites are those of the practice, and which of them the form names. Without a name it is
// the one that is asked for instead, or else the first.
func (s *Section) sites(v *frame.Visit, instead site.ID) (all []projections.Site, chosen projections.Site, err error) {
	all, err = s.Sites.Of(v.Context(), v.Tenant)
	if err != nil || len(all) == 0 {
		return all, chosen, err
	}
	if named := v.Form.Get("site"); named != "" {
		instead.UUID, _ = written.SomeID(named)
	} else if instead == (site.ID{}) {
		return all, all[0], nil
	}
	i := slices.IndexFunc(all, func(of projections.Site) bool { return of.Site == instead })
	if i < 0 {
		return all, chosen, errNoSite
	}
	return all, all[i], nil
}

// option is one of several that can be chosen.
type option struct {
	Value, Name string
	Chosen      bool
}

func optionsOf(sites []projections.Site, chosen site.ID) (options []option) {
	for _, of := range sites {
		options = append(options, option{of.Site.String(), of.Name, of.Site == chosen})
	}
	return options
}

// roomAt is a room if the site has it.
func roomAt(at projections.Site, id site.RoomID) (site.RoomID, option) {
	for _, room := range at.Rooms {
		if room.Room == id {
			return id, option{id.String(), room.Name, true}
		}
	}
	return site.RoomID{}, option{}
}

func roomsOf(at projections.Site, chosen site.RoomID) (options []option) {
	for _, room := range at.Rooms {
		options = append(options, option{room.Room.String(), room.Name, room.Room == chosen})
	}
	return options
}
